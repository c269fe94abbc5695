import type { Order, Refund } from '../events/order.ts'
import * as catalogue from './catalogue.ts'
import { idOf, later, ownTimestamps, type Scenario } from './scenario.ts'
import { fullDiscount, subscriptionHead } from './subscription.ts'

/** Builds payments and refunds. If the options give a status, it is used without a check, so a wrong status makes a wrong event. */

const orderStatus = (scenario: Scenario): string => {
  if (scenario.status !== undefined) return scenario.status
  if (scenario.type === 'order.refunded') return 'refunded'
  return scenario.type === 'order.created' ? 'pending' : 'paid'
}

const refundedShare: Readonly<Record<string, number>> = { refunded: 1, partially_refunded: 0.5 }

export const buildOrder = (scenario: Scenario): Order => {
  const status = orderStatus(scenario) as Order['status']
  const taxAmount = Math.round(scenario.amount * 0.2)
  const share = refundedShare[status] ?? 0
  return {
    ...ownTimestamps(scenario),
    id: scenario.orderId,
    status,
    paid: ['paid', 'refunded', 'partially_refunded'].includes(status),
    subtotal_amount: scenario.amount,
    discount_amount: 0,
    net_amount: scenario.amount,
    amount: scenario.amount,
    tax_amount: taxAmount,
    total_amount: scenario.amount + taxAmount,
    refunded_amount: Math.round(scenario.amount * share),
    refunded_tax_amount: Math.round(taxAmount * share),
    currency: scenario.currency,
    billing_reason: scenario.recurring ? 'subscription_create' : 'purchase',
    billing_name: scenario.customerName ?? 'Ann Example',
    billing_address: { country: 'FR' },
    is_invoice_generated: false,
    customer_id: scenario.customerId,
    user_id: scenario.customerId,
    product_id: scenario.productId,
    discount_id: scenario.discount === undefined ? null : scenario.discountId,
    subscription_id: scenario.recurring ? scenario.subscriptionId : null,
    checkout_id: scenario.checkoutId,
    metadata: {},
    custom_field_data: {},
    customer: catalogue.buildCustomer(scenario),
    product: { ...catalogue.productHead(scenario), metadata: {} },
    discount: fullDiscount(scenario),
    subscription: scenario.recurring ? subscriptionHead(scenario) : null,
    items: [
      {
        ...ownTimestamps(scenario),
        id: idOf('order item', scenario.orderId),
        label: 'Pro',
        amount: scenario.amount,
        tax_amount: taxAmount,
        proration: false,
        product_price_id: scenario.priceId,
        ...later(scenario, { start_timestamp: null, end_timestamp: null }),
      },
    ],
    ...later(scenario, {
      description: 'Pro',
      invoice_number: null,
      receipt_number: null,
      applied_balance_amount: 0,
      due_amount: scenario.amount + taxAmount,
      refundable_amount: scenario.amount - Math.round(scenario.amount * share),
      refundable_tax_amount: taxAmount - Math.round(taxAmount * share),
      platform_fee_amount: 0,
      platform_fee_currency: null,
      seats: scenario.seats ?? null,
      units: null,
      next_payment_attempt_at: null,
    }),
  }
}

export const buildRefund = (scenario: Scenario): Refund => ({
  ...ownTimestamps(scenario),
  id: scenario.refundId,
  metadata: {},
  status: (scenario.status ?? (scenario.type === 'refund.created' ? 'pending' : 'succeeded')) as Refund['status'],
  reason: 'customer_request',
  amount: scenario.amount,
  tax_amount: Math.round(scenario.amount * 0.2),
  currency: scenario.currency,
  organization_id: scenario.organizationId,
  order_id: scenario.orderId,
  subscription_id: scenario.recurring ? scenario.subscriptionId : null,
  customer_id: scenario.customerId,
  revoke_benefits: true,
  ...later(scenario, { dispute: null }),
})
