/** Administrators end a person's consent for one organization, and nothing else. */
import { afterAll, beforeAll, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { type Application, authorizePath, codeFor, redeem, refresh, register, userinfo } from './flow.ts'
import { type Owner, ownerOf } from './tenants.ts'

let t: TestApp
let node: TestApp
let admin: Browser
let ann: Owner
let acme: string
let globex: string
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048, consentTtlDays: 30 } } })
  node = await t.node()
  admin = await signedInAs(t, 'admin')
  ann = await ownerOf(t, 'Acme', 'Globex')
  ;[acme = '', globex = ''] = ann.organizations.map(({ id }) => id)
})
afterAll(async () => {
  await node.stop()
  await t.stop()
})

const scope = 'openid offline_access organizations'
const tokensFor = async (shop: Application, organization: string) =>
  (await redeem(t, shop, await codeFor(ann.browser, shop, { scope, organization, prompt: 'consent' }))).json
const isAsked = async (shop: Application, organization: string) =>
  (await ann.browser.request(authorizePath(shop, { scope: 'openid organizations', organization }))).location?.startsWith(
    '/consent',
  )
const end = ({ clientId }: Application, organizationId: string) =>
  admin.api.grants.endUserConsentForOrganization({ params: { userId: ann.userId, clientId, organizationId } })
const listed = async ({ clientId }: Application) =>
  (await admin.api.grants.listGrants({ query: { clientId } })).grants.map(({ organizations, expiresAt }) => ({
    organizations,
    expiresAt,
  }))
const isAlive = async (token: unknown) => (await userinfo(t, token)).status === 200

test('a consent lists its organizations by name with its expiry, and can be ended for one organization with the codes and tokens for it', async () => {
  const shop = await register(t, { name: 'Shop' })
  const [ofAcme, ofGlobex] = [await tokensFor(shop, acme), await tokensFor(shop, globex)]
  const named = (id: string) => ({ kind: 'organization', id, name: ann.organizations.find((one) => one.id === id)?.name })
  expect(await listed(shop)).toEqual([{ organizations: [named(acme), named(globex)], expiresAt: expect.any(Date) }])
  const pending = await codeFor(ann.browser, shop, { scope, organization: acme, prompt: 'consent' })
  // Every call accepts the id or slug of an organization.
  expect((await end(shop, String(ann.organizations[0]?.slug))).tokens).toBeGreaterThan(2)
  expect([await isAlive(ofAcme['access_token']), await isAlive(ofGlobex['access_token'])]).toEqual([false, true])
  expect((await refresh(t, shop, ofAcme['refresh_token'])).json['error']).toBe('invalid_grant')
  expect((await refresh(t, shop, ofGlobex['refresh_token'])).status).toBe(200)
  expect((await redeem(t, shop, pending)).json['error']).toBe('invalid_grant')
  expect([await isAsked(shop, acme), await isAsked(shop, globex)]).toEqual([true, false])
  expect(await listed(shop)).toMatchObject([{ organizations: [named(globex)] }])
  const [event] = await t.app.core.db.knex('event').where({ type: 'consent.ended', subject_id: ann.userId })
  expect(JSON.parse(event.data)).toMatchObject({ clientId: shop.clientId, organizationId: acme })
  await expect(end(shop, acme)).rejects.toMatchObject({ status: 404, code: 'CONSENT_NOT_FOUND' })
  t.clock.advance({ seconds: 2 })
  expect(await isAlive((await tokensFor(shop, acme))['access_token'])).toBe(true)
})

testOnBoth("a consent from before consents were per organization stays valid for the person's other organizations", async () => {
  const shop = await register(t, { name: 'Old' })
  await tokensFor(shop, acme)
  await t.app.core.transact((tx) => tx.knex('oauth_consent').where({ client_id: shop.clientId }).update({ organizations: null }))
  await end(shop, acme)
  expect(await listed(shop)).toMatchObject([{ organizations: [{ id: globex }] }])
  await expect(end(shop, 'nobody')).rejects.toMatchObject({ code: 'CONSENT_NOT_FOUND' })
})

testOnBoth('ending the consent for an organization during a code or refresh on another node leaves no valid token', async () => {
  const shop = await register(t, { name: 'Race' })
  for (let round = 0; round < 6; round++) {
    t.clock.advance({ seconds: 2 })
    const { refresh_token } = await tokensFor(shop, acme)
    const code = await codeFor(ann.browser, shop, { scope, organization: acme, prompt: 'consent' })
    await Promise.all([refresh(node, shop, refresh_token), redeem(node, shop, code), end(shop, acme)])
    const rows = await t.app.core.db.knex('oidc_artifact').where({ client_id: shop.clientId, account_id: ann.userId })
    expect(rows.filter(({ payload }) => JSON.stringify(payload).includes(acme))).toEqual([])
  }
})

test('an administrator with read permission alone cannot end a consent', async () => {
  const shop = await register(t, { name: 'Shop' })
  await tokensFor(shop, acme)
  const auditor = await signedInAs(t, 'auditor')
  const params = { userId: ann.userId, clientId: shop.clientId, organizationId: acme }
  await expect(auditor.api.grants.endUserConsentForOrganization({ params })).rejects.toMatchObject({ status: 403 })
})
