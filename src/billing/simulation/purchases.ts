import type { Checkout } from '../events/checkout.ts'
import type { CustomerState } from '../events/customer-state.ts'
import type { Grant } from '../events/grant.ts'
import type { Order } from '../events/order.ts'
import type { Refund } from '../events/refund.ts'
import type { Subscription } from '../events/subscription.ts'
import * as catalogue from './catalogue.ts'
import { carriedStamps, idOf, later, ownStamps, type World, wireTime } from './world.ts'

/** What happens between customer and seller. A status that was given is used as it is: a wrong one makes a wrong event. */

const days = { day: 1, week: 7, month: 30, year: 365 }

const afterPeriod = (world: World) => wireTime(new Date(world.at.getTime() + days[world.interval] * 86_400_000))

/** The state that each event of a subscription speaks of. */
const courseOf = (world: World) => {
  const end = afterPeriod(world)
  const running = { status: 'active', cancel_at_period_end: false, canceled_at: null, ends_at: null, ended_at: null }
  switch (world.type) {
    case 'subscription.canceled':
      return { ...running, cancel_at_period_end: true, canceled_at: world.now, ends_at: end }
    case 'subscription.revoked':
      return { ...running, status: 'canceled', canceled_at: world.now, ends_at: world.now, ended_at: world.now }
    case 'subscription.past_due':
      return { ...running, status: 'past_due' }
    case 'subscription.paused':
      return { ...running, status: 'paused' }
    default:
      return running
  }
}

const subscriptionHead = (world: World) => {
  const { status, ...course } = courseOf(world)
  return {
    ...(world.type.startsWith('subscription.') ? ownStamps(world) : carriedStamps(world)),
    id: world.subscriptionId,
    amount: world.amount,
    currency: world.currency,
    recurring_interval: world.interval,
    status: ((world.type.startsWith('subscription.') ? world.status : undefined) ?? status) as Subscription['status'],
    current_period_start: world.now,
    current_period_end: afterPeriod(world),
    ...course,
    started_at: world.now,
    customer_id: world.customerId,
    product_id: world.productId,
    discount_id: world.discount === undefined ? null : world.discountId,
    checkout_id: world.checkoutId,
    customer_cancellation_reason: null,
    customer_cancellation_comment: null,
    metadata: {},
    ...later(world, {
      seats: world.seats ?? null,
      units: null,
      recurring_interval_count: 1,
      current_meter_period_start: null,
      current_meter_period_end: null,
      trial_start: null,
      trial_end: null,
      past_due_at: null,
      pause_at_period_end: false,
      paused_at: null,
      resumes_at: null,
    }),
  }
}

const fullDiscount = (world: World) => (world.discount === undefined ? null : catalogue.buildDiscount(world))

const usageOf = ({ units = { consumed: 12.5, credited: 100 } }: World) => ({
  consumed_units: units.consumed,
  credited_units: units.credited,
})

const isMetered = ({ units, priceKind }: World) => units !== undefined || priceKind === 'metered_unit'

const subscriptionMeter = (world: World) => ({
  ...carriedStamps(world),
  id: idOf('subscription meter', world.subscriptionId, world.meterId),
  ...usageOf(world),
  amount: 0,
  meter_id: world.meterId,
})

export const buildSubscription = (world: World): Subscription => ({
  ...subscriptionHead(world),
  custom_field_data: {},
  customer: catalogue.buildCustomer(world),
  product: catalogue.buildProduct(world),
  discount: fullDiscount(world),
  prices: [catalogue.buildPrice(world)],
  meters: isMetered(world) ? [{ ...subscriptionMeter(world), meter: catalogue.buildMeter(world) }] : [],
  ...later(world, { pending_update: null }),
})

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

const grantProperties = (world: World): Readonly<Record<string, unknown>> => {
  switch (world.benefitType) {
    case 'discord':
      return { account_id: '3', guild_id: '1', role_id: '2' }
    case 'github_repository':
      return { account_id: '4', repository_owner: 'example', repository_name: 'private', permission: 'pull' }
    case 'downloadables':
      return { files: [idOf('file', world.benefitId)] }
    case 'license_keys':
      return { license_key_id: idOf('license key', world.grantId), display_key: '****-ABCDEF' }
    case 'meter_credit':
      return { last_credited_meter_id: world.meterId, last_credited_units: 1000, last_credited_at: world.now }
    default:
      return {}
  }
}

