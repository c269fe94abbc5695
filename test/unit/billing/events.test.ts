import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseEvent } from '../../../src/billing/events/parse.ts'
import {
  type Entity,
  type EventType,
  eventsOf2025,
  eventTable,
  eventTypes,
  laterEvents,
} from '../../../src/billing/events/table.ts'
import type { PriceKind, SimulationOptions } from '../../../src/billing/simulator/scenario.ts'
import { changed, eventOf, pathsOf } from '../../support/billing.ts'

const at = new Date('2026-03-01T12:00:00.123Z')
const oldTypes = Object.keys(eventsOf2025) as EventType[]

const isAccepted = (body: unknown) => parseEvent(body).ok

/** Events with every optional member. */
const rich: Partial<SimulationOptions> = {
  at,
  externalId: 'user-1',
  discount: { type: 'fixed', duration: 'repeating' },
  units: { consumed: 1.5, credited: 10 },
  benefitType: 'license_keys',
}

test('the event table has the 27 types of July 2025 and 15 later types', () => {
  expect(oldTypes).toHaveLength(27)
  expect(Object.keys(laterEvents)).toHaveLength(15)
  expect(eventTypes).toHaveLength(42)
})

describe.each(['2025', '2026'] as const)('in the shape of %s', (shape) => {
  test.each(eventTypes)('%s is parsed as its entity, with its data unchanged', (type) => {
    const event = eventOf(type, { ...rich, shape })
    expect(parseEvent(event)).toEqual({
      ok: true,
      event: {
        type,
        entity: eventTable[type],
        data: event.data,
        timestamp: shape === '2025' ? null : '2026-03-01T12:00:00.123000Z',
      },
    })
  })
})

test.each([
  [-1, 'int of at least 0'],
  [2.5, 'int'],
  ['8', 'number'],
  [2 ** 53, 'int of at most 53 bits'],
])('a subscription of %s seats is refused, in its own event and in a snapshot', (seats, expected) => {
  for (const [type, path] of [
    ['subscription.active', 'data.seats'],
    ['customer.state_changed', 'data.active_subscriptions.0.seats'],
  ] as const) {
    const parsed = parseEvent(changed(eventOf(type, rich), path, seats))
    expect(parsed).toMatchObject({ ok: false, issues: [{ path, expected }] })
    for (const fine of [0, 8, null, undefined]) expect(isAccepted(changed(eventOf(type, rich), path, fine))).toBe(true)
  }
})

/** Members documented with a `?`, optional since 2025 (billing events, section 8.3), or keys of a free map. */
const mayBeAbsent = [
  /^timestamp$/,
  /custom_field_data$/,
  /(metadata|archived|custom_field_data)\.[^.]+$/,
  /tax_id\.\d+$/,
  /(address)\.(line1|line2|postal_code|city|state)$/,
  /custom_field\.properties\.(form_label|max_length)$/,
  /(prices\.\d+|product_price)\.(type|recurring_interval)$/,
  /issue_funding_enabled$/,
]
const mayBeAbsentIn: Partial<Record<Entity, RegExp>> = {
  customer: /^data\.(email|external_id|avatar_url)$/,
  customer_state: /^data\.((email|external_id|avatar_url)$|granted_benefits\.\d+\.properties\.)/,
  benefit_grant:
    /^data\.((error|granted_at|revoked_at|previous_properties)$|properties\.|customer\.(email|external_id|avatar_url)$)/,
  checkout: /^data\.(product|product_id|product_price|product_price_id|attached_custom_fields|customer_external_id)$/,
  order: /^data\.((product|product_id|amount|user_id)$|customer\.(email|external_id|avatar_url)$)/,
  subscription: /^data\.customer\.(email|external_id|avatar_url)$/,
}
const isOptional = (type: EventType, path: string) =>
  [...mayBeAbsent, mayBeAbsentIn[eventTable[type]]].some((pattern) => pattern?.test(path) === true)

/** A list without one of its elements is still a list. */
const isElement = (path: string) => /\.\d+$/.test(path)

describe.each(oldTypes)('%s', (type) => {
  const event = eventOf(type, { ...rich, shape: '2025' })

  test('an event is rejected without any of its required fields, the issue names the field, and other fields may be missing', () => {
    const wrong = pathsOf(event).flatMap((path) => {
      if (path === 'type' || isElement(path)) return []
      const parsed = parseEvent(changed(event, path, undefined))
      if (isOptional(type, path)) return parsed.ok ? [] : [`${path} should be optional`]
      if (parsed.ok) return [`${path} should be required`]
      return parsed.message === 'Failed to parse event' && parsed.issues.some((issue) => issue.path.startsWith(path))
        ? []
        : [path]
    })
    expect(wrong).toEqual([])
  })

  test('an event is rejected with a value of another type in any field', () => {
    const free = /(tax_id|\.properties|previous_properties)(\.[^.]+)*$/
    const wrong = pathsOf(event).filter((path) => {
      if (path === 'type' || free.test(path) || /metadata\./.test(path)) return false
      return isAccepted(changed(event, path, [{ nothing: 'like it' }])) && !/(metadata|custom_field_data|archived)$/.test(path)
    })
    expect(wrong).toEqual([])
  })

  test('an event is accepted with unknown keys in every object', () => {
    const maps = /(metadata|custom_field_data|archived|customer_metadata|payment_processor_metadata)$/
    const objects = ['data', ...pathsOf(event)].filter((path) => {
      const value = path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], event)
      return typeof value === 'object' && value !== null && !Array.isArray(value) && !maps.test(path)
    })
    const full = objects.reduce(
      (body, path) => changed(body, `${path}.unknown_key`, { any: [null] }),
      changed(event, 'unknown_key', 1),
    )
    expect(parseEvent(full)).toMatchObject({ ok: true, event: { data: full.data } })
  })
})

