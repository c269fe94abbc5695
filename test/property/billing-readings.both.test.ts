import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EventType, eventTypes } from '../../src/billing/events/table.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { changed, eventOf, pathsOf, post, signedDelivery, webhookSecret } from '../support/billing.ts'
import { clearBilling } from '../support/billing-state.ts'
import type { Client } from '../support/client.ts'
import { runs } from '../support/runs.ts'

let t: TestApp
let admin: Client
let organizationId: string
beforeAll(async () => {
  const entitlements = [
    { name: 'pro', product: ['product'], plan: 'pro' },
    { name: 'members', product: ['product'], quantity: 'seats', combine: 'sum' },
    { name: 'calls', meter: ['meter'], quantity: 'balance', combine: 'sum' },
    { name: 'chat', benefit: ['benefit'] },
  ]
  t = await testApp({ config: { billing: { secrets: [webhookSecret], entitlements, freeSeats: 'unlimited' } } })
  admin = await t.signedIn('buyer@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin', email_verified: true }))
  organizationId = (await admin.post('/organization/create', { name: 'Acme', slug: 'acme' })).json['id'] as string
})
afterAll(() => t.stop())

type Value = string | number

/** Times at both ends of the calendar and between them, with any offset and fraction. */
const time = fc
  .tuple(
    fc.constantFrom(
      '0000-01-01T00:00:00',
      '0000-12-31T23:59:59',
      '1969-12-31T23:59:59',
      '2026-11-21T12:00:00',
      '9999-12-31T23:59:59',
    ),
    fc.constantFrom('', '.0', '.999999', '.123456789'),
    fc.constantFrom('Z', '+23:59', '-23:59', '+00:00'),
  )
  .map((parts) => parts.join(''))
const whole = fc.constantFrom(0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER)
const real = fc.constantFrom(0, 0.1, -0.1, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53)
const text = fc.constantFrom('', ' ', 'x'.repeat(256), 'x'.repeat(100_000), '名前 😀', '\u202e"<&%', '\n\r\t')

/** Values of the same type as the value at a path that the schema allows there. Undefined keeps the value. */
const otherValue = (path: string, value: unknown): fc.Arbitrary<Value> | undefined => {
  const key = path.split('.').at(-1) ?? ''
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return time
  if (typeof value === 'number') {
    if (/^(consumed_units|balance)$/.test(key)) return real
    return /seats$/.test(key) ? fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER) : whole
  }
  // Identifiers that rules and queries use stay, and so do values of an enumeration.
  return typeof value === 'string' && /^(name|description|label|currency|slug|billing_name|url|note|display_key)$/.test(key)
    ? text
    : undefined
}

const event = fc
  .record({
    type: fc.constantFrom<EventType>(...eventTypes),
    shape: fc.constantFrom<'2025' | '2026'>('2025', '2026'),
    customer: fc.nat({ max: 2 }),
    isOwnedByOrganization: fc.boolean(),
    seats: fc.option(fc.constantFrom(0, 3, Number.MAX_SAFE_INTEGER), { nil: undefined }),
  })
  .chain(({ type, shape, customer, isOwnedByOrganization, seats }) => {
    const original = eventOf(type, {
      ...{ customerId: `customer-${customer}`, productId: 'product', meterId: 'meter', benefitId: 'benefit' },
      ...(isOwnedByOrganization ? { externalId: organizationId, email: 'other@example.com' } : { email: 'buyer@example.com' }),
      ...{ shape, seats, units: { consumed: 1, credited: 2 }, discount: { type: 'fixed', duration: 'repeating' } as const },
    })
    const places = pathsOf(original.data, 'data').flatMap((path) => {
      const value = path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], original)
      const other = otherValue(path, value)
      return other === undefined
        ? []
        : [
            fc.option(
              other.map((value): readonly [string, Value] => [path, value]),
              { freq: 2 },
            ),
          ]
    })
    return fc
      .tuple(...places)
      .map((changes) =>
        changes.reduce((body, change) => (change === null ? body : changed(body, change[0], change[1])), original),
      )
  })

const readings = () => [
  ...['state', 'subscriptions', 'orders', 'benefits', 'meters'].flatMap((name) => [
    `/billing/${name}`,
    `/billing/${name}?organizationId=${organizationId}`,
  ]),
  ...['customers', 'overdue-renewals', 'deliveries', 'seats', 'drift', 'rules'].map((name) => `/admin/billing/${name}`),
  ...[0, 1, 2].map((id) => `/admin/billing/customers/customer-${id}`),
]

test('every event that the published schema allows is accepted, and all billing queries answer afterwards', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 4 }), async (events) => {
      await clearBilling(t)
      for (const body of events) {
        const answer = await post(t.url, signedDelivery(webhookSecret, body))
        expect([body.type, answer.status, answer.status === 202 ? '' : await answer.text()]).toEqual([body.type, 202, ''])
      }
      for (const path of readings()) expect([path, (await admin.request(path)).status < 500]).toEqual([path, true])
      for (const path of [
        '/billing/state',
        '/admin/billing/customers',
        '/admin/billing/seats',
        '/admin/billing/overdue-renewals',
      ])
        expect([path, (await admin.request(path)).status]).toEqual([path, 200])
      const rows: { id: string }[] = await t.app.core.db.knex('billing_delivery').select('id')
      for (const { id } of rows) expect((await admin.request(`/admin/billing/deliveries/${id}`)).status).toBe(200)
    }),
    { numRuns: runs, endOnFailure: true },
  )
}, 240_000)
