import { describe, expect, test } from 'vitest'
import type { EventType } from '../../../src/billing/events/parse.ts'
import { parseEvent } from '../../../src/billing/events/parse.ts'
import { changed, eventOf } from '../../support/billing.ts'

const at = new Date('2026-03-01T12:00:00Z')
const bodies = {
  customer: eventOf('customer.updated', { at }),
  state: eventOf('customer.state_changed', { at, units: { consumed: 0, credited: 0 } }),
  benefit: eventOf('benefit.updated', { at }),
  grant: eventOf('benefit_grant.updated', { at }),
  checkout: eventOf('checkout.updated', { at }),
  order: eventOf('order.paid', { at }),
  organization: eventOf('organization.updated', { at }),
  product: eventOf('product.updated', { at }),
  refund: eventOf('refund.updated', { at }),
  subscription: eventOf('subscription.active', { at, units: { consumed: 0, credited: 0 } }),
}
const stamps = { created_at: '2026-01-01T00:00:00Z', modified_at: null }

type Body = keyof typeof bodies
/** The issues of an event with this value in this place, or an empty list when the event is accepted. */
const issuesWith = (body: Body, path: string, value: unknown) => {
  const parsed = parseEvent(changed(bodies[body], `data.${path}`, value))
  return parsed.ok ? [] : parsed.issues
}

/** Values that no known enumeration contains. */
const laterWord = /"(per_smile|sometimes|decade|twice|gift|smile|own|week|colour|xor|is|median)"/
/** True for a value that only contains an unknown enumeration value without influence on rights (`later-words.test.ts`). */
const isLaterWord = (body: Body, path: string, title: string, value: unknown) =>
  title === 'enumeration'
    ? typeof value === 'string' && !(path === 'status' && body !== 'checkout')
    : typeof value === 'object' && laterWord.test(JSON.stringify(value))

/** Tests of one union, with all values that belong to it and values that do not. */
const branches = (
  title: string,
  places: readonly (readonly [Body, string])[],
  good: readonly unknown[],
  bad: readonly unknown[],
) =>
  describe(title, () => {
    for (const [body, path] of places) {
      const [words = [], wrong = []] = [true, false].map((is) =>
        bad.filter((value) => isLaterWord(body, path, title, value) === is),
      )
      const accepted = [...good, ...words].map((value) => [JSON.stringify(value), value] as const)
      test.each(accepted)(`the value %s at ${path} of the event ${body} is accepted`, (_, value) => {
        expect(issuesWith(body, path, value)).toEqual([])
      })
      test.each(wrong.map((value) => [JSON.stringify(value), value] as const))(
        `the value %s at ${path} of the event ${body} is refused`,
        (_, value) => {
          const issues = issuesWith(body, path, value)
          expect(issues.length).toBeGreaterThan(0)
          for (const issue of issues) expect(issue.path).toMatch(new RegExp(`^data\\.${path.replaceAll('.', '\\.')}`))
        },
      )
    }
  })

const price = { ...stamps, id: 'p', is_archived: false, product_id: 'x', type: 'one_time', recurring_interval: null }
const legacy = { ...price, type: 'recurring', recurring_interval: 'month', legacy: true }
const fixed = { amount_type: 'fixed', price_amount: 1, price_currency: 'usd' }
const custom = { amount_type: 'custom', price_currency: 'usd', minimum_amount: null, maximum_amount: null, preset_amount: null }
const metered = {
  amount_type: 'metered_unit',
  price_currency: 'usd',
  unit_amount: '0.05',
  cap_amount: null,
  meter_id: 'm',
  meter: { id: 'm', name: 'Calls' },
}
const { type: _type, recurring_interval: _interval, ...bare } = price

