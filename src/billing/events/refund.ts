import { z } from 'zod'
import { int, Metadata, Stamps, text } from './shared.ts'

/** Money given back (billing-events.md, section 6.8). */
export const Refund = z.object({
  ...Stamps,
  id: text,
  metadata: Metadata,
  status: z.enum(['pending', 'succeeded', 'failed', 'canceled']),
  reason: z.enum([
    'duplicate',
    'fraudulent',
    'customer_request',
    'service_disruption',
    'satisfaction_guarantee',
    'other',
    'dispute_prevention',
  ]),
  amount: int,
  tax_amount: int,
  currency: text,
  organization_id: text,
  order_id: text,
  subscription_id: text.nullable(),
  customer_id: text,
  revoke_benefits: z.boolean(),
})
export type Refund = z.output<typeof Refund>
