/** Dry runs, seats and drift: what administrators ask before they change rules, or when they doubt the stored state. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { eventOf, post, signedDelivery } from '../../support/billing.ts'
import type { Client } from '../../support/client.ts'
import { idOf, selling, tell } from './purchases.ts'

let t: TestApp
let admin: Client
let ann: string
let acme: string
/** One time for all paid periods, so that they end together. It is in the past, so that a period one second later has ended too. */
const at = new Date(Date.now() - 60_000)
beforeAll(async () => {
  t = await testApp(
    selling({
      entitlements: [
        { name: 'pro', product: 'prod_pro', plan: 'Pro' },
        { name: 'seats', product: 'prod_team', quantity: 'seats' },
      ],
      freeSeats: 2,
    }),
  )
  admin = await signedInAs(t, 'admin')
  ann = await idOf(await t.signedIn('ann@example.com', 'Ann Buyer'))
  const made = await admin.post('/admin/organizations', { name: 'Acme', slug: 'acme', ownerId: ann, unverified: true })
  acme = String(made.json['id'])
  const buys = (customerId: string, productId: string, more: object) =>
    tell(t, 'subscription.active', {
      at,
      customerId,
      email: `${customerId}@example.com`,
      productId,
      subscriptionId: `of_${customerId}`,
      ...more,
    })
  await buys('cus_a', 'prod_pro', { externalId: ann })
  await buys('cus_b', 'prod_extra', { externalId: ann })
  await buys('cus_open', 'prod_pro', { externalId: null })
  await buys('cus_org', 'prod_team', { externalId: acme, seats: 3 })
})
afterAll(() => t.stop())

const others = {
  entitlements: [
    { name: 'pro', product: 'prod_extra', plan: 'Pro' },
    { name: 'storage_gb', product: ['prod_extra'], value: 50 },
    { name: 'seats', product: 'prod_gone', quantity: 'seats' },
  ],
  freeSeats: 2,
}

test('a dry run lists what each owner would gain and lose under other rules, over all customers of the owner', async () => {
  const before = await t.app.core.db.knex('billing_customer').select().orderBy('id')
  const { differences, ...counts } = await admin.api.billingAdmin.dryRunRules({ body: { billing: others } })
  expect(counts).toEqual({
    ...{ customers: 4, owners: 3, changed: 3, plans: 1, seats: 1, next: null },
    entitlements: [
      { name: 'pro', gains: 0, loses: 1, changes: 0 },
      { name: 'seats', gains: 0, loses: 1, changes: 0 },
      { name: 'storage_gb', gains: 1, loses: 0, changes: 0 },
    ],
  })
  const nothing = { gains: [], loses: [], changes: [], plan: null, seats: null }
  expect(differences).toEqual([
    // The owner loses nothing by this customer, because another of their customers gives the same.
    { ...nothing, customerIds: ['cus_a', 'cus_b'], userId: ann, organizationId: null, name: 'Ann Buyer', gains: ['storage_gb'] },
    {
      ...{ ...nothing, customerIds: ['cus_org'], userId: null, organizationId: acme, name: 'Acme', loses: ['seats'] },
      seats: { before: 3, after: 2 },
    },
    {
      ...{ ...nothing, customerIds: ['cus_open'], userId: null, organizationId: null, name: null, loses: ['pro'] },
      plan: { before: 'Pro', after: null },
    },
  ])
  expect(await t.app.core.db.knex('billing_customer').select().orderBy('id')).toEqual(before)
  expect((await admin.api.billingAdmin.entitlementRules()).entitlements.map(({ name }) => name)).toEqual(['pro', 'seats'])
})

test('the pages of a dry run together count every owner once, and each page names at most the requested number of owners', async () => {
  const sum = { customers: 0, owners: 0, changed: 0 }
  let pages = 0
  for (let after: string | undefined; ; ) {
    const page = await admin.api.billingAdmin.dryRunRules({
      body: { billing: others, limit: 1, rows: 0, ...(after && { after }) },
    })
    expect(page.differences).toEqual([])
    for (const name of ['customers', 'owners', 'changed'] as const) sum[name] += page[name]
    pages += 1
    if (page.next === null) break
    after = page.next
  }
  expect([pages, sum]).toEqual([4, { customers: 4, owners: 3, changed: 3 }])
})

test('a dry run of the present rules finds no change, and a dry run of invalid rules is refused', async () => {
  const inEffect = await admin.api.billingAdmin.entitlementRules()
  const same = await admin.api.billingAdmin.dryRunRules({ body: { billing: inEffect } })
  expect([same.changed, same.differences]).toEqual([0, []])
  const wrong = await admin.post('/admin/billing/rules/dry-run', {
    billing: { entitlements: [{ name: 'seats', benefit: 'b', quantity: 'seats' }], plans: ['A', 'A'] },
  })
  expect([wrong.status, wrong.json['code']]).toEqual([400, 'VALIDATION_ERROR'])
  expect(wrong.json['issues']).toEqual(
    expect.arrayContaining([
      { path: 'billing.entitlements.0.quantity', message: 'only a product or price has seats' },
      { path: 'billing.plans', message: 'must not name the same plan twice' },
    ]),
  )
})

