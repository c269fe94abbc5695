import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventTypes } from '../../../src/billing/events/table.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { changed, eventOf, pathsOf, post, signedDelivery, webhookSecret } from '../../support/billing.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [webhookSecret] } } })
})
afterAll(() => t.stop())

let sent = 0
const send = async (event: object) => {
  sent += 1
  // With equal times the greater delivery id is the newer version, so that each version is written.
  const id = `odd-${String(sent).padStart(6, '0')}`
  const answer = await post(t.url, signedDelivery(webhookSecret, event, { id }))
  return { status: answer.status, text: await answer.text() }
}

test('every event type of the platform in 2025 and 2026 is accepted', async () => {
  for (const shape of ['2025', '2026'] as const)
    for (const type of eventTypes) {
      const { status, text } = await send(eventOf(type, { shape, discount: { type: 'fixed', duration: 'repeating' } }))
      expect([type, status, text]).toMatchObject([type, 202, expect.anything()])
    }
})

/** Values that the type allows and that the sender does not send at present. */
const odd: readonly (readonly [title: string, value: (value: unknown) => unknown])[] = [
  ['very long texts', (value) => (typeof value === 'string' ? value + 'x'.repeat(3000) : value)],
  ['empty texts', (value) => (typeof value === 'string' ? '' : value)],
  ['a lone half of a surrogate pair', (value) => (typeof value === 'string' ? `${value}\ud800` : value)],
  ['the largest numbers', (value) => (typeof value === 'number' ? Number.MAX_SAFE_INTEGER : value)],
  ['the smallest numbers', (value) => (typeof value === 'number' ? Number.MIN_SAFE_INTEGER : value)],
  [
    'the earliest time',
    (value) => (typeof value === 'string' && /^\d{4}-.+Z$/.test(value) ? '0000-01-01T00:00:00+23:59' : value),
  ],
  [
    'the latest time',
    (value) => (typeof value === 'string' && /^\d{4}-.+Z$/.test(value) ? '9999-12-31T23:59:59.9999999-23:59' : value),
  ],
]

const valueAt = (event: object, path: string) =>
  path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], event)

test.each(odd)(
  'deliveries with %s are accepted or rejected, one by one and together, but never answered 500',
  async (_, change) => {
    const faults: string[] = []
    for (const type of ['customer.state_changed', 'order.paid', 'subscription.active', 'benefit_grant.created'] as const) {
      const event = eventOf(type, { subscriptionId: 's', units: { consumed: 1, credited: 2 } })
      const places = pathsOf(event.data, 'data').filter((path) => change(valueAt(event, path)) !== valueAt(event, path))
      const one = places
        .filter((path) => path.split('.').length < 4)
        .map((path) => changed(event, path, change(valueAt(event, path))))
      const isFree = (path: string) =>
        /(id|email|name|currency|url|label|description|slug|_at|amount|units|start|end)$/.test(path)
      const all = places.filter(isFree).reduce((body, path) => changed(body, path, change(valueAt(event, path))), event)
      for (const body of [...one, all]) {
        const { status, text } = await send(body)
        if (![202, 400].includes(status)) faults.push(`${type} ${status} ${text}`)
      }
    }
    expect(faults).toEqual([])
  },
)

test('an event of an unknown newer type with invalid timestamps is not answered 500', async () => {
  const { status } = await send({ type: 'subscription.cycled', data: { id: 'x', modified_at: 'yesterday' } })
  expect(status).toBe(202)
})

test('a number in place of an identifier is refused, and a number in free-form data keeps all its digits', async () => {
  const [exact, rounded] = ['9007199254740993', '9007199254740992']
  const ids = /(^|\.)(\w+_)?id$/
  for (const type of [
    'customer.created',
    'customer.state_changed',
    'order.paid',
    'subscription.active',
    'refund.created',
  ] as const) {
    const event = eventOf(type, { externalId: 'u', subscriptionId: 's', units: { consumed: 1, credited: 2 } })
    for (const path of pathsOf(event.data, 'data').filter((path) => ids.test(path) && typeof valueAt(event, path) === 'string')) {
      const body = JSON.stringify(changed(event, path, '@')).replace('"@"', exact)
      expect([path, (await post(t.url, signedDelivery(webhookSecret, body))).status]).toEqual([path, 400])
    }
  }
  const body = JSON.stringify(eventOf('customer.created', { customerId: 'exact' })).replace(
    '"metadata":{}',
    `"metadata":{"n":${exact}}`,
  )
  expect((await post(t.url, signedDelivery(webhookSecret, body, { id: 'exact' }))).status).toBe(202)
  const admin = await t.signedIn('admin@example.com')
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'admin@example.com' }).update({ role: 'admin' }))
  const { id } = await t.app.core.db.knex('billing_delivery').where({ webhook_id: 'exact' }).first('id')
  const shown = await admin.request(`/admin/billing/deliveries/${id}`)
  expect(shown.text).toContain(exact)
  expect(shown.text).not.toContain(rounded)
})