branches(
  'prices',
  [
    ['product', 'prices.0'],
    ['subscription', 'prices.0'],
    ['subscription', 'product.prices.0'],
    ['checkout', 'product_price'],
    ['checkout', 'products.0.prices.0'],
  ],
  [
    { ...price, ...fixed },
    { ...price, ...fixed, price_amount: 9_007_199_254_740_991 },
    { ...price, ...custom },
    { ...price, ...custom, minimum_amount: 1, maximum_amount: 2, preset_amount: 1 },
    { ...price, amount_type: 'free' },
    { ...price, ...metered },
    { ...price, ...metered, cap_amount: 100, type: 'recurring', recurring_interval: 'year' },
    { ...legacy, ...fixed },
    { ...legacy, ...custom },
    { ...legacy, amount_type: 'free' },
    { ...price, ...fixed, legacy: false },
    { ...price, amount_type: 'seat_based' },
    { ...price, amount_type: 'unit_based', recurring_interval: 'week' },
    { ...price, amount_type: 'metered_tiers', recurring_interval: 'day' },
    { ...bare, ...fixed },
    { ...bare, ...fixed, type: null, recurring_interval: null },
  ],
  [
    { ...price, amount_type: 'per_smile' },
    { ...price, ...fixed, amount_type: undefined },
    { ...price, ...fixed, price_amount: '1' },
    { ...price, ...fixed, price_amount: 1.5 },
    { ...price, ...fixed, price_amount: 1e16 },
    { ...price, ...fixed, type: 'sometimes' },
    { ...price, ...fixed, recurring_interval: 'decade' },
    { ...price, ...custom, preset_amount: undefined },
    { ...price, ...metered, unit_amount: 0.05 },
    { ...price, ...metered, meter: null },
    { ...price, ...metered, meter: { id: 'm' } },
    { ...price, amount_type: 'seat_based', product_id: undefined },
    { ...legacy, ...fixed, type: 'one_time' },
    { ...legacy, ...fixed, recurring_interval: null },
    { ...bare, ...fixed, legacy: true },
    [],
    'free',
  ],
)

const short = { id: 'd', name: 'Launch', code: null }
const full = {
  ...short,
  ...stamps,
  metadata: {},
  starts_at: null,
  ends_at: '2026-12-31T00:00:00Z',
  max_redemptions: 5,
  redemptions_count: 0,
  organization_id: 'o',
}
const kinds = [
  { type: 'fixed', amount: 500, currency: 'usd' },
  { type: 'percentage', basis_points: 2500 },
]
const lengths = [{ duration: 'once' }, { duration: 'forever' }, { duration: 'repeating', duration_in_months: 3 }]
const terms = kinds.flatMap((kind) => lengths.map((length) => ({ ...kind, ...length })))
const wrongTerms = [
  { ...kinds[0], duration: 'repeating' },
  { ...kinds[1], duration: 'repeating', duration_in_months: '3' },
  { ...kinds[1], duration: 'twice' },
  { type: 'gift', duration: 'once' },
  { type: 'fixed', basis_points: 1, duration: 'once' },
  { type: 'percentage', amount: 1, currency: 'usd', duration: 'forever' },
]
branches(
  'discounts, short form',
  [['checkout', 'discount']],
  [null, ...terms.map((term) => ({ ...short, ...term }))],
  wrongTerms.map((term) => ({ ...short, ...term })),
)
branches(
  'discounts, full form',
  [
    ['order', 'discount'],
    ['subscription', 'discount'],
  ],
  [null, ...terms.map((term) => ({ ...full, ...term }))],
  [...wrongTerms.map((term) => ({ ...full, ...term })), { ...short, ...terms[0] }],
)

