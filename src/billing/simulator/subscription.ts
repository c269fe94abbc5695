import { dayMs } from '../../core/time.ts'
import type { Subscription } from '../events/subscription.ts'
import * as catalogue from './catalogue.ts'
import { carriedTimestamps, idOf, later, ownTimestamps, type Scenario, wireTime } from './scenario.ts'
import * as seller from './seller.ts'

/**
 * Builds subscriptions, including those inside of orders and customer states. If the options give a status, it is used without a check,
 * so a wrong status makes a wrong event.
 */

const days = { day: 1, week: 7, month: 30, year: 365 }

const startOf = (scenario: Scenario) => scenario.createdAt ?? scenario.now

export const afterPeriod = (scenario: Scenario) =>
  wireTime(new Date(Date.parse(startOf(scenario)) + days[scenario.interval] * dayMs))

/** The fields of a subscription that depend on the type of the event. */
const courseOf = (scenario: Scenario) => {
  const end = afterPeriod(scenario)
  const running = { status: 'active', cancel_at_period_end: false, canceled_at: null, ends_at: null, ended_at: null }
  switch (scenario.type) {
    case 'subscription.canceled':
      return { ...running, cancel_at_period_end: true, canceled_at: scenario.now, ends_at: end }
    case 'subscription.revoked':
      return { ...running, status: 'canceled', canceled_at: scenario.now, ends_at: scenario.now, ended_at: scenario.now }
    case 'subscription.past_due':
      return { ...running, status: 'past_due' }
    case 'subscription.paused':
      return { ...running, status: 'paused' }
    default:
      return running
  }
}

export const subscriptionHead = (scenario: Scenario) => {
  const { status, ...course } = courseOf(scenario)
  return {
    ...(scenario.type.startsWith('subscription.') ? ownTimestamps(scenario) : carriedTimestamps(scenario)),
    id: scenario.subscriptionId,
    amount: scenario.amount,
    currency: scenario.currency,
    recurring_interval: scenario.interval,
    status: ((scenario.type.startsWith('subscription.') ? scenario.status : undefined) ?? status) as Subscription['status'],
    current_period_start: startOf(scenario),
    current_period_end: afterPeriod(scenario),
    ...course,
    started_at: startOf(scenario),
    customer_id: scenario.customerId,
    product_id: scenario.productId,
    discount_id: scenario.discount === undefined ? null : scenario.discountId,
    checkout_id: scenario.checkoutId,
    customer_cancellation_reason: null,
    customer_cancellation_comment: null,
    metadata: {},
    ...later(scenario, {
      seats: scenario.seats ?? null,
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

export const fullDiscount = (scenario: Scenario) => (scenario.discount === undefined ? null : seller.buildDiscount(scenario))

export const usageOf = ({ units = { consumed: 12.5, credited: 100 } }: Scenario) => ({
  consumed_units: units.consumed,
  credited_units: units.credited,
})

export const isMetered = ({ units, priceKind }: Scenario) => units !== undefined || priceKind === 'metered_unit'

export const subscriptionMeter = (scenario: Scenario) => ({
  ...carriedTimestamps(scenario),
  id: idOf('subscription meter', scenario.subscriptionId, scenario.meterId),
  ...usageOf(scenario),
  amount: 0,
  meter_id: scenario.meterId,
})

export const buildSubscription = (scenario: Scenario): Subscription => ({
  ...subscriptionHead(scenario),
  custom_field_data: {},
  customer: catalogue.buildCustomer(scenario),
  product: catalogue.buildProduct(scenario),
  discount: fullDiscount(scenario),
  prices: [catalogue.buildPrice(scenario)],
  meters: isMetered(scenario) ? [{ ...subscriptionMeter(scenario), meter: catalogue.buildMeter(scenario) }] : [],
  ...later(scenario, { pending_update: null }),
})
