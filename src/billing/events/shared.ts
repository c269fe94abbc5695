import { z } from 'zod'

/**
 * Schemas that several entities share (billing-events.md, sections 4 and 5.1). A schema checks only the keys that it names, and allows
 * all other keys. It converts, adds and removes nothing, so that code works with the body as it was received.
 */

/** ISO 8601 date-time with `T`, seconds and an offset (`Z` or `±hh:mm`), any number of fraction digits. */
export const time = z.iso.datetime({ offset: true, error: 'date-time with offset' })

/** A whole number of at most 53 bits. Amounts in currencies with a small unit exceed 32 bits. */
export const int = z.int()

export const text = z.string()

/** Number of seats of a subscription. Events have this field since 2026. */
export const Seats = int.min(0).nullish()

export const Timestamps = { created_at: time, modified_at: time.nullable() }

export const Metadata = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

/** The buyer's answers to the custom fields of a checkout. Answers that are dates come as text. */
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

/** How often a subscription renews. `day` and `week` are newer than the billing specification. */
export const Interval = z.enum(['month', 'year', 'day', 'week'])

/** Any object. All of its documented fields are optional, and unknown keys are normal (billing-events.md, section 5.8). */
export const AnyObject = z.record(z.string(), z.unknown())

const first = '0000-01-01T00:00:00.000000Z'
const last = '9999-12-31T23:59:59.999999Z'

/**
 * Turns a time of an event into UTC text of fixed width with 6 fraction digits, so that texts sort by time. Further digits are cut. For
 * example, `2025-07-01T02:00:00.5+02:00` becomes `2025-07-01T00:00:00.500000Z`. Invalid text gives a text that sorts before all times. It
 * can occur because timestamps of entities without a schema (`other`) are not checked.
 */
export const sortableTime = (text: string): string => {
  if (!time.safeParse(text).success) return first
  const [, seconds = '', fraction = '', offset = ''] = /^(.{19})(?:\.(\d+))?(.+)$/.exec(text) ?? []
  const micros = fraction.slice(0, 6).padEnd(6, '0')
  if (offset === 'Z') return `${seconds}.${micros}Z`
  // An offset is a whole number of minutes, so it does not change the fraction of a second.
  const utc = new Date(`${seconds}${offset}`).toISOString()
  // JavaScript writes years before 0 and after 9999 with a sign. An offset can lead to such a year.
  if (utc.startsWith('-')) return first
  return utc.startsWith('+') ? last : `${utc.slice(0, 19)}.${micros}Z`
}

const lastMs = Date.parse(last)

/**
 * Turns a time of an event, or its sortable text, into a Date between the years 0 and 9999. The limit is needed because an offset or a
 * grace could lead to a year that ISO 8601 does not write with four digits.
 */
export const dateOf = (text: string): Date => new Date(sortableTime(text))

/** The time that is `seconds` after a time of an event, but at most the end of the year 9999. */
export const secondsAfter = (text: string, seconds: number): Date =>
  new Date(Math.min(dateOf(text).getTime() + seconds * 1000, lastMs))