describe('events of later versions', () => {
  test.each(Object.keys(laterEvents) as EventType[])(
    'an event of the later type %s needs only an id that is a string',
    (type) => {
      expect(parseEvent({ type, data: { id: 'x' } })).toMatchObject({ ok: true, event: { type, entity: 'other' } })
      expect(parseEvent({ type, data: {} })).toMatchObject({ ok: false, message: 'Failed to parse event' })
      expect(parseEvent({ type, data: { id: 5 } })).toMatchObject({ ok: false, message: 'Failed to parse event' })
    },
  )

  test('unknown members of the event envelope are ignored', () => {
    const event = { ...eventOf('subscription.migrated', { at }), provider: 'stripe', provider_subscription_id: 'sub_1' }
    expect(parseEvent(event)).toMatchObject({ ok: true, event: { entity: 'subscription' } })
  })
})

test('the issues of an invalid body are limited in length, however long or deep its keys are', () => {
  const deep = JSON.parse(`${'{"x":'.repeat(2_000)}1${'}'.repeat(2_000)}`)
  for (const more of [{ ['k'.repeat(100_000)]: '\u0000' }, { [`${'k'.repeat(100_000)}\u0000`]: 1 }, deep]) {
    const result = parseEvent({ ...eventOf('order.paid', { at }), ...more })
    expect(result.ok).toBe(false)
    expect(JSON.stringify(result).length).toBeLessThan(2_000)
  }
})

describe('simulated events', () => {
  const priceKinds: readonly PriceKind[] = [
    'fixed',
    'custom',
    'free',
    'metered_unit',
    'seat_based',
    'unit_based',
    'metered_tiers',
  ]
  const options = fc.record<Partial<SimulationOptions>>(
    {
      at: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
      email: fc.emailAddress(),
      externalId: fc.string({ unit: 'grapheme' }),
      customerName: fc.string({ unit: 'grapheme' }),
      productId: fc.uuid(),
      subscriptionId: fc.uuid(),
      orderId: fc.uuid(),
      seats: fc.nat(),
      amount: fc.maxSafeNat().map((amount) => Math.floor(amount / 4)),
      interval: fc.constantFrom('day', 'week', 'month', 'year'),
      priceKind: fc.constantFrom(...priceKinds, 'legacy_fixed', 'legacy_custom', 'legacy_free'),
      benefitType: fc.constantFrom(
        'custom',
        'discord',
        'github_repository',
        'downloadables',
        'license_keys',
        'meter_credit',
        'feature_flag',
      ),
      discount: fc.record({
        type: fc.constantFrom('fixed', 'percentage'),
        duration: fc.constantFrom('once', 'forever', 'repeating'),
      }),
      units: fc.record({ consumed: fc.double({ noNaN: true, noDefaultInfinity: true }), credited: fc.nat() }),
      shape: fc.constantFrom('2025', '2026'),
    },
    { requiredKeys: ['at'] },
  )
  test('a simulated event is accepted as its entity, and is the same for the same options', () => {
    fc.assert(
      fc.property(fc.constantFrom(...eventTypes), options, (type, given) => {
        const event = eventOf(type, given)
        expect(parseEvent(event)).toMatchObject({ ok: true, event: { entity: eventTable[type] } })
        expect(eventOf(type, given)).toEqual(event)
      }),
    )
  })

  test('a simulated event is rejected when a required field is missing or of another type', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...oldTypes),
        options,
        fc.nat(),
        fc.constantFrom(undefined, [{ nothing: 'like it' }]),
        (type, given, seed, value) => {
          const event = eventOf(type, { ...given, priceKind: 'fixed', benefitType: 'custom', shape: '2025' })
          const maps = /(metadata|custom_field_data|properties|tax_id)$/
          const required = pathsOf(event).filter(
            (path) => path !== 'type' && !isElement(path) && !isOptional(type, path) && !maps.test(path),
          )
          const path = required[seed % required.length] ?? ''
          expect(isAccepted(changed(event, path, value)), path).toBe(false)
        },
      ),
    )
  })
})
