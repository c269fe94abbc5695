/** The only source of time. Tests set it. */
export interface Clock {
  now(): Date
  /** The time that is this number of seconds from now. */
  after(seconds: number): Date
}

export const systemClock: Clock = {
  now: () => new Date(),
  after: (seconds) => new Date(Date.now() + seconds * 1000),
}
