import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { changed, eventOf, post, signedDelivery, webhookSecret } from '../../support/billing.ts'
import type { Client } from '../../support/client.ts'
import { idOf, selling, tell } from './purchases.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp(
    selling({
      freeSeats: 'unlimited',
      entitlements: [
        { name: 'pro', product: 'prod_pro', plan: 'Pro', value: 7 },
        { name: 'seats', product: 'prod_team', quantity: 'seats' },
        { name: 'credits', meter: 'meter_hal', quantity: 'balance' },
      ],
    }),
  )
})
afterAll(() => t.stop())

const paths = ['state', 'subscriptions', 'orders', 'benefits', 'meters'] as const

describe('the billing queries of the signed-in user', () => {
  let ann: Client
  const bought = { customerId: 'cus_ann', productId: 'prod_pro', email: 'ann@example.com' }
  beforeAll(async () => {
    ann = await t.signedIn('ann@example.com')
    const mine = { ...bought, externalId: await idOf(ann) }
    await tell(t, 'subscription.active', { ...mine, subscriptionId: 'sub_1', amount: 1900, currency: 'eur', interval: 'year' })
    await tell(t, 'subscription.updated', { ...mine, subscriptionId: 'sub_1', amount: 2900, currency: 'eur', interval: 'year' })
    await tell(t, 'order.paid', { ...mine, orderId: 'order_1', amount: 500 })
    const keys = { benefitId: 'benefit_keys', benefitType: 'license_keys', grantId: 'grant_keys' } as const
    await tell(t, 'benefit_grant.created', { ...mine, ...keys })
    const files = { benefitId: 'benefit_files', benefitType: 'downloadables', grantId: 'grant_files' } as const
    await tell(t, 'benefit_grant.created', { ...mine, ...files })
  })

  test('the query of the billing state returns the entitlements with the end of each', async () => {
    expect(await ann.api.billing.state()).toEqual({
      ...{ plan: 'Pro', subscriptionStatus: 'active', seats: null },
      entitlements: [{ name: 'pro', value: 7, quantity: null, asOf: null, validUntil: null }],
    })
  })

  test('the query of subscriptions returns subscriptions as the platform last reported them', async () => {
    const { subscriptions, total } = await ann.api.billing.subscriptions()
    expect(total).toBe(1)
    expect(subscriptions).toEqual([
      {
        ...{ id: 'sub_1', productId: 'prod_pro', status: 'active', amount: 2900, currency: 'eur', recurringInterval: 'year' },
        ...{ productName: expect.any(String), createdAt: expect.any(Date), cancelAtPeriodEnd: false, canceledAt: null },
        ...{ currentPeriodStart: expect.any(Date), currentPeriodEnd: expect.any(Date), startedAt: expect.any(Date) },
        ...{ endsAt: null, endedAt: null, seats: null },
      },
    ])
  })

  test('the query of orders returns orders with their amounts', async () => {
    const { orders, total } = await ann.api.billing.orders()
    expect(total).toBe(1)
    expect(orders).toMatchObject([
      {
        id: 'order_1',
        status: 'paid',
        paid: true,
        productId: 'prod_pro',
        subscriptionId: null,
        currency: 'usd',
        refundedAmount: 0,
      },
    ])
    expect(orders[0]?.items.length).toBeGreaterThan(0)
  })

  test('the query of benefits returns license key and files only while the benefit is granted', async () => {
    const { benefits, total } = await ann.api.billing.benefits()
    expect(total).toBe(2)
    expect(benefits.find(({ id }) => id === 'grant_keys')).toMatchObject({
      ...{ benefitId: 'benefit_keys', type: 'license_keys', isGranted: true, revokedAt: null, files: [] },
      ...{ description: expect.any(String), licenseKey: { id: expect.any(String), displayKey: '****-ABCDEF' } },
    })
    expect(benefits.find(({ id }) => id === 'grant_files')).toMatchObject({ licenseKey: null, files: [expect.any(String)] })
    const gone = { benefitId: 'benefit_keys', benefitType: 'license_keys', grantId: 'grant_keys' } as const
    await tell(t, 'benefit_grant.revoked', { ...bought, ...gone, externalId: await idOf(ann) })
    const after = (await ann.api.billing.benefits()).benefits.find(({ id }) => id === 'grant_keys')
    expect(after).toMatchObject({ isGranted: false, revokedAt: expect.any(Date), licenseKey: null })
  })

  test('meters and benefits that only a customer state names are returned, and end when a later customer state lacks them', async () => {
    const cleo = await t.signedIn('cleo@example.com')
    const snapshot = { customerId: 'cus_cleo', externalId: await idOf(cleo), email: 'cleo@example.com', productId: 'prod_pro' }
    const held = { ...snapshot, subscriptionId: 'sub_cleo', benefitId: 'benefit_keys', benefitType: 'license_keys' } as const
    const metered = { priceKind: 'metered_unit', units: { consumed: 2.5, credited: 10 } } as const
    await tell(t, 'customer.state_changed', { ...held, ...metered })
    expect((await cleo.api.billing.meters()).meters).toMatchObject([{ consumedUnits: 2.5, creditedUnits: 10, balance: 7.5 }])
    expect(await cleo.api.billing.subscriptions()).toMatchObject({
      subscriptions: [{ id: 'sub_cleo', status: 'active' }],
      total: 1,
    })
    expect(await cleo.api.billing.benefits()).toMatchObject({
      benefits: [{ isGranted: true, licenseKey: { displayKey: '****-ABCDEF' } }],
      total: 1,
    })
    expect(await cleo.api.billing.subscriptions({ query: { offset: 1 } })).toEqual({ subscriptions: [], total: 1 })

    await tell(t, 'subscription.updated', held)
    expect(await cleo.api.billing.subscriptions()).toMatchObject({ subscriptions: [{ id: 'sub_cleo' }], total: 1 })
    await tell(t, 'customer.state_changed', { ...held, status: 'canceled' })
    expect(await cleo.api.billing.subscriptions()).toMatchObject({ subscriptions: [{ status: 'canceled' }], total: 1 })
    expect((await cleo.api.billing.state()).entitlements).toEqual([])
  })

  test('a benefit whose own event is missing is returned as a later customer state contains it', async () => {
    const finn = await t.signedIn('finn@example.com')
    const mine = { customerId: 'cus_finn', externalId: await idOf(finn), email: 'finn@example.com', grantId: 'grant_finn' }
    const keys = { ...mine, benefitId: 'benefit_keys', benefitType: 'license_keys' } as const
    await tell(t, 'benefit_grant.created', keys)
    await tell(t, 'benefit_grant.revoked', keys)
    t.clock.advance({ seconds: 1 })
    const event = eventOf('customer.state_changed', keys)
    const snapshot = changed(event, 'data.granted_benefits.0.properties.display_key', '****-NEWKEY')
    expect((await post(t.url, signedDelivery(webhookSecret, snapshot))).status).toBe(202)
    expect((await finn.api.billing.benefits()).benefits).toMatchObject([
      { id: 'grant_finn', isGranted: true, revokedAt: null, licenseKey: { displayKey: '****-NEWKEY' } },
    ])
  })

  test('after the subscription has ended neither license key nor file is returned, even if the event about the benefit is late', async () => {
    const gus = await t.signedIn('gus@example.com')
    const mine = { customerId: 'cus_gus', externalId: await idOf(gus), email: 'gus@example.com', subscriptionId: 'sub_gus' }
    await tell(t, 'subscription.active', mine)
    await tell(t, 'benefit_grant.created', { ...mine, benefitId: 'benefit_keys', benefitType: 'license_keys', grantId: 'key' })
    await tell(t, 'benefit_grant.created', { ...mine, benefitId: 'benefit_files', benefitType: 'downloadables', grantId: 'file' })
    const seen = async () => {
      const { benefits } = await gus.api.billing.benefits()
      return benefits.map(({ isGranted, revokedAt, licenseKey, files }) => [isGranted, revokedAt !== null, licenseKey, files])
    }
    expect(await seen()).toMatchObject([
      [true, false, null, [expect.any(String)]],
      [true, false, { displayKey: '****-ABCDEF' }, []],
    ])
    await tell(t, 'subscription.revoked', mine)
    expect(await seen()).toEqual(Array(2).fill([false, true, null, []]))
  })

  test('the time of a meter balance is returned by the queries, and is also in the claims', async () => {
    const hal = await t.signedIn('hal@example.com')
    const userId = await idOf(hal)
    const mine = { customerId: 'cus_hal', externalId: userId, email: 'hal@example.com', meterId: 'meter_hal' }
    const metered = { priceKind: 'metered_unit', units: { consumed: 2.5, credited: 10 } } as const
    const at = new Date('2026-11-20T10:00:00.000Z')
    await tell(t, 'customer.state_changed', { ...mine, ...metered, at })
    expect((await hal.api.billing.meters()).meters).toMatchObject([{ meterId: 'meter_hal', balance: 7.5, asOf: at }])
    expect((await hal.api.billing.state()).entitlements).toMatchObject([{ name: 'credits', quantity: 7.5, asOf: at }])
    const user = await t.app.users.require(t.app.core.db, userId)
    expect(await t.app.claims.values(t.app.core.db, { user, organizationId: null }, ['billing'])).toMatchObject({
      entitlements: ['credits'],
      entitlement_values: { credits: { balance: 7.5, as_of: at.toISOString() } },
    })
  })

  test('the billing queries return pages, newest first, with the total number', async () => {
    const dora = await t.signedIn('dora@example.com')
    const mine = { customerId: 'cus_dora', externalId: await idOf(dora), email: 'dora@example.com' }
    for (const day of [1, 2, 3])
      await tell(t, 'order.paid', { ...mine, orderId: `order_${day}`, createdAt: `2026-01-0${day}T00:00:00.000000Z` })
    const ids = async (query: { limit?: number; offset?: number }) => {
      const { orders, total } = await dora.api.billing.orders({ query })
      expect(total).toBe(3)
      return orders.map(({ id }) => id)
    }
    expect(await ids({ limit: 2 })).toEqual(['order_3', 'order_2'])
    expect(await ids({ limit: 2, offset: 2 })).toEqual(['order_1'])
    expect(await ids({ offset: 3 })).toEqual([])
    for (const wrong of ['limit=0', 'limit=101', 'limit=x', 'offset=-1'])
      expect((await dora.request(`/billing/orders?${wrong}`)).json['code']).toBe('VALIDATION_ERROR')
  })

  test('the billing queries return empty lists to a user without purchases, and 401 without a session', async () => {
    const eve = await t.signedIn('eve@example.com')
    expect(await eve.api.billing.state()).toEqual({ entitlements: [], plan: null, subscriptionStatus: null, seats: null })
    expect(await eve.api.billing.subscriptions()).toEqual({ subscriptions: [], total: 0 })
    for (const path of paths) expect((await t.client().request(`/billing/${path}`)).status).toBe(401)
  })
})

