import { z } from 'zod'
import { Benefit, BenefitType } from './benefit.ts'
import { Address, AnyObject, CustomFieldData, Interval, int, Metadata, Seats, Timestamps, text, time } from './shared.ts'

/** The fields of a customer. Events about the customer state contain these fields, too. */
export const customerFields = {
  ...Timestamps,
  id: text,
  organization_id: text,
  metadata: Metadata,
  external_id: text.nullish(),
  email: text.nullish(),
  email_verified: z.boolean(),
  name: text.nullable(),
  billing_address: Address.nullable(),
  tax_id: z.array(z.unknown()).nullable(),
  deleted_at: time.nullable(),
  avatar_url: text.nullish(),
}

/** The buyer (billing-events.md, section 6.1). A customer that is a team may have no email address. */
export const Customer = z.object(customerFields)
export type Customer = z.output<typeof Customer>

/** A benefit grant: a customer has a benefit because of a subscription or an order (billing-events.md, section 6.3). */
export const Grant = z.object({
  ...Timestamps,
  id: text,
  customer_id: text,
  benefit_id: text,
  granted_at: time.nullish(),
  revoked_at: time.nullish(),
  is_granted: z.boolean(),
  is_revoked: z.boolean(),
  subscription_id: text.nullable(),
  order_id: text.nullable(),
  error: z.object({ message: text, type: text, timestamp: text }).nullish(),
  customer: Customer,
  benefit: Benefit,
  properties: AnyObject,
  previous_properties: AnyObject.nullish(),
})
export type Grant = z.output<typeof Grant>

const StateSubscription = z.object({
  ...Timestamps,
  id: text,
  custom_field_data: CustomFieldData.optional(),
  metadata: Metadata,
  status: z.enum(['active', 'trialing']),
  amount: int,
  currency: text,
  recurring_interval: Interval,
  current_period_start: time,
  current_period_end: time.nullable(),
  cancel_at_period_end: z.boolean(),
  canceled_at: time.nullable(),
  started_at: time.nullable(),
  ends_at: time.nullable(),
  product_id: text,
  discount_id: text.nullable(),
  meters: z.array(
    z.object({ ...Timestamps, id: text, consumed_units: z.number(), credited_units: int, amount: int, meter_id: text }),
  ),
  seats: Seats,
})

const StateGrant = z.object({
  ...Timestamps,
  id: text,
  granted_at: time,
  benefit_id: text,
  benefit_type: BenefitType,
  benefit_metadata: Metadata,
  properties: AnyObject,
})

const StateMeter = z.object({
  ...Timestamps,
  id: text,
  meter_id: text,
  consumed_units: z.number(),
  credited_units: int,
  balance: z.number(),
})

/** All running subscriptions, granted benefits and meters of a customer at one moment (billing-events.md, section 6.2). */
export const CustomerState = z.object({
  ...customerFields,
  active_subscriptions: z.array(StateSubscription),
  granted_benefits: z.array(StateGrant),
  active_meters: z.array(StateMeter),
})
export type CustomerState = z.output<typeof CustomerState>
