import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../../support/billing.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import { type Client, createClient, type Json } from '../../support/client.ts'
import { type Application, codeFor, type Params, postForm, redeem, refresh, register, userinfo } from '../oidc/flow.ts'
import { joined } from '../organizations/people.ts'
import { idOf, selling, tell } from './purchases.ts'

let t: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp(
    selling({
      plans: ['Team', 'Pro'],
      freeSeats: 'unlimited',
      entitlements: [
        { name: 'pro', product: 'prod_pro', plan: 'Pro' },
        { name: 'pro', product: 'prod_team', plan: 'Team' },
        { name: 'seats', product: 'prod_team', quantity: 'seats' },
        { name: 'sso', benefit: 'benefit_sso' },
        { name: 'storage', product: 'prod_pro', value: 50 },
        { name: 'projects', product: 'prod_pack', quantity: 10 },
      ],
    }),
  )
  shop = await register(t)
})
afterAll(() => t.stop())

const scope = 'openid billing offline_access'
const tokensFor = async (browser: Client, params: Params = {}): Promise<Json> =>
  (await redeem(t, shop, await codeFor(browser, shop, { scope, prompt: 'consent', ...params }))).json

const names = ['entitlements', 'entitlement_values', 'plan', 'subscription_status']
const about = (claims: Json): Json => Object.fromEntries(Object.entries(claims).filter(([name]) => names.includes(name)))
const ofIdToken = (tokens: Json) => about(decodeJwt(String(tokens['id_token'])))
const introspected = async (token: unknown) =>
  about((await postForm(t, shop, '/oauth2/introspect', { token: String(token) })).json)
/** The billing claims, equal in ID token, userinfo and introspection. */
const said = async (tokens: Json): Promise<Json> => {
  const claims = ofIdToken(tokens)
  expect(about((await userinfo(t, tokens['access_token'])).json)).toEqual(claims)
  expect(await introspected(tokens['access_token'])).toEqual(claims)
  return claims
}
const refreshed = async (tokens: Json): Promise<Json> => (await refresh(t, shop, tokens['refresh_token'])).json

const nothing = { entitlements: [], entitlement_values: {} }