test('a dry run reads the section `billing` like the configuration does: omitted keys have their defaults, and secrets are refused', async () => {
  const dryRun = (billing: object) => admin.post('/admin/billing/rules/dry-run', { billing })
  const section = { ...others, onInvalid: 'accept', retentionDays: 400 }
  const whole = await dryRun(section)
  expect(whole.json).toEqual((await dryRun(others)).json)
  expect(whole.status).toBe(200)
  // Without rules nobody is entitled to anything.
  const empty = await dryRun({ retentionDays: 400 })
  expect(empty.json['entitlements']).toEqual([
    { name: 'pro', gains: 0, loses: 2, changes: 0 },
    { name: 'seats', gains: 0, loses: 1, changes: 0 },
  ])
  const withSecret = await dryRun({ secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] })
  expect([withSecret.status, withSecret.json['issues']]).toEqual([
    400,
    [{ path: 'billing', message: expect.stringContaining('secrets') }],
  ])
  const misspelt = await dryRun({ entitlement: [] })
  expect([misspelt.status, misspelt.json['issues']]).toEqual([
    400,
    [{ path: 'billing', message: expect.stringContaining('entitlement') }],
  ])
})

test('a dry run names at most a hundred contradictions, and refuses more ids than the limit', async () => {
  const product = Array.from({ length: 50 }, (_, index) => `p${index}`)
  const ask = (count: number) =>
    admin.post('/admin/billing/rules/dry-run', {
      billing: { entitlements: Array.from({ length: count }, () => ({ name: 'x', product })) },
    })
  const many = await ask(40)
  expect([many.status, many.json['code']]).toEqual([400, 'VALIDATION_ERROR'])
  expect(many.json['issues']).toHaveLength(101)
  const tooMany = await ask(300)
  expect([tooMany.status, tooMany.json['code']]).toEqual([400, 'VALIDATION_ERROR'])
  expect(tooMany.json['issues']).toEqual([{ path: 'billing.entitlements', message: 'more than 2000 ids in all rules together' }])
})

test('the seats report says full when members and open invitations take all seats, and too few after the subscription has ended', async () => {
  const seats = async (query: object = {}) => (await admin.api.billingAdmin.seats({ query })).organizations
  expect(await seats()).toEqual([
    {
      ...{ organizationId: acme, name: 'Acme', slug: 'acme', customerIds: ['cus_org'] },
      customers: [{ kind: 'customer', id: 'cus_org', name: 'Ann Example' }],
      ...{ seats: 3, members: 1, invitations: 0, state: 'free' },
    },
  ])
  const bob = await idOf(await t.signedIn('bob@example.com'))
  await admin.post(`/admin/organizations/${acme}/members`, { userId: bob, role: 'member', unverified: true })
  await admin.post(`/admin/organizations/${acme}/invitations`, { email: 'eve@example.com', role: 'member' })
  expect(await seats({ state: 'full' })).toMatchObject([{ members: 2, invitations: 1, state: 'full' }])
  expect(await seats({ state: 'free' })).toEqual([])
  const end = { customerId: 'cus_org', externalId: acme, productId: 'prod_team', subscriptionId: 'of_cus_org', seats: 3 }
  await tell(t, 'subscription.revoked', { ...end, at: new Date(at.getTime() + 1000) })
  expect(await seats({ state: 'over' })).toMatchObject([{ seats: 2, members: 2, invitations: 1 }])
})

test('the drift list names customers whose purchases or owner do not follow from the received events, page by page', async () => {
  expect(await admin.api.billingAdmin.drift()).toEqual({ customers: [], checked: 4, next: null })
  const { knex } = t.app.core.db
  await knex('billing_customer')
    .where({ id: 'cus_open' })
    .update({ snapshot: JSON.stringify({ customerId: 'cus_open', subscriptions: [], grants: [], orders: [], meters: [] }) })
  await knex('billing_link').where({ customer_id: 'cus_b' }).delete()
  const first = await admin.api.billingAdmin.drift({ query: { limit: 2 } })
  const should = { userId: ann, organizationId: null, linkedBy: 'external_id' }
  expect(first).toEqual({
    customers: [
      {
        ...{ customerId: 'cus_b', customer: { kind: 'customer', id: 'cus_b', name: 'Ann Example' } },
        ...{ owners: [{ kind: 'user', id: ann, name: 'Ann Buyer' }], snapshot: false, link: { is: null, should } },
      },
    ],
    checked: 2,
    next: 'cus_b',
  })
  const rest = await admin.api.billingAdmin.drift({ query: { limit: 2, after: 'cus_b' } })
  const open = { customerId: 'cus_open', customer: { kind: 'customer', id: 'cus_open', name: 'Ann Example' } }
  expect(rest).toEqual({ customers: [{ ...open, owners: [], snapshot: true, link: null }], checked: 2, next: null })
  await t.app.billing.state.rebuild(systemPrincipal('test'), { dryRun: false })
  expect((await admin.api.billingAdmin.drift()).customers).toEqual([])
})

test('deliveries without a valid signature are counted by reason', async () => {
  const forged = signedDelivery('whsec_another0123456789another0123456789', eventOf('order.paid'))
  expect((await post(t.url, forged)).status).toBe(403)
  await t.app.billing.rejections.flush()
  const { rejections } = await admin.api.billingAdmin.rejections()
  expect(rejections).toMatchObject([{ endpoint: 'polar', reason: 'NO_MATCHING_SIGNATURE_FOUND', count: 1 }])
})

test('auditors can read rules, dry runs, seats and drift, and support cannot', async () => {
  const auditor = await signedInAs(t, 'auditor')
  const support = await signedInAs(t, 'support')
  for (const path of ['rules', 'seats', 'drift', 'rejections']) {
    expect((await auditor.request(`/admin/billing/${path}`)).status, path).toBe(200)
    expect((await support.request(`/admin/billing/${path}`)).status, path).toBe(403)
  }
  expect((await auditor.post('/admin/billing/rules/dry-run', { billing: {} })).status).toBe(200)
  expect((await support.post('/admin/billing/rules/dry-run', { billing: {} })).status).toBe(403)
})
