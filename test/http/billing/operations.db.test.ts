import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../../support/billing.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { create } from '../organizations/people.ts'
import { idOf, selling, tell } from './purchases.ts'

let t: TestApp
let admin: Client
let ann: string
let bob: string
let organizationId: string
beforeAll(async () => {
  t = await testApp(selling({}))
  admin = await t.signedIn('root@example.com')
  await t.app.core.db.knex('user').where({ email: 'root@example.com' }).update({ role: 'admin' })
  const browser = await t.signedIn('ann@example.com')
  await t.verify('ann@example.com')
  ann = await idOf(browser)
  bob = await idOf(await t.signedIn('bob@example.com'))
  organizationId = await create(browser, 'acme')
  await tell(t, 'customer.created', { customerId: 'cus_ann', externalId: ann, email: 'ann@example.com' })
  await tell(t, 'customer.created', { customerId: 'cus_free', externalId: 'shop-1', email: 'nobody@example.com' })
})
afterAll(() => t.stop())

const api = () => admin.api.billingAdmin
const of = (id: string) => ({ params: { id } })
const nobodys = { userId: null, organizationId: null, linkedBy: null, linkedAt: null }

test('a customer can be linked by hand to a user or an organization, and is matched automatically again after the link is removed', async () => {
  expect(await api().customerLink(of('cus_ann'))).toMatchObject({ userId: ann, linkedBy: 'external_id' })
  expect(await api().linkCustomer({ ...of('cus_ann'), body: { userId: bob } })).toMatchObject({
    userId: bob,
    linkedBy: 'operator',
  })
  expect(await api().linkCustomer({ ...of('cus_ann'), body: { organizationId } })).toMatchObject({
    ...{ userId: null, organizationId, linkedBy: 'operator' },
  })
  expect(await api().unlinkCustomer(of('cus_ann'))).toMatchObject({ userId: ann, linkedBy: 'external_id' })
  await api().linkCustomer({ ...of('cus_free'), body: { userId: bob } })
  expect(await api().unlinkCustomer(of('cus_free'))).toEqual({ customerId: 'cus_free', ...nobodys })
  const recorded = (type: string) => t.app.audit.list({ type }, 10)
  expect(await recorded('customer.unlinked')).toMatchObject([
    { subjectId: 'cus_free', actorKind: 'user', data: { userId: bob } },
    { subjectId: 'cus_ann', organizationId, data: { userId: null } },
  ])
  // Customer cus_ann is linked by external id at first, and again after the manual link is removed.
  expect(await recorded('customer.linked')).toHaveLength(5)
})

test('removing a manual link that does not exist keeps an automatic link and records nothing', async () => {
  // Ids are compared, because events may get their positions meanwhile.
  const recorded = async () => (await t.app.audit.list({ type: 'customer.unlinked' }, 100)).map(({ id }) => id)
  const before = await recorded()
  expect(await api().unlinkCustomer(of('cus_ann'))).toMatchObject({ userId: ann, linkedBy: 'external_id' })
  expect(await api().unlinkCustomer(of('cus_free'))).toMatchObject(nobodys)
  expect(await recorded()).toEqual(before)
})

