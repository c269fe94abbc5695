import { z } from 'zod'
import { Benefit } from './benefit.ts'
import { Customer } from './customer.ts'
import { AnyObject, Stamps, text, time } from './shared.ts'

/** One benefit as one customer has it, through a subscription or an order (billing-events.md, section 6.3). */
export const Grant = z.object({
  ...Stamps,
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
