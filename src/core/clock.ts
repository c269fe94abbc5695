/** The only source of the current time. Tests replace it. */
export interface Clock {
  now(): Date
  /** The time that is `seconds` after now. A negative number gives a time before now. */
  after(seconds: number): Date
}

export const systemClock: Clock = {
  now: () => new Date(),
  after: (seconds) => new Date(Date.now() + seconds * 1000),
}