testOnBoth("a change of a customer's link requires the current ETag in If-Match", async () => {
  const path = '/admin/billing/customers/cus_free/link'
  const etag = (await admin.request(path)).headers.get('etag') ?? ''
  const send = (method: string, body?: object) =>
    admin.request(path, {
      method,
      headers: { 'content-type': 'application/json', 'if-match': etag },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const both = await Promise.all([send('PUT', { userId: ann }), send('PUT', { userId: bob })])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
  expect((await send('DELETE')).json['code']).toBe('PRECONDITION_FAILED')
})

test('a link to an unknown owner, to two owners at once or of an unknown customer is refused', async () => {
  const unknown = { status: 404, code: 'CUSTOMER_NOT_FOUND' }
  await expect(api().customerLink(of('nobody'))).rejects.toMatchObject(unknown)
  await expect(api().linkCustomer({ ...of('nobody'), body: { userId: ann } })).rejects.toMatchObject(unknown)
  await expect(api().unlinkCustomer(of('nobody'))).rejects.toMatchObject(unknown)
  for (const body of [{ userId: 'none' }, { organizationId: 'none' }, { userId: organizationId }, { organizationId: ann }])
    await expect(api().linkCustomer({ ...of('cus_free'), body })).rejects.toMatchObject({ code: 'HOLDER_NOT_FOUND' })
  for (const body of [{}, { userId: ann, organizationId }])
    await expect(api().linkCustomer({ ...of('cus_free'), body })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
})

test('a quarantined delivery can be parsed again or dismissed, and applying an accepted delivery again has no further effect', async () => {
  const broken = eventOf('order.paid', { customerId: 'cus_broken' })
  await post(t.url, signedDelivery(webhookSecret, { ...broken, data: { ...broken.data, status: 5 } }))
  await post(t.url, signedDelivery(webhookSecret, { ...broken, type: 'order.unheard_of' }))
  const { deliveries } = await api().deliveries({ query: { verdict: 'quarantined' } })
  const [unheard, wrong] = [
    deliveries.find(({ type }) => type !== 'order.paid'),
    deliveries.find(({ type }) => type === 'order.paid'),
  ]
  await expect(api().replayDelivery(of(wrong?.id ?? ''))).rejects.toMatchObject({ code: 'FAILED_TO_PARSE_EVENT' })
  await expect(api().replayDelivery(of(unheard?.id ?? ''))).rejects.toMatchObject({ code: 'UNKNOWN_EVENT_TYPE' })
  expect(await api().dismissDelivery(of(wrong?.id ?? ''))).toEqual({ id: wrong?.id, dismissedAt: expect.any(Date) })
  expect(await t.app.audit.list({ type: 'delivery.dismissed' }, 1)).toMatchObject([{ subjectId: wrong?.id, actorKind: 'user' }])

  const [accepted] = (await api().deliveries({ query: { verdict: 'accepted', limit: 1 } })).deliveries
  expect(await api().replayDelivery(of(accepted?.id ?? ''))).toMatchObject({ id: accepted?.id, effect: expect.any(String) })
  expect(await t.app.audit.list({ type: 'delivery.replayed' }, 1)).toMatchObject([{ subjectId: accepted?.id, actorKind: 'user' }])
  await expect(api().dismissDelivery(of(accepted?.id ?? ''))).rejects.toMatchObject({ code: 'DELIVERY_IS_NOT_QUARANTINED' })
  for (const call of [api().replayDelivery, api().dismissDelivery])
    await expect(call(of('unknown'))).rejects.toMatchObject({ status: 404, code: 'DELIVERY_NOT_FOUND' })

  const ids = [wrong?.id ?? '', 'unknown', accepted?.id ?? '']
  expect((await api().replayDeliveries({ body: { ids } })).deliveries).toEqual([
    {
      ...{ id: wrong?.id, effect: null },
      error: expect.objectContaining({
        code: 'FAILED_TO_PARSE_EVENT',
        issues: [expect.objectContaining({ path: 'data.status' })],
      }),
    },
    { id: 'unknown', effect: null, error: expect.objectContaining({ code: 'DELIVERY_NOT_FOUND' }) },
    { id: accepted?.id, effect: expect.any(String), error: null },
  ])
})

test('a delivery that fails for an unforeseen reason is named in the answer, and the other deliveries are applied', async () => {
  const { deliveries } = await api().deliveries({ query: { verdict: 'accepted', limit: 2 } })
  const [unreadable = '', sound = ''] = deliveries.map(({ id }) => id)
  const row = () => t.app.core.db.knex('billing_delivery').where({ id: unreadable })
  await row().update({ issues: '[' })
  const replayed = await api().replayDeliveries({ body: { ids: [unreadable, sound] } })
  await row().update({ issues: '[]' })
  expect(replayed.deliveries).toEqual([
    { id: unreadable, effect: null, error: { code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error' } },
    { id: sound, effect: expect.any(String), error: null },
  ])
})

test('a delivery whose content was removed cannot be applied again', async () => {
  await tell(t, 'customer.created', { customerId: 'cus_gone', email: 'gone@example.com' })
  const [delivery] = (await api().deliveries({ query: { customerId: 'cus_gone' } })).deliveries
  await t.app.billing.deliveries.forgetCustomer({ kind: 'system', address: '', userAgent: '', requestId: 'r' }, 'cus_gone')
  await expect(api().replayDelivery(of(delivery?.id ?? ''))).rejects.toMatchObject({ code: 'DELIVERY_WAS_REMOVED' })
})

test('webhook endpoints are listed with the number of their secrets, but without the secrets', async () => {
  const { secret } = await t.app.billing.endpoints.add(
    { kind: 'system', address: '', userAgent: '', requestId: 'r' },
    'polar-eu',
    undefined,
  )
  const answer = await admin.request('/admin/billing/webhook-endpoints')
  expect(answer.json['endpoints']).toMatchObject([
    { name: 'polar', secrets: 1, isConfigured: true },
    { name: 'polar-eu', url: `${t.url}/webhooks/polar-eu`, secrets: 1, isConfigured: false },
  ])
  expect(answer.text).not.toContain(secret)
  expect(answer.text).not.toContain(webhookSecret)
})
