/** Moves the clock of this process. It changes only `Date`, which libraries read, too. Timers are not affected. */
const RealDate = globalThis.Date
let offsetMs = 0
/** The real time at which `hold` stopped the clock. */
let heldAt: number | undefined
const now = () => (heldAt ?? RealDate.now()) + offsetMs

class ShiftedDate extends RealDate {
  constructor(...args: readonly unknown[]) {
    if (args.length === 0) super(now())
    else super(...(args as [number]))
  }
  static override now() {
    return now()
  }
  static override [Symbol.hasInstance](value: unknown) {
    return value instanceof RealDate
  }
}

export interface Duration {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
  readonly seconds?: number
}

export const advance = ({ days = 0, hours = 0, minutes = 0, seconds = 0 }: Duration): void => {
  globalThis.Date = ShiftedDate as unknown as DateConstructor
  offsetMs += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
}

/** Stops the clock until `advance` moves it. On a busy machine, all requests then still fall into the same window of a limit. */
export const hold = (): void => {
  globalThis.Date = ShiftedDate as unknown as DateConstructor
  heldAt ??= RealDate.now()
}

/** Returns to the real time. `testApp` calls this when it stops. */
export const resetTime = (): void => {
  offsetMs = 0
  heldAt = undefined
  globalThis.Date = RealDate
}