const benefit = { ...stamps, id: 'b', description: 'd', selectable: true, deletable: true, organization_id: 'o', metadata: {} }
branches(
  'benefits',
  [
    ['product', 'benefits.0'],
    ['grant', 'benefit'],
    ['subscription', 'product.benefits.0'],
  ],
  [
    { ...benefit, type: 'custom', properties: { note: null } },
    { ...benefit, type: 'custom', properties: { note: 'Hello' } },
    { ...benefit, type: 'discord', properties: { guild_id: '1', role_id: '2', guild_token: 't' } },
    { ...benefit, type: 'discord', properties: { guild_id: '1', role_id: '2', kick_member: true } },
    ...['pull', 'triage', 'push', 'maintain', 'admin'].map((permission) => ({
      ...benefit,
      type: 'github_repository',
      properties: { repository_owner: 'o', repository_name: 'r', permission },
    })),
    { ...benefit, type: 'downloadables', properties: { archived: { a: true }, files: ['a'] } },
    { ...benefit, type: 'downloadables', properties: { archived: {}, files: [] } },
    { ...benefit, type: 'license_keys', properties: { prefix: null, expires: null, activations: null, limit_usage: null } },
    ...['year', 'month', 'day'].map((timeframe) => ({
      ...benefit,
      type: 'license_keys',
      properties: {
        prefix: 'A',
        expires: { ttl: 1, timeframe },
        activations: { limit: 1, enable_customer_admin: false },
        limit_usage: 2,
      },
    })),
    { ...benefit, type: 'meter_credit', properties: { units: 1, rollover: true, meter_id: 'm' } },
    { ...benefit, type: 'feature_flag' },
    { ...benefit, type: 'feature_flag', properties: {} },
    { ...benefit, type: 'slack_shared_channel', properties: { channel: 'c' } },
  ],
  [
    { ...benefit, type: 'smile', properties: {} },
    { ...benefit, type: 'custom', properties: {} },
    { ...benefit, type: 'custom' },
    { ...benefit, type: 'discord', properties: { guild_id: '1' } },
    { ...benefit, type: 'github_repository', properties: { repository_owner: 'o', repository_name: 'r', permission: 'own' } },
    { ...benefit, type: 'downloadables', properties: { archived: { a: 'yes' }, files: [] } },
    { ...benefit, type: 'license_keys', properties: { prefix: null, expires: null, activations: null } },
    {
      ...benefit,
      type: 'license_keys',
      properties: { prefix: null, expires: { ttl: 1, timeframe: 'week' }, activations: null, limit_usage: null },
    },
    { ...benefit, type: 'meter_credit', properties: { units: 1.5, rollover: true, meter_id: 'm' } },
    { ...benefit, type: 'feature_flag', selectable: 'yes' },
  ],
)

const field = { ...stamps, id: 'f', metadata: {}, slug: 's', name: 'n', organization_id: 'o' }
const labels = { form_label: 'l', form_help_text: 'h', form_placeholder: 'p' }
branches(
  'custom fields',
  [
    ['product', 'attached_custom_fields.0.custom_field'],
    ['checkout', 'attached_custom_fields.0.custom_field'],
  ],
  [
    ...['checkbox', 'date', 'number', 'text'].flatMap((type) => [
      { ...field, type, properties: {} },
      { ...field, type, properties: labels },
    ]),
    { ...field, type: 'date', properties: { ge: 0, le: 1_800_000_000 } },
    { ...field, type: 'number', properties: { ge: -5 } },
    { ...field, type: 'select', properties: { ...labels, options: [{ value: 'v', label: 'l' }] } },
    { ...field, type: 'select', properties: { options: [] } },
    { ...field, type: 'text', properties: { textarea: true, min_length: 1, max_length: 10 } },
  ],
  [
    { ...field, type: 'colour', properties: {} },
    { ...field, type: 'select', properties: {} },
    { ...field, type: 'select', properties: { options: ['v'] } },
    { ...field, type: 'number', properties: { ge: '1' } },
    { ...field, type: 'date', properties: { ge: '2026-01-01' } },
    { ...field, type: 'text', properties: { max_length: 1.5 } },
    { ...field, type: 'text', properties: { form_label: null } },
    { ...field, type: 'checkbox' },
  ],
)

