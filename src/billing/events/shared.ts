import { z } from 'zod'

/**
 * Shapes that several entities share (billing-events.md, sections 4 and 5.1). Objects name what they check and let every other key
 * pass; no schema converts, fills in or drops anything that is read, so that a body that fits is used as it came.
 */

/** ISO 8601 date-time with `T`, seconds and an offset (`Z` or `±hh:mm`), any number of fraction digits. */
export const time = z.iso.datetime({ offset: true, error: 'date-time with offset' })

/** A whole number; amounts in small currencies exceed 32 bits. */
export const int = z.int()

export const text = z.string()

/** Seats of a subscription, since 2026. */
export const Seats = int.min(0).nullish()

export const Stamps = { created_at: time, modified_at: time.nullable() }

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

/** `day` and `week` came later. */
export const Interval = z.enum(['month', 'year', 'day', 'week'])

/** Any object: what the sender documents is all optional, and unknown keys are normal (billing-events.md, section 5.8). */
export const AnyObject = z.record(z.string(), z.unknown())
