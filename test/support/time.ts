/** Moves the clock of this process: `Date` alone, since libraries read it too; timers keep running. */
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

/** Stops the clock until `advance` moves it: what happens in one window of a limit stays in it on a busy machine too. */
export const hold = (): void => {
  globalThis.Date = ShiftedDate as unknown as DateConstructor
  heldAt ??= RealDate.now()
}

/** Back to the real time; `testApp` does it when it closes. */
export const resetTime = (): void => {
  offsetMs = 0
  heldAt = undefined
  globalThis.Date = RealDate
}
