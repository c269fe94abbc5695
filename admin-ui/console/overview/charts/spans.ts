/** Lengths of the charts' ranges in days. */
export const ranges = [7, 30, 90] as const
export type Range = (typeof ranges)[number]

/** The range in an address; by default 30 days. */
export const rangeOf = (text: string | null): Range => ranges.find((range) => String(range) === text) ?? 30

/** The span of a bar: a day, week or month, with its first and last day. */
export interface Span {
  readonly from: string
  readonly to: string
  /** True for days in UTC instead of the person's zone. */
  readonly isUtc?: boolean
}

/** A row of numbers of a chart. */
export interface Line {
  readonly id: string
  readonly name: string
  /** A number for each span. */
  readonly values: readonly number[]
  readonly total: number
  /** The total of the same number of days before; absent if unknown. */
  readonly before?: number
  /** Index of the chart colour. */
  readonly color: 1 | 2 | 3 | 4 | 5 | 6
}

const dayMs = 86_400_000

/** The date that is this number of days after another; a negative number gives an earlier date. */
export const shiftDay = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)

/** The person's time zone; undefined if the browser hides it. */
export const zoneHere = (): string | undefined => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The first day of a range that ends today, in the browser's zone. */
export const firstDayOf = (range: Range, now: Date): string =>
  shiftDay(new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())).toISOString().slice(0, 10), 1 - range)

/** The start of a day as a moment. If clocks change at midnight, the browser uses the next valid time. */
export const beginOf = (day: string, isUtc: boolean): string => new Date(`${day}T00:00:00${isUtc ? 'Z' : ''}`).toISOString()

/** The relative change between two numbers; undefined if the first is zero. */
export const changeOf = (total: number, before: number | undefined): number | undefined =>
  before === undefined || before === 0 ? undefined : (total - before) / before

/** The end of the scale: the next number that is 1, 2 or 5 times a power of ten. */
export const scaleOf = (highest: number): number => {
  if (highest <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(highest))
  return ([1, 2, 5, 10].find((step) => step * power >= highest) ?? 10) * power
}

/** The sums of all rows for a span. */
export const sumOf = (lines: readonly Line[], index: number): number =>
  lines.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