const clause = (operator: string, value: unknown = 1) => ({ property: 'p', operator, value })
const nested = (depth: number): object => ({
  conjunction: 'or',
  clauses: depth === 0 ? [clause('eq')] : [clause('ne'), nested(depth - 1)],
})
branches(
  'meter filters',
  [['subscription', 'meters.0.meter.filter']],
  [
    { conjunction: 'and', clauses: [] },
    ...['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'like', 'not_like'].map((operator) => ({
      conjunction: 'and',
      clauses: [clause(operator)],
    })),
    { conjunction: 'or', clauses: [clause('eq', 'text'), clause('eq', true), clause('eq', -1)] },
    nested(1),
    nested(50),
  ],
  [
    { conjunction: 'xor', clauses: [] },
    { conjunction: 'and' },
    { conjunction: 'and', clauses: [clause('is')] },
    { conjunction: 'and', clauses: [clause('eq', 1.5)] },
    { conjunction: 'and', clauses: [clause('eq', null)] },
    { conjunction: 'and', clauses: [{ conjunction: 'and', clauses: [clause('eq', [])] }] },
    { conjunction: 'and', clauses: ['p = 1'] },
  ],
)
branches(
  'aggregations',
  [['subscription', 'meters.0.meter.aggregation']],
  [{ func: 'count' }, ...['sum', 'max', 'min', 'avg', 'unique'].map((func) => ({ func, property: 'p' }))],
  [{ func: 'median', property: 'p' }, { func: 'sum' }, { property: 'p' }, 'count'],
)

const enumerations: readonly (readonly [body: Body, path: string, values: string])[] = [
  ['checkout', 'status', 'open expired confirmed succeeded failed'],
  ['checkout', 'payment_processor', 'stripe'],
  ['checkout', 'billing_address_fields.city', 'required optional disabled'],
  ['order', 'status', 'pending paid refunded partially_refunded draft void'],
  ['order', 'billing_reason', 'purchase subscription_create subscription_cycle subscription_update subscription_meter_cycle'],
  ['subscription', 'status', 'incomplete incomplete_expired trialing active past_due canceled unpaid paused'],
  ['subscription', 'recurring_interval', 'month year day week'],
  ['state', 'active_subscriptions.0.status', 'active trialing'],
  [
    'subscription',
    'customer_cancellation_reason',
    'customer_service low_quality missing_features switched_service too_complex too_expensive unused other',
  ],
  ['refund', 'status', 'pending succeeded failed canceled'],
  [
    'refund',
    'reason',
    'duplicate fraudulent customer_request service_disruption satisfaction_guarantee other dispute_prevention',
  ],
  ['organization', 'subscription_settings.proration_behavior', 'invoice prorate next_period'],
  ['organization', 'socials.0.platform', 'x github facebook instagram youtube tiktok linkedin other threads discord'],
  [
    'state',
    'granted_benefits.0.benefit_type',
    'custom discord github_repository downloadables license_keys meter_credit feature_flag slack_shared_channel',
  ],
  ['product', 'medias.0.service', 'product_media'],
]
for (const [body, path, values] of enumerations) {
  branches(`enumeration`, [[body, path]], values.split(' '), [values.split(' ')[0]?.toUpperCase(), '', 'unheard_of', 5, true])
}

const offset = '2025-07-01T10:00:00'
branches(
  'times',
  [
    ['order', 'created_at'],
    ['order', 'modified_at'],
    ['subscription', 'current_period_end'],
    ['state', 'active_subscriptions.0.current_period_start'],
  ],
  [
    `${offset}Z`,
    `${offset}.1Z`,
    `${offset}.123456Z`,
    `${offset}.123456789012Z`,
    `${offset}+02:00`,
    `${offset}.5-11:30`,
    '2024-02-29T00:00:00Z',
  ],
  ['2025-07-01', '2025-07-01 10:00:00Z', offset, '2025-02-29T00:00:00Z', '2025-13-01T00:00:00Z', '2025-07-32T00:00:00Z']
    .concat([`2025-07-01T24:00:00Z`, `${offset}+0200`, `${offset}z`, `${offset}.Z`, ' ', `${offset}Z\n`])
    .concat([1_751_364_000, true] as never[]),
)

