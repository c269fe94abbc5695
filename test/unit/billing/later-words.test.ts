/** Enumeration values that the platform added after the schemas known here. */
import { expect, test } from 'vitest'
import { parseEvent } from '../../../src/billing/events/parse.ts'
import { type EventType, eventTable, eventTypes } from '../../../src/billing/events/table.ts'
import { changed, eventOf, pathsOf } from '../../support/billing.ts'

const later = 'of_a_later_version'
const valueAt = (event: object, path: string) =>
  path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], event)
const isAccepted = (event: object) => parseEvent(event).ok

const whole = (type: EventType, shape: '2025' | '2026') =>
  eventOf(type, {
    subscriptionId: 's',
    shape,
    units: { consumed: 1, credited: 2 },
    discount: { type: 'fixed', duration: 'repeating' },
  })

/** Paths of texts for which the schema has an enumeration. */
const wordsOf = (event: object) =>
  pathsOf(event).filter((path) => {
    const key = path.split('.').at(-1) ?? ''
    return (
      path !== 'type' &&
      typeof valueAt(event, path) === 'string' &&
      /^(status|type|amount_type|duration|recurring_interval|billing_reason|reason|operator|conjunction|func|platform|proration_behavior|permission|timeframe|service|payment_processor|benefit_type|country|state|city|postal_code|line1|line2)$/.test(
        key,
      )
    )
  })

const decides = (type: EventType, path: string) =>
  path === 'data.status' && ['subscription', 'order', 'refund'].includes(eventTable[type])

test('an unknown enumeration value does not reject an event, unless the value decides about entitlements', () => {
  for (const shape of ['2025', '2026'] as const)
    for (const type of eventTypes) {
      const event = whole(type, shape)
      for (const path of wordsOf(event)) {
        if (decides(type, path)) continue
        expect([type, path, isAccepted(changed(event, path, later))]).toEqual([type, path, true])
      }
      const all = wordsOf(event).filter((path) => !decides(type, path))
      // Inner values come first, because an unknown kind of the outer object does not move them.
      expect([type, isAccepted(all.reduce((body, path) => changed(body, path, later), event))]).toEqual([type, true])
    }
})

test('an unknown status that decides about entitlements is refused, except in an event that ends them', () => {
  const ends = new Set(['subscription.revoked', 'order.refunded'])
  for (const type of eventTypes)
    if (
      decides(type, 'data.status') &&
      ![
        'subscription.cycled',
        'subscription.past_due',
        'subscription.paused',
        'subscription.resumed',
        'subscription.migrated',
      ].includes(type)
    )
      expect([type, isAccepted(changed(whole(type, '2025'), 'data.status', later))]).toEqual([type, ends.has(type)])
})

test('the known fields of an entity of an unknown kind are checked, and values of the wrong type are still refused', () => {
  const event = whole('subscription.active', '2025')
  const priced = changed(event, 'data.prices.0.amount_type', later)
  expect(isAccepted(priced)).toBe(true)
  for (const path of ['data.prices.0.id', 'data.prices.0.created_at']) expect(isAccepted(changed(priced, path, 5))).toBe(false)
  const granted = changed(whole('benefit_grant.created', '2025'), 'data.benefit.type', later)
  expect(isAccepted(granted)).toBe(true)
  expect(isAccepted(changed(granted, 'data.benefit.id', null))).toBe(false)
  for (const value of [5, null, true, {}, []]) expect(isAccepted(changed(event, 'data.prices.0.amount_type', value))).toBe(false)
  expect(isAccepted(changed(changed(event, 'data.product.prices.0.amount_type', later), 'data.customer_id', 7))).toBe(false)
})

test('an event with unknown values is stored as it arrived', () => {
  const body = changed(whole('refund.updated', '2025'), 'data.reason', later)
  const result = parseEvent(body)
  expect(result.ok && (result.event.data as { reason?: unknown }).reason).toBe(later)
})
