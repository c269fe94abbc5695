/** The list of payments, with filters and sums. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { statementsOf } from '../../support/statements.ts'
import { operator } from '../organizations/people.ts'
import { selling, tell } from './purchases.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp(
    selling({
      entitlements: [
        { name: 'export', product: 'prod_pro', plan: 'pro' },
        { name: 'sso', product: 'prod_team', plan: 'team' },
      ],
      plans: ['pro', 'team'],
    }),
  )
  admin = await signedInAs(t, 'admin')
})
afterAll(() => t.stop())

const list = (query: object = {}) => admin.api.billingAdmin.customers({ query })
test('the list of payments shows plan, status, seats, amount, next date, owner and entitlements, and sums the active payments', async () => {
  const { id: organizationId } = await t.app.organizations.createFor(operator, { name: 'Acme', slug: 'acme' }, undefined)
  const [acme, ann] = [randomUUID(), randomUUID()]
  await tell(t, 'subscription.active', { customerId: acme, externalId: organizationId, productId: 'prod_pro' })
  await tell(t, 'subscription.past_due', { customerId: ann, productId: 'prod_other' })
  const { customers } = await list()
  const [first, second] = [acme, ann].map((id) => customers.find((one) => one.id === id))
  expect(first).toMatchObject({
    ...{ status: 'active', plan: 'pro', entitlements: ['export'], link: { name: 'Acme' } },
    seats: { used: 0 },
    subscriptions: [{ productId: 'prod_pro', status: 'active', endsThen: false }],
  })
  expect(second).toMatchObject({ status: 'past_due', plan: null, entitlements: [], seats: null })
  const [subscription] = first?.subscriptions ?? []
  expect(subscription?.nextAt).toBeTruthy()
  const totals = await admin.api.billingAdmin.paymentTotals()
  expect(totals.statuses).toEqual([
    { status: 'past_due', customers: 1 },
    { status: 'active', customers: 1 },
  ])
  expect(totals.currencies).toEqual([{ currency: subscription?.currency, customers: 1, monthly: subscription?.amount }])
})

test('the list of payments is filtered by payment and currency, and follows later events', async () => {
  const id = randomUUID()
  await tell(t, 'subscription.active', { customerId: id, subscriptionId: `sub-${id}` } as never)
  const ids = async (query: object) => (await list({ ...query, limit: 100 })).customers.map((one) => one.id)
  expect(await ids({ payment: 'active' })).toContain(id)
  expect(await ids({ payment: 'past_due' })).not.toContain(id)
  const [{ currency } = { currency: '' }] = (await admin.api.billingAdmin.paymentTotals()).currencies
  expect(await ids({ currency: currency.toUpperCase() })).toContain(id)
  expect(await ids({ currency: 'xxx' })).toEqual([])
  expect(await ids({ payment: 'active', currency, unlinked: 'true' })).toContain(id)
  await tell(t, 'subscription.revoked', { customerId: id, subscriptionId: `sub-${id}` } as never)
  expect(await ids({ payment: 'ended' })).toContain(id)
  expect(await ids({ payment: 'active' })).not.toContain(id)
})

testOnBoth(
  'the list of payments is filtered by plan and entitlement under the present rules, page by page, with an exact total',
  async () => {
    const bought = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const id = randomUUID()
        await tell(t, 'subscription.active', { customerId: id, subscriptionId: `sub-${id}`, productId: 'prod_team' } as never)
        await tell(t, 'subscription.active', { customerId: randomUUID(), productId: 'prod_none' })
        return id
      }),
    )
    const { plans, entitlements } = await admin.api.billingAdmin.paymentTotals()
    expect([plans, entitlements]).toEqual([
      ['pro', 'team'],
      ['export', 'sso'],
    ])
    /** All pages. Some may have fewer rows than requested. */
    const all = async (query: object) => {
      const ids: string[] = []
      let after: string | undefined
      do {
        const { customers, next } = await list({ ...query, limit: 2, ...(after === undefined ? {} : { after }) })
        ids.push(...customers.map(({ id }) => id))
        after = next ?? undefined
      } while (after !== undefined)
      return ids.sort()
    }
    expect(await all({ plan: 'team' })).toEqual([...bought].sort())
    expect(await all({ entitlement: 'sso', plan: 'team', payment: 'active', unlinked: 'true' })).toEqual([...bought].sort())
    for (const query of [{ plan: 'none' }, { plan: 'team', entitlement: 'none' }, { plan: 'team', payment: 'ended' }])
      expect([await all(query), (await list({ ...query, total: 'true' })).total], JSON.stringify(query)).toEqual([
        [],
        { count: 0, isExact: true },
      ])
    expect((await list({ plan: 'team', total: 'true' })).total).toEqual({ count: 5, isExact: true })
    // An ended subscription gives no entitlement, although the purchase still has the product id.
    const [first = ''] = bought
    await tell(t, 'subscription.revoked', { customerId: first, subscriptionId: `sub-${first}`, productId: 'prod_team' } as never)
    expect(await all({ plan: 'team' })).toEqual(bought.filter((id) => id !== first).sort())
    expect((await list({ entitlement: 'sso', total: 'true' })).total).toEqual({ count: 4, isExact: true })
  },
)

testOnBoth('a page of thirty customers takes as many statements as a page of one customer', async () => {
  for (let n = 0; n < 30; n += 1) await tell(t, 'subscription.active', { customerId: randomUUID() })
  const read = (limit: number) => statementsOf(t, async () => expect((await list({ limit })).customers).toHaveLength(limit))
  const [many, one] = [await read(30), await read(1)]
  expect(Math.abs(many.length - one.length)).toBeLessThanOrEqual(2)
})
