import { z } from 'zod'

/**
 * Parts of several entities (billing-events.md, sections 4 and 5.1). Schemas check the keys that they name and allow all others. They
 * convert, complete and remove nothing, so that a valid body is used as received.
 */

/** ISO 8601 date-time with `T`, seconds and an offset (`Z` or `±hh:mm`), any number of fraction digits. */
export const time = z.iso.datetime({ offset: true, error: 'date-time with offset' })

/** A whole number; amounts in small currencies exceed 32 bits. */
export const int = z.int()

export const text = z.string()

/** Seats of a subscription, which exist since 2026. */
export const Seats = int.min(0).nullish()

export const Timestamps = { created_at: time, modified_at: time.nullable() }

export const Metadata = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

/** Answers to the custom fields of a checkout. Dates come as text. */
export const CustomFieldData = z.record(z.string(), z.union([z.string(), int, z.boolean(), z.null()]))

export const Address = z.object({
  country: text,
  line1: text.nullish(),
  line2: text.nullish(),
  postal_code: text.nullish(),
  city: text.nullish(),
  state: text.nullish(),
})
export type Address = z.output<typeof Address>

/** `day` and `week` were added after the specification. */
export const Interval = z.enum(['month', 'year', 'day', 'week'])

/** Any object: all documented members are optional, and unknown keys are normal (billing-events.md, section 5.8). */
export const AnyObject = z.record(z.string(), z.unknown())

const first = '0000-01-01T00:00:00.000000Z'
const last = '9999-12-31T23:59:59.999999Z'

/**
 * Returns a `time` of an event as UTC text of fixed width with 6 fraction digits (further digits are cut), so that texts sort by time.
 * `2025-07-01T02:00:00.5+02:00` becomes `2025-07-01T00:00:00.500000Z`. Invalid text sorts before all times, because timestamps of
 * entities without a schema (`other`) are not checked.
 */
export const sortableTime = (text: string): string => {
  if (!time.safeParse(text).success) return first
  const [, seconds = '', fraction = '', offset = ''] = /^(.{19})(?:\.(\d+))?(.+)$/.exec(text) ?? []
  const micros = fraction.slice(0, 6).padEnd(6, '0')
  if (offset === 'Z') return `${seconds}.${micros}Z`
  // Offsets are whole minutes, so they do not change the fraction.
  const utc = new Date(`${seconds}${offset}`).toISOString()
  // Years before 0 and after 9999 have a sign. An offset can lead to such a year.
  if (utc.startsWith('-')) return first
  return utc.startsWith('+') ? last : `${utc.slice(0, 19)}.${micros}Z`
}

const lastMs = Date.parse(last)

/**
 * Returns a `time` of an event, or its sortable text, as a Date within the years 0 to 9999. An offset or a grace could lead to a year
 * that ISO 8601 does not write in four digits.
 */
export const dateOf = (text: string): Date => new Date(sortableTime(text))

/** The time that is a number of seconds after a time of an event, at most the end of the year 9999. */
export const secondsAfter = (text: string, seconds: number): Date =>
  new Date(Math.min(dateOf(text).getTime() + seconds * 1000, lastMs))
