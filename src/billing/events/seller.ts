import { z } from 'zod'
import { int, Metadata, Timestamps, text, time } from './shared.ts'

/**
 * The seller on the billing platform (billing-events.md, section 6.6). The platform calls it an organization, but it is not an
 * organization of gatehouse.
 */
export const Organization = z.object({
  ...Timestamps,
  id: text,
  name: text,
  slug: text,
  avatar_url: text.nullable(),
  email: text.nullable(),
  website: text.nullable(),
  socials: z.array(
    z.object({
      platform: z.enum(['x', 'github', 'facebook', 'instagram', 'youtube', 'tiktok', 'linkedin', 'other', 'threads', 'discord']),
      url: text,
    }),
  ),
  details_submitted_at: time.nullable(),
  feature_settings: z.object({ issue_funding_enabled: z.boolean().optional() }).nullable(),
  subscription_settings: z.object({
    allow_multiple_subscriptions: z.boolean(),
    allow_customer_updates: z.boolean(),
    proration_behavior: z.enum(['invoice', 'prorate', 'next_period']),
  }),
})
export type Organization = z.output<typeof Organization>

/** A discount (billing-events.md, section 5.3). The fields `type` and `duration` together distinguish the kinds. */
const discountOf = <S extends z.ZodRawShape>(form: S) => {
  const fixed = { ...form, type: z.literal('fixed'), amount: int, currency: text }
  const percentage = { ...form, type: z.literal('percentage'), basis_points: int }
  const unlimited = { duration: z.enum(['once', 'forever']) }
  const repeating = { duration: z.literal('repeating'), duration_in_months: int }
  return z.discriminatedUnion('type', [
    z.discriminatedUnion('duration', [z.object({ ...fixed, ...unlimited }), z.object({ ...fixed, ...repeating })]),
    z.discriminatedUnion('duration', [z.object({ ...percentage, ...unlimited }), z.object({ ...percentage, ...repeating })]),
  ])
}

const shortForm = { id: text, name: text, code: text.nullable() }

/** A discount as it appears in checkouts. */
export const DiscountShort = discountOf(shortForm)
export type DiscountShort = z.output<typeof DiscountShort>

/** A discount as it appears in orders, in subscriptions and in the events `discount.*`. */
export const Discount = discountOf({
  ...shortForm,
  ...Timestamps,
  metadata: Metadata,
  starts_at: time.nullable(),
  ends_at: time.nullable(),
  max_redemptions: int.nullable(),
  redemptions_count: int,
  organization_id: text,
})
export type Discount = z.output<typeof Discount>