branches(
  'metadata',
  [['order', 'metadata']],
  [{}, { a: 'x', b: 1, c: 1.5, d: true, '': '' }],
  [{ a: null }, { a: [] }, { a: {} }, [], null],
)
branches(
  'custom field data',
  [['order', 'custom_field_data']],
  [undefined, {}, { a: 'x', b: 1, c: true, d: null, e: '2026-01-01T00:00:00Z' }],
  [{ a: 1.5 }, { a: [] }, { a: {} }, null, []],
)
branches('grant properties', [['grant', 'properties']], [{}, { account_id: null }, { anything: [1] }], [null, [], 'x', undefined])
branches('previous grant properties', [['grant', 'previous_properties']], [undefined, null, {}, { files: 5 }], [[], 'x'])
branches('tax id', [['customer', 'tax_id']], [null, [], ['1', null], ['1', 'eu_vat'], [{ a: 1 }]], ['1', {}, undefined])
branches(
  'address',
  [['customer', 'billing_address']],
  [null, { country: 'FR' }, { country: 'FR', city: null }],
  [{}, { country: null }, 'FR'],
)

describe('fields that became optional', () => {
  const looser: readonly (readonly [Body, string])[] = [
    ...(['customer', 'state'] as const).flatMap((body) =>
      ['email', 'external_id', 'avatar_url'].map((name) => [body, name] as const),
    ),
    ...(['grant', 'order', 'subscription'] as const).flatMap((body) =>
      ['email', 'external_id', 'avatar_url'].map((name) => [body, `customer.${name}`] as const),
    ),
    ...['product', 'product_id', 'product_price', 'product_price_id', 'attached_custom_fields', 'customer_external_id'].map(
      (name) => ['checkout', name] as const,
    ),
    ...['product', 'product_id', 'amount', 'user_id'].map((name) => ['order', name] as const),
  ]
  test.each(looser)('the field %s %s may be null or absent, and has no other type', (body, path) => {
    expect(issuesWith(body, path, null)).toEqual([])
    expect(issuesWith(body, path, undefined)).toEqual([])
    expect(issuesWith(body, path, true)).toMatchObject([{ path: `data.${path}`, received: 'boolean' }])
  })
})

