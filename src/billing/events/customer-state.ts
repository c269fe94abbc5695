import { z } from 'zod'
import { BenefitType } from './benefit.ts'
import { customerFields } from './customer.ts'
import { AnyObject, CustomFieldData, Interval, int, Metadata, Seats, Stamps, text, time } from './shared.ts'

const StateSubscription = z.object({
  ...Stamps,
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
    z.object({ ...Stamps, id: text, consumed_units: z.number(), credited_units: int, amount: int, meter_id: text }),
  ),
  seats: Seats,
})

const StateGrant = z.object({
  ...Stamps,
  id: text,
  granted_at: time,
  benefit_id: text,
  benefit_type: BenefitType,
  benefit_metadata: Metadata,
  properties: AnyObject,
})

const StateMeter = z.object({
  ...Stamps,
  id: text,
  meter_id: text,
  consumed_units: z.number(),
  credited_units: int,
  balance: z.number(),
})

/** All that a customer has at one moment (billing-events.md, section 6.2). */
export const CustomerState = z.object({
  ...customerFields,
  active_subscriptions: z.array(StateSubscription),
  granted_benefits: z.array(StateGrant),
  active_meters: z.array(StateMeter),
})
export type CustomerState = z.output<typeof CustomerState>
