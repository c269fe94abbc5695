/** The numbers of days that a person can choose for the charts. */
export const ranges = [7, 30, 90] as const
export type Range = (typeof ranges)[number]

/** Parses the number of days in an address. Any other text gives 30 days. */
export const rangeOf = (text: string | null): Range => ranges.find((range) => String(range) === text) ?? 30

/** The days that one bar of a chart covers: a day, a week or a month. `from` and `to` are the first and the last day. */
export interface Span {
  readonly from: string
  readonly to: string
  /** True if the days are in UTC. Otherwise they are in the person's zone. */
  readonly isUtc?: boolean
}

/** One series of numbers in a chart. */
export interface Line {
  readonly id: string
  readonly name: string
  /** One number for each bar. */
  readonly values: readonly number[]
  readonly total: number
  /** The total of the preceding range with the same number of days. Absent if it is unknown. */
  readonly before?: number
  /** The number of the colour in `--chart-1` to `--chart-6`. */
  readonly color: 1 | 2 | 3 | 4 | 5 | 6
}

const dayMs = 86_400_000

/** The date that is `days` days after `day`. With a negative number it is an earlier date. */
export const shiftDay = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)

/** The person's time zone; undefined if the browser hides it. */
export const zoneHere = (): string | undefined => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The first day of a range that ends today. Days are in the browser's zone. */
export const firstDayOf = (range: Range, now: Date): string =>
  shiftDay(new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())).toISOString().slice(0, 10), 1 - range)

/** The time at which a day begins. If clocks change at midnight, it is the first valid time after midnight. */
export const beginOf = (day: string, isUtc: boolean): string => new Date(`${day}T00:00:00${isUtc ? 'Z' : ''}`).toISOString()

/** The relative change from the total before to the total now. Undefined if the total before is zero or unknown. */
export const changeOf = (total: number, before: number | undefined): number | undefined =>
  before === undefined || before === 0 ? undefined : (total - before) / before

/** The upper end of a chart's scale: the smallest number not below `highest` that is 1, 2 or 5 times a power of ten. */
export const scaleOf = (highest: number): number => {
  if (highest <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(highest))
  return ([1, 2, 5, 10].find((step) => step * power >= highest) ?? 10) * power
}

/** The sum of all series for one bar. */
export const sumOf = (lines: readonly Line[], index: number): number =>
  lines.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
