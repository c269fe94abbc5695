import { z } from 'zod'
import { Customer } from './customer.ts'
import { productFields } from './product.ts'
import { Discount } from './seller.ts'
import { Address, CustomFieldData, int, Metadata, Timestamps, text } from './shared.ts'
import { subscriptionFields } from './subscription.ts'

/**
 * A one-time purchase, or a payment for a subscription (billing-events.md, section 6.5). Amounts may be negative when they contain
 * prorations.
 */
export const Order = z.object({
  ...Timestamps,
  id: text,
  currency: text,
  customer_id: text,
  user_id: text.nullish(),
  product_id: text.nullish(),
  status: z.enum(['pending', 'paid', 'refunded', 'partially_refunded', 'draft', 'void']),
  billing_reason: z.enum([
    'purchase',
    'subscription_create',
    'subscription_cycle',
    'subscription_update',
    'subscription_meter_cycle',
  ]),
  paid: z.boolean(),
  is_invoice_generated: z.boolean(),
  subtotal_amount: int,
  discount_amount: int,
  net_amount: int,
  amount: int.nullish(),
  tax_amount: int,
  total_amount: int,
  refunded_amount: int,
  refunded_tax_amount: int,
  billing_name: text.nullable(),
  billing_address: Address.nullable(),
  discount_id: text.nullable(),
  subscription_id: text.nullable(),
  checkout_id: text.nullable(),
  metadata: Metadata,
  custom_field_data: CustomFieldData.optional(),
  customer: Customer,
  product: z.object({ ...productFields, metadata: Metadata }).nullish(),
  discount: Discount.nullable(),
  subscription: z.object(subscriptionFields).nullable(),
  items: z.array(
    z.object({
      ...Timestamps,
      id: text,
      label: text,
      amount: int,
      tax_amount: int,
      proration: z.boolean(),
      product_price_id: text.nullable(),
    }),
  ),
})
export type Order = z.output<typeof Order>

/** A refund (billing-events.md, section 6.8). */
export const Refund = z.object({
  ...Timestamps,
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