describe('a user with purchases', () => {
  test('a purchase gives an entitlement in the next token, and a revocation removes it from userinfo, introspection and the next refresh', async () => {
    const ann = await t.signedIn('ann@example.com')
    const purchase = { externalId: await idOf(ann), email: 'ann@example.com', productId: 'prod_pro', benefitId: 'benefit_sso' }
    const before = await tokensFor(ann)
    expect(await said(before)).toEqual(nothing)

    await tell(t, 'subscription.active', purchase)
    await tell(t, 'benefit_grant.created', purchase)
    const all = {
      ...{ entitlements: ['pro', 'sso', 'storage'], entitlement_values: { storage: 50 } },
      ...{ plan: 'Pro', subscription_status: 'active' },
    }
    // Userinfo shows the entitlement at once, even for a token from before the purchase.
    expect(about((await userinfo(t, before['access_token'])).json)).toEqual(all)
    const bought = await refreshed(before)
    expect(await said(bought)).toEqual(all)

    await tell(t, 'benefit_grant.revoked', purchase)
    const less = { ...all, entitlements: ['pro', 'storage'] }
    expect(about((await userinfo(t, bought['access_token'])).json)).toEqual(less)
    expect(await introspected(bought['access_token'])).toEqual(less)
    const without = await refreshed(bought)
    expect(await said(without)).toEqual(less)

    await tell(t, 'subscription.revoked', purchase)
    expect(await said(await refreshed(without))).toEqual({ ...nothing, subscription_status: 'canceled' })
  })

  test('a user gets a purchase from before the sign-up once the email address is verified', async () => {
    await tell(t, 'subscription.active', { email: 'late@example.com', productId: 'prod_pro' })
    const late = await t.signedIn('late@example.com')
    expect(await said(await tokensFor(late))).toEqual(nothing)
    await late.post('/send-verification-email', { email: 'late@example.com' })
    const { link } = await t.mailTo('late@example.com')
    const page = new URL(link)
    await late.request(`${page.pathname}${page.search}`)
    expect((await late.api.sessions.getSession())?.user.emailVerified).toBe(true)
    expect(await said(await tokensFor(late))).toMatchObject({ entitlements: ['pro', 'storage'], plan: 'Pro' })
  })

  test('an entitlement stays for exactly the grace period after a failed payment', async () => {
    const ben = await t.signedIn('ben@example.com')
    const purchase = { externalId: await idOf(ben), email: 'ben@example.com', productId: 'prod_pro' }
    await tell(t, 'subscription.active', purchase)
    await tell(t, 'subscription.updated', { ...purchase, status: 'past_due' })
    const claims = { entitlements: ['pro', 'storage'], subscription_status: 'past_due' }
    expect(await said(await tokensFor(ben))).toMatchObject(claims)
    t.clock.advance({ days: 7, seconds: -60 })
    expect(await said(await tokensFor(await signedInAgain('ben@example.com')))).toMatchObject(claims)
    t.clock.advance({ seconds: 61 })
    expect(await said(await tokensFor(await signedInAgain('ben@example.com')))).toEqual({
      ...nothing,
      subscription_status: 'past_due',
    })
  })

  test('an unrelated change does not extend the grace period when the event has past_due_at', async () => {
    const dora = await t.signedIn('dora@example.com')
    const purchase = { externalId: await idOf(dora), email: 'dora@example.com', productId: 'prod_pro', status: 'past_due' }
    const dueSince = new Date().toISOString()
    const tellAgain = async () => {
      const event = eventOf('subscription.updated', { ...purchase, at: new Date() })
      const data = { ...event.data, past_due_at: dueSince }
      expect((await post(t.url, signedDelivery(webhookSecret, { ...event, data }))).status).toBe(202)
      return (await dora.api.billing.state()).entitlements[0]?.validUntil
    }
    const end = new Date(Date.parse(dueSince) + 604_800_000)
    expect(await tellAgain()).toEqual(end)
    t.clock.advance({ days: 6 })
    expect(await tellAgain()).toEqual(end)
  })

  test('a pack bought twice counts twice, and counts once after one of the two orders is refunded', async () => {
    const cora = await t.signedIn('cora@example.com')
    const pack = { externalId: await idOf(cora), email: 'cora@example.com', productId: 'prod_pack' }
    await tell(t, 'order.paid', { ...pack, orderId: 'pack_1' })
    await tell(t, 'order.paid', { ...pack, orderId: 'pack_2' })
    const tokens = await tokensFor(cora)
    expect(await said(tokens)).toEqual({ entitlements: ['projects'], entitlement_values: { projects: 20 } })
    await tell(t, 'order.refunded', { ...pack, orderId: 'pack_1' })
    expect(await said(await refreshed(tokens))).toMatchObject({ entitlement_values: { projects: 10 } })
  })

  test('tokens of an application without the scope have no billing claims', async () => {
    const eve = await t.signedIn('eve@example.com')
    await tell(t, 'subscription.active', { externalId: await idOf(eve), productId: 'prod_pro' })
    expect(await said(await tokensFor(eve, { scope: 'openid offline_access' }))).toEqual({})
  })
})

const signedInAgain = async (email: string): Promise<Client> => {
  const browser = t.client()
  await browser.api.accounts.signInEmail({ body: { email, password } })
  return browser
}

