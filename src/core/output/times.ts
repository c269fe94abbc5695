/** Shows times in words. */

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** Reads a time from a `Date`, or from a text in the format that all results use. Undefined for anything else. */
export const timeOf = (value: unknown): Date | undefined => {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value
  if (typeof value !== 'string' || !isoTime.test(value)) return undefined
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? undefined : time
}

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** A time relative to now, such as `3 minutes ago`, `in 2 hours` or `now`. */
export const relativeTime = (time: Date, now: Date): string => {
  const seconds = Math.trunc((time.getTime() - now.getTime()) / 1_000)
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  const count = Math.trunc(Math.abs(seconds) / length)
  if (count === 0) return 'now'
  const span = `${count} ${unit}${count === 1 ? '' : 's'}`
  return seconds < 0 ? `${span} ago` : `in ${span}`
}
