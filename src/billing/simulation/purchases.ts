import type { Order } from '../events/order.ts'
import type { Refund } from '../events/refund.ts'
import * as catalogue from './catalogue.ts'
import { fullDiscount, subscriptionHead } from './subscription.ts'
import { idOf, later, ownStamps, type World } from './world.ts'

/** Money that is asked for and given back. A status that was given is used as it is: a wrong one makes a wrong event. */

const orderStatus = (world: World): string => {
  if (world.status !== undefined) return world.status
  if (world.type === 'order.refunded') return 'refunded'
  return world.type === 'order.created' ? 'pending' : 'paid'
}

const refundedShare: Readonly<Record<string, number>> = { refunded: 1, partially_refunded: 0.5 }

export const buildOrder = (world: World): Order => {
  const status = orderStatus(world) as Order['status']
  const taxAmount = Math.round(world.amount * 0.2)
  const share = refundedShare[status] ?? 0
  return {
    ...ownStamps(world),
    id: world.orderId,
    status,
    paid: ['paid', 'refunded', 'partially_refunded'].includes(status),
    subtotal_amount: world.amount,
    discount_amount: 0,
    net_amount: world.amount,
    amount: world.amount,
    tax_amount: taxAmount,
    total_amount: world.amount + taxAmount,
    refunded_amount: Math.round(world.amount * share),
    refunded_tax_amount: Math.round(taxAmount * share),
    currency: world.currency,
    billing_reason: world.recurring ? 'subscription_create' : 'purchase',
    billing_name: world.customerName ?? 'Ann Example',
    billing_address: { country: 'FR' },
    is_invoice_generated: false,
    customer_id: world.customerId,
    user_id: world.customerId,
    product_id: world.productId,
    discount_id: world.discount === undefined ? null : world.discountId,
    subscription_id: world.recurring ? world.subscriptionId : null,
    checkout_id: world.checkoutId,
    metadata: {},
    custom_field_data: {},
    customer: catalogue.buildCustomer(world),
    product: { ...catalogue.productHead(world), metadata: {} },
    discount: fullDiscount(world),
    subscription: world.recurring ? subscriptionHead(world) : null,
    items: [
      {
        ...ownStamps(world),
        id: idOf('order item', world.orderId),
        label: 'Pro',
        amount: world.amount,
        tax_amount: taxAmount,
        proration: false,
        product_price_id: world.priceId,
        ...later(world, { start_timestamp: null, end_timestamp: null }),
      },
    ],
    ...later(world, {
      description: 'Pro',
      invoice_number: null,
      receipt_number: null,
      applied_balance_amount: 0,
      due_amount: world.amount + taxAmount,
      refundable_amount: world.amount - Math.round(world.amount * share),
      refundable_tax_amount: taxAmount - Math.round(taxAmount * share),
      platform_fee_amount: 0,
      platform_fee_currency: null,
      seats: world.seats ?? null,
      units: null,
      next_payment_attempt_at: null,
    }),
  }
}

export const buildRefund = (world: World): Refund => ({
  ...ownStamps(world),
  id: world.refundId,
  metadata: {},
  status: (world.status ?? (world.type === 'refund.created' ? 'pending' : 'succeeded')) as Refund['status'],
  reason: 'customer_request',
  amount: world.amount,
  tax_amount: Math.round(world.amount * 0.2),
  currency: world.currency,
  organization_id: world.organizationId,
  order_id: world.orderId,
  subscription_id: world.recurring ? world.subscriptionId : null,
  customer_id: world.customerId,
  revoke_benefits: true,
  ...later(world, { dispute: null }),
})