describe('the issues of invalid events', () => {
  test.each<readonly [title: string, body: Body, path: string, value: unknown, expected: string, received: string]>([
    ['a missing field', 'order', 'currency', undefined, 'string', 'undefined'],
    ['null', 'order', 'currency', null, 'string', 'null'],
    ['a number instead of a text', 'order', 'customer.id', 5, 'string', 'number'],
    ['a text instead of a number', 'order', 'total_amount', '12', 'number', 'string'],
    ['a fraction', 'order', 'total_amount', 1.5, 'int', 'float'],
    ['a number beyond 53 bits', 'order', 'total_amount', 2 ** 60, 'int of at most 53 bits', 'number'],
    ['a text instead of a boolean', 'order', 'paid', 'true', 'boolean', 'string'],
    ['a number instead of a boolean', 'order', 'paid', 1, 'boolean', 'number'],
    ['a list instead of an object', 'order', 'customer', [], 'object', 'array'],
    ['an object instead of a list', 'order', 'items', {}, 'array', 'object'],
    ['a date without time', 'order', 'created_at', '2026-01-01', 'date-time with offset', '"2026-01-01"'],
    [
      'an unknown value of an enumeration',
      'refund',
      'status',
      'lost',
      '"pending" | "succeeded" | "failed" | "canceled"',
      '"lost"',
    ],
    ['metadata', 'order', 'metadata.a', null, 'string | number | boolean', 'null'],
    ['one clause of a filter', 'subscription', 'meters.0.meter.filter.clauses.0.property', 5, 'string', 'number'],
  ])('the issue of %s names path, expected and received type', (_, body, path, value, expected, received) => {
    expect(parseEvent(changed(bodies[body], `data.${path}`, value))).toEqual({
      ok: false,
      message: 'Failed to parse event',
      issues: [{ path: `data.${path}`, expected, received }],
    })
  })

  test('a legacy price is recognised by its own fields', () => {
    expect(issuesWith('product', 'prices.0', { ...legacy, ...fixed, type: 'one_time', recurring_interval: null })).toEqual([
      { path: 'data.prices.0.type', expected: '"recurring" (legacy price)', received: 'string' },
      { path: 'data.prices.0.recurring_interval', expected: 'interval (legacy price)', received: 'null' },
    ])
  })

  test('the issues of an event are listed together, up to 50', () => {
    const parsed = parseEvent({ ...bodies.order, data: {} })
    expect(parsed.ok ? 0 : parsed.issues.length).toBeGreaterThan(25)
    const many = changed(
      bodies.order,
      'data.items',
      Array.from({ length: 1000 }, () => ({})),
    )
    const cut = parseEvent(many)
    expect(cut.ok ? 0 : cut.issues.length).toBe(50)
  })

  test('issues quote at most a few characters of the event', () => {
    const long = changed(bodies.refund, 'data.status', 'x'.repeat(10_000))
    expect(JSON.stringify(parseEvent(long)).length).toBeLessThan(400)
  })
})

describe('the envelope of an event', () => {
  const type: EventType = 'order.paid'
  test.each([
    ['order.payed', 'order.payed'],
    ['Order.Paid', 'Order.Paid'],
    ['', ''],
    ['pledge.created', 'pledge.created'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['toString', 'toString'],
  ])('an event of the unknown type %j is refused with its type', (name, shown) => {
    expect(parseEvent({ type: name, data: bodies.order.data })).toEqual({
      ok: false,
      message: `Unknown event type ${shown}`,
      issues: [],
    })
  })

  test.each<readonly [unknown, string, string]>([
    [null, '', 'null'],
    [[], '', 'array'],
    ['order.paid', '', 'string'],
    [{ data: {} }, 'type', 'undefined'],
    [{ type: 5, data: {} }, 'type', 'number'],
    [{ type }, 'data', 'undefined'],
    [{ type, data: null }, 'data', 'null'],
    [{ type, data: [] }, 'data', 'array'],
  ])('%j is not an event', (body, path, received) => {
    expect(parseEvent(body)).toMatchObject({ ok: false, message: 'Failed to parse event', issues: [{ path, received }] })
  })

  test('the time of the event envelope is optional but must be a time, and unknown members are ignored', () => {
    expect(parseEvent({ ...bodies.order, timestamp: undefined, api_version: 5, more: [] })).toMatchObject({
      ok: true,
      event: { timestamp: null },
    })
    expect(parseEvent({ ...bodies.order, timestamp: null })).toMatchObject({ ok: true })
    expect(parseEvent({ ...bodies.order, timestamp: 'now' })).toMatchObject({
      issues: [{ path: 'timestamp', expected: 'date-time with offset', received: '"now"' }],
    })
  })

  test('filters can be nested up to a limit', () => {
    const nested = (times: number) => {
      const filter = `${'{"conjunction":"and","clauses":['.repeat(times)}${']}'.repeat(times)}`
      return parseEvent(changed(bodies.subscription, 'data.meters.0.meter.filter', JSON.parse(filter)))
    }
    expect(nested(90)).toMatchObject({ ok: true })
    for (const times of [100, 15_000])
      expect(nested(times)).toMatchObject({
        ok: false,
        message: 'Failed to parse event',
        issues: [{ path: expect.stringMatching(/^data\.meters\.0\.meter\.filter\.clauses/), expected: 'at most 200 levels' }],
      })
  })
})
