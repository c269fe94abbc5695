import { afterAll, beforeAll, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'
import { authorizePath, codeFor, offline, redeem, refresh, register, userinfo } from './flow.ts'
import { ownerOf } from './tenants.ts'

let t: TestApp
let ann: Browser
let bob: Browser
beforeAll(async () => {
  t = await testApp()
  ann = await t.signedIn('ann@example.com')
  bob = await t.signedIn('bob@example.com')
})
afterAll(() => t.stop())

const idOf = async (browser: Browser) => (await browser.api.sessions.getSession())?.user.id ?? ''
const listOf = async (browser: Browser) => (await browser.api.connected.listConnectedApplications()).applications
const oneOf = async (browser: Browser, clientId: string) => (await listOf(browser)).find((one) => one.clientId === clientId)
const flushUsage = () => t.app.oidc.flushConsentUsage()

describe('connected applications', () => {
  test('a person sees only their own connected applications, each with name, web page, scopes, organization and times', async () => {
    const { browser, organizations } = await ownerOf(t, 'Acme')
    const [acme] = organizations
    t.clock.hold()
    const shop = await register(t, { name: 'Web shop', uri: 'https://shop.example' })
    const since = t.app.core.clock.now()
    const params = { scope: 'openid email organizations', organization: acme?.slug }
    await redeem(t, shop, await codeFor(browser, shop, params))
    await flushUsage()
    expect(await listOf(browser)).toEqual([
      {
        ...{ clientId: shop.clientId, name: 'Web shop', logo: null, uri: 'https://shop.example', asksForConsent: true },
        openUri: null,
        scopes: ['openid', 'email', 'organizations'],
        ...{ apis: [], actsThrough: [] },
        organizations: [{ id: acme?.id, slug: acme?.slug, name: acme?.name }],
        connectedAt: since,
        lastUsedAt: since,
      },
    ])
    expect(await oneOf(ann, shop.clientId)).toBeUndefined()
    const unknown = await t.client().request('/connected-applications')
    expect(unknown.status).toBe(401)
  })

  test('an application with skipped consent is listed while it holds tokens or a code', async () => {
    const own = await register(t, { name: 'Own', skipConsent: true })
    expect(await oneOf(ann, own.clientId)).toBeUndefined()
    await redeem(t, own, await codeFor(ann, own, { scope: 'openid profile' }))
    expect(await oneOf(ann, own.clientId)).toMatchObject({ asksForConsent: false, scopes: ['openid', 'profile'] })
    t.clock.advance({ days: 1 })
    expect(await oneOf(ann, own.clientId)).toBeUndefined()
  })

  test('the list of connected applications shows no web page whose address is not a web address', async () => {
    const shop = await register(t)
    await codeFor(ann, shop)
    for (const uri of ['javascript:alert(1)', 'http://shop.example', 'http://localhost.shop.example/']) {
      await t.app.core.db.knex('oauth_client').where({ client_id: shop.clientId }).update({ uri })
      expect((await oneOf(ann, shop.clientId))?.uri).toBeNull()
    }
  })

  test('the list of connected applications does not name an organization that the person has left', async () => {
    const { browser, organizations, userId } = await ownerOf(t, 'Left')
    const shop = await register(t)
    await redeem(t, shop, await codeFor(browser, shop, { scope: 'openid organizations', organization: organizations[0]?.slug }))
    await t.app.core.db.knex('member').where({ user_id: userId }).delete()
    expect(await oneOf(browser, shop.clientId)).toMatchObject({ organizations: [] })
  })
})

describeOnBoth('removing the access of an application', () => {
  test('removing a connected application ends its consent, codes and tokens for this person at once, is recorded, and needs no recent sign-in', async () => {
    const [shop, blog] = [await register(t), await register(t)]
    const carol = await t.signedIn('carol@example.com')
    const userId = await idOf(carol)
    const tokens = (await redeem(t, shop, await codeFor(carol, shop, offline))).json
    const pending = await codeFor(carol, shop, offline)
    const others = [
      (await redeem(t, blog, await codeFor(carol, blog))).json['access_token'],
      (await redeem(t, shop, await codeFor(bob, shop))).json['access_token'],
    ]
    const old = new Date(t.app.core.clock.now().getTime() - 90_000_000)
    await t.app.core.db.knex('session').where({ user_id: userId }).update({ proven_at: old })
    expect(await carol.api.connected.removeConnectedApplication({ body: { clientId: shop.clientId } })).toEqual({ status: true })
    expect((await userinfo(t, tokens['access_token'])).status).toBe(401)
    expect((await refresh(t, shop, tokens['refresh_token'])).json).toMatchObject({ error: 'invalid_grant' })
    expect((await redeem(t, shop, pending)).json).toMatchObject({ error: 'invalid_grant' })
    for (const token of others) expect((await userinfo(t, token)).status).toBe(200)
    expect((await listOf(carol)).map(({ clientId }) => clientId)).toEqual([blog.clientId])
    expect((await carol.request(authorizePath(shop))).location).toMatch(/^\/consent\?/)
    const [event] = await t.app.core.db.knex('event').where({ type: 'consent.ended', subject_id: userId })
    expect(event).toMatchObject({ actor_kind: 'user', actor_id: userId })
    expect(JSON.parse(event.data)).toMatchObject({ clientId: shop.clientId, scopes: ['openid', 'offline_access'] })
  })

  test('removing an application that has no access is refused', async () => {
    const shop = await register(t)
    await codeFor(bob, shop)
    for (const clientId of [shop.clientId, 'none']) {
      const end = ann.api.connected.removeConnectedApplication({ body: { clientId } })
      await expect(end).rejects.toMatchObject({ status: 404, code: 'CONSENT_NOT_FOUND' })
    }
    expect(await oneOf(bob, shop.clientId)).toBeDefined()
  })

  testOnBoth('of two simultaneous removals of an application one takes effect', async () => {
    const shop = await register(t)
    await redeem(t, shop, await codeFor(ann, shop))
    const end = () => ann.post('/connected-applications/remove', { clientId: shop.clientId })
    const statuses = (await Promise.all([end(), end(), end()])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 404, 404])
    const events = await t.app.core.db.knex('event').where({ type: 'consent.ended', subject_id: await idOf(ann) })
    expect(events.filter(({ data }) => JSON.parse(data).clientId === shop.clientId)).toHaveLength(1)
  })

  test('an impersonating administrator can read the list of connected applications, but cannot remove an application', async () => {
    const shop = await register(t)
    await redeem(t, shop, await codeFor(ann, shop))
    const admin = await signedInAs(t, 'admin')
    await admin.post('/admin/impersonate-user', { userId: await idOf(ann) })
    expect(await oneOf(admin, shop.clientId)).toBeDefined()
    const end = await admin.post('/connected-applications/remove', { clientId: shop.clientId })
    expect(end.status).toBe(403)
    expect(await oneOf(ann, shop.clientId)).toBeDefined()
  })

  testOnBoth('removing an application at the moment of a refresh leaves no token behind', async () => {
    const shop = await register(t)
    const userId = await idOf(bob)
    for (let round = 0; round < 3; round += 1) {
      const { json } = await redeem(t, shop, await codeFor(bob, shop, offline))
      await Promise.all([
        refresh(t, shop, json['refresh_token']),
        bob.api.connected.removeConnectedApplication({ body: { clientId: shop.clientId } }),
      ])
      expect(await t.app.core.db.knex('oidc_artifact').where({ client_id: shop.clientId, account_id: userId })).toEqual([])
    }
  })
})

