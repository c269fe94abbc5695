import { z } from 'zod'
import { Customer } from './customer.ts'
import { Meter, Price, Product } from './product.ts'
import { Discount } from './seller.ts'
import { CustomFieldData, Interval, int, Metadata, Seats, Timestamps, text, time } from './shared.ts'

/** The status of a subscription. `paused` is newer than the billing specification. */
export const SubscriptionStatus = z.enum([
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'canceled',
  'unpaid',
  'paused',
])

/** A subscription without nested objects, as it appears in orders. */
export const subscriptionFields = {
  ...Timestamps,
  id: text,
  currency: text,
  customer_id: text,
  product_id: text,
  amount: int,
  recurring_interval: Interval,
  status: SubscriptionStatus,
  current_period_start: time,
  current_period_end: time.nullable(),
  canceled_at: time.nullable(),
  started_at: time.nullable(),
  ends_at: time.nullable(),
  ended_at: time.nullable(),
  cancel_at_period_end: z.boolean(),
  discount_id: text.nullable(),
  checkout_id: text.nullable(),
  customer_cancellation_reason: z
    .enum([
      'customer_service',
      'low_quality',
      'missing_features',
      'switched_service',
      'too_complex',
      'too_expensive',
      'unused',
      'other',
    ])
    .nullable(),
  customer_cancellation_comment: text.nullable(),
  metadata: Metadata,
  seats: Seats,
}

/** A recurring purchase (billing-events.md, section 6.9). */
export const Subscription = z.object({
  ...subscriptionFields,
  custom_field_data: CustomFieldData.optional(),
  customer: Customer,
  product: Product,
  discount: Discount.nullable(),
  prices: z.array(Price),
  meters: z.array(
    z.object({
      ...Timestamps,
      id: text,
      consumed_units: z.number(),
      credited_units: int,
      amount: int,
      meter_id: text,
      meter: Meter,
    }),
  ),
})
export type Subscription = z.output<typeof Subscription>