describeOnBoth('an organization with purchases', () => {
  const create = async (owner: Client, slug: string) =>
    (await owner.api.organizations.createOrganization({ body: { name: slug, slug } })).id

  test('purchases of an organization entitle its members, and only in tokens for the organization', async () => {
    const owner = await t.signedIn('owner@example.com')
    const organization = await create(owner, 'buyers')
    const purchase = { externalId: organization, email: 'office@example.com', productId: 'prod_team', seats: 3 }
    await tell(t, 'subscription.active', purchase)
    const member = await t.signedIn('member@example.com')
    await t.app.members.add(systemPrincipal('test'), {
      organization,
      user: 'member@example.com',
      role: 'member',
      allowsUnverified: true,
    })

    const team = {
      ...{ entitlements: ['pro', 'seats'], entitlement_values: { seats: 3 } },
      ...{ plan: 'Team', subscription_status: 'active' },
    }
    const tokens = await tokensFor(member, { organization })
    expect(await said(tokens)).toEqual(team)
    expect(await said(await tokensFor(member, { scope: 'openid billing' }))).toEqual(nothing)

    // The person's own purchases count as well, and the better plan wins.
    const own = { externalId: await idOf(member), email: 'member@example.com', productId: 'prod_pro' }
    await tell(t, 'subscription.active', own)
    const both = { ...team, entitlements: ['pro', 'seats', 'storage'], entitlement_values: { seats: 3, storage: 50 } }
    const more = await refreshed(tokens)
    expect(await said(more)).toEqual(both)

    await tell(t, 'subscription.revoked', purchase)
    const left = await refreshed(more)
    expect(await said(left)).toMatchObject({ entitlements: ['pro', 'storage'], plan: 'Pro' })
  })

  test("a removed member loses the organization's entitlements in every token", async () => {
    const owner = await t.signedIn('owner2@example.com')
    const organization = await create(owner, 'leavers')
    await tell(t, 'subscription.active', { externalId: organization, productId: 'prod_team', seats: 3 })
    const member = await t.signedIn('leaver@example.com')
    await t.app.members.add(systemPrincipal('test'), {
      organization,
      user: 'leaver@example.com',
      role: 'member',
      allowsUnverified: true,
    })
    const tokens = await tokensFor(member, { organization })
    expect((await said(tokens))['plan']).toBe('Team')
    const removed = await owner.post('/organization/remove-member', {
      memberIdOrEmail: 'leaver@example.com',
      organizationId: organization,
    })
    expect(removed.status).toBe(200)
    expect(about((await userinfo(t, tokens['access_token'])).json)).toEqual(nothing)
    expect(await introspected(tokens['access_token'])).toEqual(nothing)
    expect(await said(await refreshed(tokens))).toEqual(nothing)
  })

  testOnBoth('of ten users who accept invitations at the same time one gets the last seat', async () => {
    const owner = await t.signedIn('owner3@example.com')
    await t.verify('owner3@example.com')
    const organizationId = await create(owner, 'crowd')
    const purchase = { externalId: organizationId, productId: 'prod_team' }
    await tell(t, 'subscription.active', { ...purchase, seats: 20 })
    const invited = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        const email = `crowd${i}@example.com`
        const client = await t.signedIn(email)
        const body = { email, role: 'member', organizationId }
        const { status, json, text } = await owner.post('/organization/invite-member', body)
        expect([status, text]).toEqual([200, expect.any(String)])
        return { client, invitationId: String(json['id']) }
      }),
    )
    // The subscription has one seat besides the owner's now.
    await tell(t, 'subscription.updated', { ...purchase, seats: 2 })
    const answers = await Promise.all(
      invited.map(({ client, invitationId }) => client.post('/organization/accept-invitation', { invitationId })),
    )
    const refused = answers.filter(({ status }) => status !== 200).map(({ status, json }) => [status, json['code']])
    expect(refused).toEqual(Array.from({ length: 9 }, () => [403, 'SEAT_LIMIT_REACHED']))
    expect(await t.app.core.db.knex('member').where({ organization_id: organizationId })).toHaveLength(2)
    const late = { email: 'late-guest@example.com', role: 'member', organizationId }
    expect((await owner.post('/organization/invite-member', late)).json['code']).toBe('SEAT_LIMIT_REACHED')
  })

  test('open invitations take seats, and without a seat subscription there is no limit', async () => {
    const owner = await t.signedIn('owner4@example.com')
    await t.verify('owner4@example.com')
    const organizationId = await create(owner, 'inviters')
    const invite = async (name: string) =>
      (await owner.post('/organization/invite-member', { email: `${name}@example.com`, role: 'member', organizationId })).json
    expect(await invite('guest1')).toMatchObject({ status: 'pending' })
    await tell(t, 'subscription.active', { externalId: organizationId, productId: 'prod_team', seats: 3 })
    expect(await invite('guest2')).toMatchObject({ status: 'pending' })
    expect(await invite('guest3')).toMatchObject({ code: 'SEAT_LIMIT_REACHED' })
  })

  test('a further member is refused when the seats are full, and members who may invite see the number of taken seats', async () => {
    const owner = await t.signedIn('owner7@example.com')
    await t.verify('owner7@example.com')
    const organizationId = await create(owner, 'counted')
    const view = async (client = owner) =>
      (await client.request('/hosted/organization?organizationSlug=counted', { headers: { origin: t.url } })).json['seats']
    const refusal = async (name: string) => {
      const body = { email: `${name}@example.com`, role: 'member', organizationId }
      return (await owner.post('/organization/invite-member', body)).json
    }
    await tell(t, 'subscription.active', { externalId: organizationId, productId: 'prod_team', seats: 2 })
    await owner.post('/organization/invite-member', { email: 'counted1@example.com', role: 'member', organizationId })
    expect(await view()).toEqual({ seats: 2, isFree: false, members: 1, invitations: 1 })
    expect(await refusal('counted2')).toMatchObject({
      ...{ code: 'SEAT_LIMIT_REACHED', issues: [{ path: 'pendingInvitations' }] },
      message: 'Seat limit reached: members (1) and pending invitations (1) take all seats (2)',
    })
    const { json } = await owner.request(`/organization/list-invitations?organizationId=${organizationId}`)
    const [{ id = '' } = {}] = json as unknown as { id: string }[]
    const guest = await t.signedIn('counted1@example.com')
    await guest.post('/organization/accept-invitation', { invitationId: id })
    expect(await refusal('counted3')).toMatchObject({ code: 'SEAT_LIMIT_REACHED', issues: [{ path: 'boughtSeats' }] })
    expect(await view(guest)).toBeNull()
  })

  test('the plan of an organization is shown to members who may invite, even without seats', async () => {
    const entitlements = [{ name: 'pro', product: 'prod_pro', plan: 'Pro' }]
    const node = await t.node(selling({ freeSeats: 'unlimited', entitlements }).config)
    const owner = await t.signedIn('owner8@example.com')
    const organizationId = await create(owner, 'planned')
    const view = async ({ cookies }: Client) => {
      const client = createClient(node.url)
      for (const [name, value] of cookies) client.cookies.set(name, value)
      return (await client.request('/hosted/organization?organizationSlug=planned')).json
    }
    expect(await view(owner)).toMatchObject({ seats: null, plan: null })
    await tell(t, 'subscription.active', { externalId: organizationId, productId: 'prod_pro' })
    expect(await view(owner)).toMatchObject({ seats: null, plan: 'Pro' })
    expect(await view((await joined(t, organizationId, 'member8@example.com')).client)).toMatchObject({ plan: null })
    await node.stop()
  })

  test('an open invitation keeps its seat for the invited person, even if an operator adds members', async () => {
    const owner = await t.signedIn('owner5@example.com')
    await t.verify('owner5@example.com')
    const organization = await create(owner, 'operated')
    await tell(t, 'subscription.active', { externalId: organization, productId: 'prod_team', seats: 3 })
    for (const name of ['invited1', 'invited2']) {
      const body = { email: `${name}@example.com`, role: 'member', organizationId: organization }
      expect((await owner.post('/organization/invite-member', body)).status).toBe(200)
    }
    const add = async (name: string) => {
      await t.signedIn(`${name}@example.com`)
      await t.verify(`${name}@example.com`)
      return t.app.members.add(systemPrincipal('test'), { organization, user: `${name}@example.com`, role: 'member' })
    }
    await expect(add('added')).rejects.toMatchObject({ code: 'SEAT_LIMIT_REACHED' })
    expect(await add('invited1')).toMatchObject({ role: 'member' })
    // The invitation is used up, so its seat is not taken twice.
    await tell(t, 'subscription.updated', { externalId: organization, productId: 'prod_team', seats: 4 })
    expect(await add('added2')).toMatchObject({ role: 'member' })
    await expect(add('added3')).rejects.toMatchObject({ code: 'SEAT_LIMIT_REACHED' })
  })

  test('an invitation creates an account only while a seat is left, even for simultaneous sign-ups', async () => {
    const owner = await t.signedIn('owner6@example.com')
    await t.verify('owner6@example.com')
    const organizationId = await create(owner, 'strangers')
    const purchase = { externalId: organizationId, productId: 'prod_team' }
    await tell(t, 'subscription.active', { ...purchase, seats: 3 })
    const emails = ['new1@example.com', 'new2@example.com', 'new3@example.com']
    const many = await owner.post('/organization/invite-members', { emails, role: 'member', organizationId })
    expect(many.json).toMatchObject({ invitations: [{}, {}], refused: [{ email: emails[2], code: 'SEAT_LIMIT_REACHED' }] })
    await tell(t, 'subscription.updated', { ...purchase, seats: 1 })
    const link = new URL((await t.mailTo('new1@example.com', 'invitation')).link)
    const token = link.searchParams.get('token')
    const body = { invitationId: link.pathname.split('/').at(-1), token, name: 'New', password }
    const signUp = () => t.client().post('/hosted/invitation/sign-up', body)
    expect((await signUp()).json['code']).toBe('SEAT_LIMIT_REACHED')
    expect(await t.app.core.db.knex('user').where({ email: 'new1@example.com' })).toEqual([])
    await tell(t, 'subscription.updated', { ...purchase, seats: 2 })
    expect((await signUp()).status).toBe(200)
  })
})
