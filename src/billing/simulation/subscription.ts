import type { Subscription } from '../events/subscription.ts'
import * as catalogue from './catalogue.ts'
import * as seller from './seller.ts'
import { carriedStamps, idOf, later, ownStamps, type World, wireTime } from './world.ts'

/** Subscriptions and what orders and states tell of them. A status that was given is used as it is: a wrong one makes a wrong event. */

const days = { day: 1, week: 7, month: 30, year: 365 }

const startOf = (world: World) => world.createdAt ?? world.now

export const afterPeriod = (world: World) => wireTime(new Date(Date.parse(startOf(world)) + days[world.interval] * 86_400_000))

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

export const subscriptionHead = (world: World) => {
  const { status, ...course } = courseOf(world)
  return {
    ...(world.type.startsWith('subscription.') ? ownStamps(world) : carriedStamps(world)),
    id: world.subscriptionId,
    amount: world.amount,
    currency: world.currency,
    recurring_interval: world.interval,
    status: ((world.type.startsWith('subscription.') ? world.status : undefined) ?? status) as Subscription['status'],
    current_period_start: startOf(world),
    current_period_end: afterPeriod(world),
    ...course,
    started_at: startOf(world),
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

export const fullDiscount = (world: World) => (world.discount === undefined ? null : seller.buildDiscount(world))

export const usageOf = ({ units = { consumed: 12.5, credited: 100 } }: World) => ({
  consumed_units: units.consumed,
  credited_units: units.credited,
})

export const isMetered = ({ units, priceKind }: World) => units !== undefined || priceKind === 'metered_unit'

export const subscriptionMeter = (world: World) => ({
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
