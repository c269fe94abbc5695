/** Lengths of time that the charts show, in days. */
export const ranges = [7, 30, 90] as const
export type Range = (typeof ranges)[number]

/** The range that an address names; 30 days where it names none. */
export const rangeOf = (text: string | null): Range => ranges.find((range) => String(range) === text) ?? 30

/** What one bar stands for: a day, a week or a month, with its first and last day. */
export interface Span {
  readonly from: string
  readonly to: string
  /** The days are those of UTC, not of the place where the person is. */
  readonly isUtc?: boolean
}

/** One row of numbers of a chart. */
export interface Line {
  readonly id: string
  readonly name: string
  /** One number for each span. */
  readonly values: readonly number[]
  readonly total: number
  /** The total of as many days before these; absent where it is not known. */
  readonly before?: number
  /** Which of the colours for charts. */
  readonly color: 1 | 2 | 3 | 4 | 5 | 6
}

const dayMs = 86_400_000

/** The day so many days later. */
export const shiftDay = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)

/** The zone of the person; undefined where the browser hides it. */
export const zoneHere = (): string | undefined => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The first day of a range that ends today, as days are here. */
export const firstDayOf = (range: Range, now: Date): string =>
  shiftDay(new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())).toISOString().slice(0, 10), 1 - range)

/** The moment at which a day begins. Clocks may change just then: the browser takes what comes next. */
export const beginOf = (day: string, isUtc: boolean): string => new Date(`${day}T00:00:00${isUtc ? 'Z' : ''}`).toISOString()

/** How much more a number is than the one before, as a part of it; undefined where there was nothing. */
export const changeOf = (total: number, before: number | undefined): number | undefined =>
  before === undefined || before === 0 ? undefined : (total - before) / before

/** The end of the scale: the next of 1, 2 and 5 times a power of ten. */
export const scaleOf = (highest: number): number => {
  if (highest <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(highest))
  return ([1, 2, 5, 10].find((step) => step * power >= highest) ?? 10) * power
}

/** The numbers of a span over all lines. */
export const sumOf = (lines: readonly Line[], index: number): number =>
  lines.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
