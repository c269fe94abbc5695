import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'
import { authorizePath, codeFor, offline, redeem, refresh, register, userinfo } from './flow.ts'

let t: TestApp
let admin: Browser
let clerk: Browser
let ann: Browser
let bob: Browser
const idOf = async (browser: Browser) => (await browser.api.sessions.getSession())?.user.id ?? ''
beforeAll(async () => {
  t = await testApp({
    config: { access: { roles: { clerk: { permissions: ['grants:read', 'grants:delete'] } } } },
  })
  const withRole = async (role: string) => {
    const browser = await t.signedIn(`${role}@example.com`)
    await t.app.core.db
      .knex('user')
      .where({ email: `${role}@example.com` })
      .update({ role })
    return browser
  }
  admin = await withRole('admin')
  clerk = await withRole('clerk')
  ann = await t.signedIn('ann@example.com')
  bob = await t.signedIn('bob@example.com')
})
afterAll(() => t.stop())

test('an administrator sees the consents of users to applications', async () => {
  const [shop, blog] = [await register(t, { name: 'Shop' }), await register(t, { name: 'Blog' })]
  await codeFor(ann, shop, { scope: 'openid email' })
  await codeFor(ann, blog)
  await codeFor(bob, shop)
  const { grants, next } = await admin.api.grants.listGrants({ query: { clientId: shop.clientId } })
  expect(next).toBeNull()
  expect(grants.map(({ userId, clientName, scopes }) => ({ userId, clientName, scopes }))).toEqual([
    { userId: await idOf(bob), clientName: 'Shop', scopes: ['openid'] },
    { userId: await idOf(ann), clientName: 'Shop', scopes: ['openid', 'email'] },
  ])
  const userId = await idOf(ann)
  const first = await admin.api.grants.listUserConsents({ params: { userId }, query: { limit: 1 } })
  const second = await admin.api.grants.listUserConsents({ params: { userId }, query: { limit: 1, after: first.next ?? '' } })
  expect([...first.consents, ...second.consents].map(({ clientName }) => clientName)).toEqual(['Blog', 'Shop'])
  expect(second.next).toBeNull()
  const both = await admin.api.grants.listGrants({ query: { clientId: shop.clientId, userId } })
  expect(both.grants).toHaveLength(1)
  const unknown = admin.api.grants.listUserConsents({ params: { userId: 'none' } })
  await expect(unknown).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
})

test("ending a consent ends the person's tokens of the application, and the person is asked for consent next time", async () => {
  const [shop, blog] = [await register(t), await register(t)]
  const tokens = (await redeem(t, shop, await codeFor(ann, shop, offline))).json
  const pending = await codeFor(ann, shop, offline)
  const others = [
    (await redeem(t, blog, await codeFor(ann, blog))).json['access_token'],
    (await redeem(t, shop, await codeFor(bob, shop))).json['access_token'],
  ]
  const userId = await idOf(ann)
  const [grant] = (await admin.api.grants.listGrants({ query: { clientId: shop.clientId, userId } })).grants
  const ended = await admin.api.grants.endGrant({ params: { grantId: grant?.id ?? '' } })
  expect(ended.tokens).toBeGreaterThanOrEqual(3)
  expect((await userinfo(t, tokens['access_token'])).status).toBe(401)
  expect((await refresh(t, shop, tokens['refresh_token'])).json).toMatchObject({ error: 'invalid_grant' })
  expect((await redeem(t, shop, pending)).json).toMatchObject({ error: 'invalid_grant' })
  for (const token of others) expect((await userinfo(t, token)).status).toBe(200)
  const asked = await ann.request(authorizePath(shop))
  expect(asked.location).toMatch(/^\/consent\?/)
  const again = admin.api.grants.endGrant({ params: { grantId: grant?.id ?? '' } })
  await expect(again).rejects.toMatchObject({ status: 404, code: 'CONSENT_NOT_FOUND' })
  const [event] = await t.app.core.db.knex('event').where({ type: 'consent.ended', subject_id: userId }).orderBy('id', 'desc')
  expect(JSON.parse(event.data)).toEqual({
    ...{ clientId: shop.clientId, scopes: ['openid', 'offline_access'], ended: ended.tokens },
  })
})

test('access of an application with skipped consent can be ended, with the person named by id or email address', async () => {
  const own = await register(t, { skipConsent: true })
  const { json } = await redeem(t, own, await codeFor(ann, own))
  const params = { userId: await idOf(ann), clientId: own.clientId }
  expect(await admin.api.grants.endUserConsent({ params })).toEqual({ tokens: 2 })
  expect((await userinfo(t, json['access_token'])).status).toBe(401)
  const byAddress = (await redeem(t, own, await codeFor(ann, own))).json
  expect(await admin.api.grants.endUserConsent({ params: { ...params, userId: 'ann@example.com' } })).toEqual({ tokens: 2 })
  expect((await userinfo(t, byAddress['access_token'])).status).toBe(401)
  await expect(admin.api.grants.endUserConsent({ params })).rejects.toMatchObject({ code: 'CONSENT_NOT_FOUND' })
  const unknown = admin.api.grants.endUserConsent({ params: { ...params, userId: 'none' } })
  await expect(unknown).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
})

testOnBoth('ending a consent at the moment of a refresh leaves no token behind', async () => {
  const shop = await register(t)
  const userId = await idOf(bob)
  for (let round = 0; round < 3; round += 1) {
    const { json } = await redeem(t, shop, await codeFor(bob, shop, offline))
    const [renewed] = await Promise.all([
      refresh(t, shop, json['refresh_token']),
      admin.api.grants.endUserConsent({ params: { userId, clientId: shop.clientId } }),
    ])
    expect(await t.app.core.db.knex('oidc_artifact').where({ client_id: shop.clientId, account_id: userId })).toEqual([])
    if (renewed.status === 200) expect((await userinfo(t, renewed.json['access_token'])).status).toBe(401)
  }
})

test("an administrator with fewer permissions than a person cannot end that person's consents", async () => {
  const shop = await register(t)
  await codeFor(admin, shop)
  await codeFor(ann, shop)
  const end = async (browser: Browser) =>
    clerk.api.grants.endUserConsent({ params: { userId: await idOf(browser), clientId: shop.clientId } })
  await expect(end(admin)).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' })
  expect((await end(ann)).tokens).toBe(1)
})

testOnBoth('the lists of consents use an index however many consents there are', async () => {
  const shop = await register(t)
  const userId = await idOf(ann)
  await fill(t, 'user', 6_000, {
    ...{ id: "'g' || n.n", name: "''", email: "'g' || n.n || '@example.com'", email_verified: 'false', role: "'user'" },
    ...{ email_ever_verified: 'false', email_version: '0', created_at: secondsIn2026, updated_at: secondsIn2026 },
  })
  await fill(t, 'oauth_consent', 6_000, {
    ...{ id: "'g' || n.n", client_id: `'${shop.clientId}'`, user_id: "'g' || n.n", scopes: "'openid'", consent_given: 'true' },
    ...{ created_at: secondsIn2026, updated_at: secondsIn2026 },
  })
  // The consents of one person are few, so they may be sorted.
  for (const path of [
    '/admin/grants',
    `/admin/grants?clientId=${shop.clientId}`,
    `/admin/grants?userId=${userId}`,
    `/admin/users/${userId}/consents?order=asc`,
  ])
    expect(await planFaults(t, { tables: ['oauth_consent'], sorts: /user/i.test(path) }, () => admin.request(path))).toEqual([])
})
