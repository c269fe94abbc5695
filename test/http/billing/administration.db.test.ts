import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../../support/billing.ts'
import type { Client } from '../../support/client.ts'
import { idOf, selling, tell } from './purchases.ts'

let t: TestApp
let admin: Client
let ann: string
const sent: Record<string, string> = {}
beforeAll(async () => {
  t = await testApp(selling({ entitlements: [{ name: 'pro', product: 'prod_pro', plan: 'Pro' }] }))
  admin = await t.signedIn('root@example.com')
  await t.app.core.db.knex('user').where({ email: 'root@example.com' }).update({ role: 'admin' })
  ann = await idOf(await t.signedIn('ann@example.com'))
  const mine = { customerId: 'cus_ann', externalId: ann, email: 'Ann@Example.com', productId: 'prod_pro' }
  sent['subscription'] = await tell(t, 'subscription.active', { ...mine, subscriptionId: 'sub_ann' })
  await tell(t, 'order.paid', { ...mine, orderId: 'order_ann', productId: 'prod_once' })
  sent['checkout'] = await tell(t, 'checkout.created', mine)
  await tell(t, 'customer.created', { customerId: 'cus_held', email: 'held@example.com', externalId: 'shop-17' })
})
afterAll(() => t.stop())

const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).sort()

describe('billing administration', () => {
  test('administrators find customers by text in name and email address, by exact email address, by external id, and without an owner', async () => {
    const find = async (query: Parameters<Client['api']['billingAdmin']['customers']>[0] = {}) =>
      ids((await admin.api.billingAdmin.customers(query)).customers)
    expect(await find()).toEqual(['cus_ann', 'cus_held'])
    expect(await find({ query: { email: 'ANN@example.com' } })).toEqual(['cus_ann'])
    expect(await find({ query: { email: 'nobody' } })).toEqual([])
    expect(await find({ query: { search: 'nn@exam' } })).toEqual(['cus_ann'])
    expect(await find({ query: { search: 'XAMP', order: 'asc' } })).toEqual(['cus_ann', 'cus_held'])
    expect(await find({ query: { search: 'xamp', unlinked: 'true' } })).toEqual(['cus_held'])
    for (const search of ['el', '%', 'nobody']) expect(await find({ query: { search } })).toEqual([])
    const counted = await admin.api.billingAdmin.customers({ query: { search: 'xamp', unlinked: 'true', total: 'true' } })
    expect(counted.total).toEqual({ count: 1, isExact: true })
    expect(await find({ query: { externalId: 'shop-17' } })).toEqual(['cus_held'])
    expect(await find({ query: { unlinked: 'true' } })).toEqual(['cus_held'])
    expect(await find({ query: { unlinked: 'false' } })).toEqual(['cus_ann'])
    expect(await find({ query: { externalId: 'shop-17', email: 'held@example.com', unlinked: 'true' } })).toEqual(['cus_held'])
    expect(await find({ query: { externalId: 'shop-17', email: 'ann@example.com' } })).toEqual([])
    expect(await find({ query: { email: 'ann@example.com', unlinked: 'true' } })).toEqual([])
  })

  test('the pages of the list of customers have no gap or overlap', async () => {
    const first = await admin.api.billingAdmin.customers({ query: { limit: 1 } })
    expect(first.customers).toHaveLength(1)
    const next = await admin.api.billingAdmin.customers({ query: { limit: 1, after: first.next ?? '' } })
    expect(next.next).toBe(null)
    expect(ids([...first.customers, ...next.customers])).toEqual(['cus_ann', 'cus_held'])
    const oldest = await admin.api.billingAdmin.customers({ query: { order: 'asc' } })
    expect(oldest.customers.map(({ id }) => id)).toEqual([...first.customers, ...next.customers].map(({ id }) => id).reverse())
    const wrong = await admin.request('/admin/billing/customers?after=nobody')
    expect([wrong.status, wrong.json['code']]).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('administrators find the customers of a user and of an organization', async () => {
    const ofUser = await admin.api.billingAdmin.customersOfUser({ params: { id: ann } })
    expect(ofUser.customers).toMatchObject([{ id: 'cus_ann', link: { userId: ann } }])
    expect((await admin.api.billingAdmin.customersOfUser({ params: { id: 'nobody' } })).customers).toEqual([])
    const made = await admin.api.allOrganizations.adminCreateOrganization({ body: { name: 'Shop', slug: 'shop' } })
    const params = { id: made.id }
    expect((await admin.api.billingAdmin.customersOfOrganization({ params })).customers).toEqual([])
    await admin.api.billingAdmin.linkCustomer({ params: { id: 'cus_held' }, body: { organizationId: made.id } })
    const own = await admin.api.billingAdmin.customersOfOrganization({ params })
    expect(own.customers).toMatchObject([{ id: 'cus_held', link: { organizationId: made.id, name: 'Shop' } }])
    await admin.api.billingAdmin.unlinkCustomer({ params: { id: 'cus_held' } })
  })

  test("administrators see a customer's owner, entitlements with their sources, unused purchases and deliveries", async () => {
    const found = await admin.api.billingAdmin.customer({ params: { id: 'cus_ann' } })
    expect(found.customer).toMatchObject({
      ...{ id: 'cus_ann', email: 'ann@example.com', externalId: ann, deletedAt: null },
      link: { userId: ann, organizationId: null, name: expect.any(String), linkedBy: 'external_id', linkedAt: expect.any(Date) },
    })
    expect(found.state).toMatchObject({
      ...{ plan: 'Pro', subscriptionStatus: 'active' },
      entitlements: [
        {
          name: 'pro',
          sources: [
            {
              ...{ kind: 'subscription', id: 'sub_ann', rule: 'billing.entitlements.0', linkedBy: 'external_id' },
              delivery: { webhookId: sent['subscription'], type: 'subscription.active', receivedAt: expect.any(Date) },
            },
          ],
        },
      ],
      unused: [{ kind: 'order', id: 'order_ann', because: 'no rule' }],
    })
    expect(ids(found.subscriptions)).toEqual(['sub_ann'])
    expect(ids(found.orders)).toEqual(['order_ann'])
    expect(found.deliveries.map(({ type }) => type).sort()).toEqual(['order.paid', 'subscription.active'])
    const held = await admin.api.billingAdmin.customer({ params: { id: 'cus_held' } })
    expect([held.customer.link, held.state.entitlements]).toEqual([null, []])
    const unknown = await admin.request('/admin/billing/customers/nobody')
    expect([unknown.status, unknown.json['code']]).toEqual([404, 'CUSTOMER_NOT_FOUND'])
  })

  test('administrators list deliveries page by page, filtered by customer, type and verdict', async () => {
    const list = async (query: Record<string, string>) =>
      (await admin.api.billingAdmin.deliveries({ query })).deliveries.map(({ type }) => type)
    expect((await list({})).sort()).toEqual(['checkout.created', 'customer.created', 'order.paid', 'subscription.active'])
    expect(await list({ customerId: 'cus_held' })).toEqual(['customer.created'])
    expect(await list({ type: 'order.paid' })).toEqual(['order.paid'])
    expect(await list({ verdict: 'quarantined' })).toEqual([])
    const first = await admin.api.billingAdmin.deliveries({ query: { limit: 3 } })
    const next = await admin.api.billingAdmin.deliveries({ query: { limit: 3, after: first.next ?? '' } })
    expect([first.deliveries.length, next.deliveries.length, next.next]).toEqual([3, 1, null])
    expect((await admin.request('/admin/billing/deliveries?after=nobody')).json['code']).toBe('VALIDATION_ERROR')
  })

  test('administrators see the event and the issues of a delivery, without its secrets and its signature', async () => {
    const { deliveries } = await admin.api.billingAdmin.deliveries({ query: { type: 'checkout.created' } })
    const [checkout] = deliveries
    const answer = await admin.request(`/admin/billing/deliveries/${checkout?.id}`)
    expect(answer.json).toMatchObject({ webhookId: sent['checkout'], verdict: 'accepted', event: { type: 'checkout.created' } })
    expect(answer.text).not.toContain('client_secret')
    // The platform shows the webhook id that it gave the delivery.
    const sentAs = await admin.api.billingAdmin.delivery({ params: { id: sent['checkout'] ?? '' } })
    expect(sentAs.id).toBe(checkout?.id)
    // The address contains the secret as well.
    const { client_secret: secret, url } = eventOf('checkout.created', { productId: 'prod_pro', customerId: 'cus_ann' }).data
    expect(url).toContain(secret)
    expect(answer.text).not.toContain(secret)
    expect(answer.text).not.toContain('v1,')

    const broken = eventOf('order.paid', { customerId: 'cus_broken' })
    const data = { ...broken.data, status: 5 }
    expect((await post(t.url, signedDelivery(webhookSecret, { ...broken, data }))).status).toBe(400)
    const { deliveries: kept } = await admin.api.billingAdmin.deliveries({ query: { verdict: 'quarantined' } })
    const quarantined = await admin.api.billingAdmin.delivery({ params: { id: kept[0]?.id ?? '' } })
    expect(quarantined.issues).toMatchObject([{ path: 'data.status', received: 'number' }])
    const unknown = await admin.request('/admin/billing/deliveries/nobody')
    expect([unknown.status, unknown.json['code']]).toEqual([404, 'DELIVERY_NOT_FOUND'])
  })
})

test('users without the permission can read nothing of the billing administration', async () => {
  const paths = ['customers', 'customers/cus_ann', 'overdue-renewals', 'deliveries', 'deliveries/x'].map(
    (path) => `/admin/billing/${path}`,
  )
  const user = await t.signedIn('user@example.com')
  for (const path of paths) {
    expect((await t.client().request(path)).status, path).toBe(401)
    expect((await user.request(path)).status, path).toBe(403)
  }
})

test("a customer whose user was deleted is listed as unlinked, with the customer's purchases", async () => {
  const gone = await idOf(await t.signedIn('gone@example.com'))
  await tell(t, 'subscription.active', { customerId: 'cus_gone', externalId: gone, productId: 'prod_pro' })
  await t.app.core.db.knex('user').where({ id: gone }).delete()
  const { customer, state } = await admin.api.billingAdmin.customer({ params: { id: 'cus_gone' } })
  expect(customer.link).toBe(null)
  expect(state.entitlements).toMatchObject([{ name: 'pro', sources: [{ linkedBy: null }] }])
})

test('an overdue renewal is listed and logged until the event of the renewal arrives', async () => {
  const lines: string[] = []
  const node = await testApp({ ...selling({}), onLog: (line) => void lines.push(line) })
  const root = await node.signedIn('root@example.com')
  await node.app.core.db.knex('user').update({ role: 'admin' })
  const overdue = async (query = {}) => {
    const { subscriptions, next } = await root.api.billingAdmin.overdueRenewals({ query })
    return { subscriptions: ids(subscriptions), next }
  }
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const buys = (
    name: string,
    type: 'subscription.active' | 'subscription.updated' | 'subscription.canceled',
    createdAt: string,
    more = {},
  ) => tell(node, type, { customerId: `cus_${name}`, subscriptionId: `sub_${name}`, createdAt, ...more })
  // Paid periods of 30 days.
  await buys('lost', 'subscription.active', daysAgo(31))
  await buys('trial', 'subscription.updated', daysAgo(45), { status: 'trialing' })
  await buys('running', 'subscription.active', daysAgo(29))
  await buys('canceled', 'subscription.canceled', daysAgo(31))
  await buys('unpaid', 'subscription.updated', daysAgo(31), { status: 'unpaid' })
  expect(await overdue()).toEqual({ subscriptions: ['sub_lost', 'sub_trial'], next: null })
  const first = await overdue({ limit: 1 })
  expect(first).toEqual({ subscriptions: ['sub_lost'], next: expect.any(String) })
  expect(await overdue({ limit: 1, after: first.next })).toEqual({ subscriptions: ['sub_trial'], next: null })
  const { subscriptions } = await root.api.billingAdmin.overdueRenewals()
  const [lost] = subscriptions
  expect(lost).toMatchObject({ customerId: 'cus_lost', status: 'active' })
  expect((lost?.entitlesUntil?.getTime() ?? 0) - (lost?.currentPeriodEnd.getTime() ?? 0)).toBe(7 * 86_400_000)
  expect((await root.request('/admin/billing/overdue-renewals?after=nobody')).json['code']).toBe('VALIDATION_ERROR')

  await node.app.billing.renewals.warn()
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: expect.anything(), customers: 2, subscriptions: ['sub_lost', 'sub_trial'] }),
  )
  // One is renewed by a customer state, and the other by an event of its own.
  await tell(node, 'customer.state_changed', { customerId: 'cus_trial', status: 'canceled' })
  await buys('lost', 'subscription.active', daysAgo(0))
  expect(await overdue()).toEqual({ subscriptions: [], next: null })
  await node.stop()
})
