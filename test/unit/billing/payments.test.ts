import { expect, test } from 'vitest'
import { paymentOf } from '../../../src/billing/state/payments.ts'
import type { SubscriptionSnapshot } from '../../../src/billing/state/snapshot.ts'

const subscription = (changes: Partial<SubscriptionSnapshot> = {}): SubscriptionSnapshot => ({
  ...{ id: 's', productId: 'p', priceIds: [], status: 'active', currency: 'eur', amount: 1_000, interval: 'month' },
  ...{ currentPeriodStart: '', currentPeriodEnd: null, cancelAtPeriodEnd: false, canceledAt: null, startedAt: null },
  ...{ endsAt: null, endedAt: null, statusSince: '', seats: null, deliveryId: 'd', ...changes },
})
const of = (...changes: readonly Partial<SubscriptionSnapshot>[]) => paymentOf({ subscriptions: changes.map(subscription) })

test('a customer without a subscription has no status, and a customer whose subscriptions have all ended has the status ended', () => {
  expect(of()).toEqual({ status: null, currency: null, yearly: null })
  expect(of({ status: 'canceled' }, { endedAt: '2026-01-01T00:00:00Z' })).toEqual({
    status: 'ended',
    currency: null,
    yearly: null,
  })
})

test('the status that needs attention is shown for a customer, and only active subscriptions are summed', () => {
  expect(of({}, { status: 'past_due', amount: 5_000 })).toEqual({ status: 'past_due', currency: 'eur', yearly: 12_000 })
  expect(of({ status: 'trialing' })).toEqual({ status: 'trialing', currency: null, yearly: null })
})

test('amounts of other intervals are converted to a year', () => {
  expect(of({}, { interval: 'year', amount: 24_000 }, { interval: 'week', amount: 10 }, { interval: 'day', amount: 1 })).toEqual({
    ...{ status: 'active', currency: 'eur', yearly: 12_000 + 24_000 + 520 + 365 },
  })
})

test('amounts in several currencies are not summed, and a free price has no amount', () => {
  expect(of({}, { currency: 'usd' })).toEqual({ status: 'active', currency: null, yearly: null })
  expect(of({ amount: 0 })).toEqual({ status: 'active', currency: null, yearly: null })
})