describe('the billing queries of an organization', () => {
  test.each(paths)(
    '%s of an organization answers owners and admins, and plain members get only the billing state',
    async (path) => {
      const owner = await t.signedIn(`owner-${path}@example.com`)
      const organization = (await owner.api.organizations.createOrganization({ body: { name: path, slug: `billing-${path}` } }))
        .id
      const customerId = `cus_${path}`
      const purchase = { customerId, externalId: organization, email: 'office@example.com', productId: 'prod_team' }
      await tell(t, 'subscription.active', { ...purchase, seats: 4, subscriptionId: `sub_${path}` })
      const people: Client[] = []
      for (const role of ['admin', 'member']) {
        const email = `${role}-${path}@example.com`
        people.push(await t.signedIn(email))
        await t.app.members.add(systemPrincipal('test'), { organization, user: email, role, allowsUnverified: true })
      }
      const stranger = await t.signedIn(`stranger-${path}@example.com`)
      await stranger.api.organizations.createOrganization({ body: { name: 'Other', slug: `other-${path}` } })
      const ask = async (client: Client | undefined, organizationId = organization) => {
        const { status, json } = (await client?.request(`/billing/${path}?organizationId=${organizationId}`)) ?? {}
        return [status, json?.['code']]
      }
      const refused = [403, 'YOU_ARE_NOT_ALLOWED_TO_READ_THE_BILLING_OF_THIS_ORGANIZATION']
      const [admin, member] = people
      expect(await ask(owner)).toEqual([200, undefined])
      expect(await ask(admin)).toEqual([200, undefined])
      expect(await ask(member)).toEqual(path === 'state' ? [200, undefined] : refused)
      // The same answer for another organization, an unknown one, a slug, and the id of a user or customer.
      for (const id of [organization, 'nobody', `billing-${path}`, await idOf(owner), customerId])
        expect(await ask(stranger, id)).toEqual(refused)
      expect(await ask(owner, await idOf(owner))).toEqual(refused)
      // The purchases of an organization are not those of its owner.
      expect((await owner.api.billing.subscriptions()).total).toBe(0)
      expect((await owner.api.billing.subscriptions({ query: { organizationId: organization } })).total).toBe(1)
      const state = await owner.api.billing.state({ query: { organizationId: organization } })
      expect(state).toMatchObject({ seats: 4, entitlements: [{ name: 'seats', quantity: 4 }] })

      await t.app.core.db.knex('member').where({ organization_id: organization }).whereNot({ role: 'owner' }).delete()
      expect([await ask(admin), await ask(member)]).toEqual([refused, refused])
    },
  )
})

test('a user who gives up an email address keeps the purchases, and the next user of the address does not get them', async () => {
  const first = await t.signedIn('first@example.com')
  await tell(t, 'subscription.active', { externalId: await idOf(first), email: 'shared@example.com', productId: 'prod_pro' })
  const second = await t.signedIn('shared@example.com')
  expect((await second.api.billing.state()).entitlements).toEqual([])
  expect((await first.api.billing.state()).entitlements).toMatchObject([{ name: 'pro' }])
})