testOnBoth('the list of connected applications is read by an index however many people and tokens there are', async () => {
  const shop = await register(t)
  await redeem(t, shop, await codeFor(ann, shop))
  await fill(t, 'user', 6_000, {
    ...{ id: "'g' || n.n", name: "''", email: "'g' || n.n || '@example.com'", email_verified: 'false', role: "'user'" },
    ...{ email_ever_verified: 'false', email_version: '0', created_at: secondsIn2026, updated_at: secondsIn2026 },
  })
  await fill(t, 'oauth_consent', 6_000, {
    ...{ id: "'g' || n.n", client_id: `'${shop.clientId}'`, user_id: "'g' || n.n", scopes: "'openid'", consent_given: 'true' },
    ...{ created_at: secondsIn2026, updated_at: secondsIn2026 },
  })
  await fill(t, 'oidc_artifact', 6_000, {
    ...{ id: "'g' || n.n", kind: "'AccessToken'", account_id: "'g' || n.n", client_id: `'${shop.clientId}'`, payload: "'{}'" },
    ...{ expires_at: secondsIn2026 },
  })
  // The rows of one person are few, so they may be sorted.
  const tables = ['oauth_consent', 'oidc_artifact']
  expect(await planFaults(t, { tables, sorts: true }, () => ann.request('/connected-applications'))).toEqual([])
})

test("the day of an application's last use stays visible after its tokens are gone, and costs one write a day", async () => {
  const shop = await register(t)
  t.clock.hold()
  const first = t.app.core.clock.now().getTime()
  const { json } = await redeem(t, shop, await codeFor(bob, shop, offline))
  await flushUsage()
  t.clock.advance({ minutes: 10 })
  await refresh(t, shop, json['refresh_token'])
  await flushUsage()
  const userId = await idOf(bob)
  const stored = () => t.app.core.db.knex('oauth_consent').where({ user_id: userId, client_id: shop.clientId }).first()
  expect(new Date((await stored()).last_used_at).getTime()).toBe(first)
  expect((await oneOf(bob, shop.clientId))?.lastUsedAt?.getTime()).toBeGreaterThan(first + 599_000)
  t.clock.advance({ days: 400 })
  await bob.api.accounts.signInEmail({ body: { email: 'bob@example.com', password } })
  expect(await oneOf(bob, shop.clientId)).toMatchObject({ lastUsedAt: new Date(first), organizations: [] })
})