export const buildGrant = (world: World): Grant => {
  const isRevoked = world.type === 'benefit_grant.revoked'
  return {
    ...ownStamps(world),
    id: world.grantId,
    granted_at: world.now,
    is_granted: !isRevoked,
    revoked_at: isRevoked ? world.now : null,
    is_revoked: isRevoked,
    subscription_id: world.recurring ? world.subscriptionId : null,
    order_id: world.recurring ? null : world.orderId,
    customer_id: world.customerId,
    benefit_id: world.benefitId,
    error: null,
    customer: catalogue.buildCustomer(world),
    benefit: catalogue.buildBenefit(world),
    properties: grantProperties(world),
    previous_properties: null,
    ...later(world, { member: null, member_id: null }),
  }
}

export const buildCheckout = (world: World): Checkout => {
  const { prices, benefits, medias, ...head } = {
    ...catalogue.productHead(world),
    prices: [catalogue.buildPrice(world)],
    benefits: [catalogue.buildPublicBenefit(world)],
    medias: [catalogue.buildMedia(world)],
  }
  const product = { ...head, prices, benefits, medias }
  const byType: Readonly<Record<string, Checkout['status']>> = { 'checkout.created': 'open', 'checkout.expired': 'expired' }
  return {
    ...ownStamps(world),
    id: world.checkoutId,
    client_secret: `simulated_${world.checkoutId}`,
    url: `https://shop.example.com/checkout/${world.checkoutId}`,
    success_url: 'https://shop.example.com/thanks',
    expires_at: afterPeriod(world),
    custom_field_data: {},
    payment_processor: 'stripe',
    status: (world.status ?? byType[world.type] ?? 'succeeded') as Checkout['status'],
    embed_origin: null,
    amount: world.amount,
    discount_amount: 0,
    net_amount: world.amount,
    tax_amount: null,
    total_amount: world.amount,
    currency: world.currency,
    product_id: world.productId,
    product_price_id: world.priceId,
    discount_id: world.discount === undefined ? null : world.discountId,
    allow_discount_codes: true,
    require_billing_address: false,
    is_discount_applicable: true,
    is_free_product_price: false,
    is_payment_required: true,
    is_payment_setup_required: true,
    is_payment_form_required: true,
    is_business_customer: false,
    customer_id: world.type === 'checkout.created' ? null : world.customerId,
    customer_name: world.customerName ?? 'Ann Example',
    customer_email: world.email,
    customer_ip_address: null,
    customer_billing_name: null,
    customer_billing_address: null,
    customer_tax_id: null,
    payment_processor_metadata: {},
    billing_address_fields: {
      country: 'required',
      state: 'disabled',
      city: 'disabled',
      postal_code: 'optional',
      line1: 'disabled',
      line2: 'disabled',
    },
    metadata: {},
    customer_metadata: {},
    external_customer_id: world.externalId ?? null,
    customer_external_id: world.externalId ?? null,
    products: [product],
    product,
    product_price: catalogue.buildPrice(world),
    discount: world.discount === undefined ? null : catalogue.buildDiscountShort(world),
    subscription_id: null,
    attached_custom_fields: [catalogue.buildCustomField(world)],
    ...later(world, {
      organization_id: world.organizationId,
      return_url: null,
      locale: null,
      prices: { [world.productId]: [catalogue.buildPrice(world)] },
      seats: world.seats ?? null,
      units: null,
      min_units: null,
      max_units: null,
      tax_behavior: null,
      payment_method_type: null,
      allow_trial: null,
      active_trial_interval: null,
      active_trial_interval_count: null,
      trial_end: null,
      trial_interval: null,
      trial_interval_count: null,
    }),
  }
}

export const buildCustomerState = (world: World): CustomerState => {
  const status = world.status ?? 'active'
  const holds = status === 'active' || status === 'trialing'
  const {
    status: _,
    customer_id,
    checkout_id,
    ended_at,
    customer_cancellation_reason,
    customer_cancellation_comment,
    ...head
  } = subscriptionHead(world)
  const subscription: CustomerState['active_subscriptions'][number] = {
    ...head,
    status: status as 'active',
    meters: isMetered(world) ? [subscriptionMeter(world)] : [],
  }
  const grant: CustomerState['granted_benefits'][number] = {
    ...carriedStamps(world),
    id: world.grantId,
    granted_at: world.now,
    benefit_id: world.benefitId,
    benefit_type: world.benefitType ?? 'custom',
    benefit_metadata: {},
    properties: grantProperties(world),
  }
  const usage = usageOf(world)
  const meter: CustomerState['active_meters'][number] = {
    ...carriedStamps(world),
    id: idOf('customer meter', world.customerId, world.meterId),
    meter_id: world.meterId,
    ...usage,
    balance: usage.credited_units - usage.consumed_units,
  }
  return {
    ...catalogue.buildCustomer(world),
    active_subscriptions: holds && world.recurring ? [subscription] : [],
    granted_benefits: holds ? [grant] : [],
    active_meters: isMetered(world) ? [meter] : [],
  }
}
