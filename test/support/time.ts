/** Moves the clock of this process. It changes only `Date`, which libraries read, too. Timers are not affected. */
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'

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

/**
 * While `work` runs, `instead` is called in the place of each wait that begins in a module below `folder`. For programs that wait as long as a
 * server tells them. Returns the result, and the length of each wait in seconds.
 */
export const insteadOfWaits = async <T>(folder: string, instead: () => Promise<unknown>, work: () => Promise<T>) => {
  const waits: number[] = []
  const [begin, wait] = [globalThis.setTimeout, timers.setTimeout]
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const replace = (ms = 0) => {
    waits.push(ms / 1000)
    const done = instead()
    done.catch(reject)
    return done
  }
  const isReplaced = () => new Error('for its stack').stack?.includes(folder) === true
  globalThis.setTimeout = Object.assign((after: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    if (!isReplaced()) return begin(after, ms, ...args)
    void replace(ms).then(
      () => after(...args),
      () => undefined,
    )
    return begin(() => undefined)
  }, begin)
  timers.setTimeout = async (ms, value, options) => {
    if (!isReplaced()) return wait(ms, value, options)
    await replace(ms)
    return value as NonNullable<typeof value>
  }
  syncBuiltinESMExports()
  try {
    return { result: await Promise.race([work(), failed]), waits }
  } finally {
    globalThis.setTimeout = begin
    timers.setTimeout = wait
    syncBuiltinESMExports()
  }
}
