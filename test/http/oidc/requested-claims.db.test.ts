import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import {
  type Application,
  authorizePath,
  codeFor,
  goOn,
  offline,
  type Params,
  postForm,
  queryOf,
  redeem,
  refresh,
  register,
  uidOf,
  userinfo,
} from './flow.ts'

let t: TestApp
let shop: Application
let ann: Browser
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048, registration: 'open' } } })
  shop = await register(t)
  ann = await t.signedIn('ann@example.com', 'Ann Example')
})
afterAll(() => t.stop())

/** The claims of the ID token and of userinfo, for a request in this browser. */
const claimsOf = async (params: Params, application = shop, browser = ann) => {
  const { json } = await redeem(t, application, await codeFor(browser, application, params))
  const told = await userinfo(t, json['access_token'])
  return { json, idToken: decodeJwt(String(json['id_token'])), userinfo: told.json }
}
const asking = (claims: object): Params => ({ claims: JSON.stringify(claims) })

describe('the place of the claims of profile and email', () => {
  test('a newly registered application gets the claims about a person only at userinfo by default', async () => {
    const { idToken, userinfo: told } = await claimsOf({ scope: 'openid profile email' })
    for (const name of ['email', 'email_verified', 'name', 'given_name', 'updated_at']) {
      expect(idToken).not.toHaveProperty(name)
      expect(told).toHaveProperty(name)
    }
    expect(idToken).toMatchObject({ sub: told['sub'], acr: expect.any(String), auth_time: expect.any(Number) })
  })

  test('an application with --claims-in id-token also gets the claims of profile and email in the ID token, and after a refresh', async () => {
    const old = await register(t, { claimsIn: 'id-token' })
    const { json, idToken, userinfo: told } = await claimsOf({ ...offline, scope: 'openid profile email offline_access' }, old)
    expect(idToken).toMatchObject({ email: 'ann@example.com', name: 'Ann Example' })
    expect(told).toMatchObject({ email: 'ann@example.com', name: 'Ann Example' })
    const again = await refresh(t, old, json['refresh_token'])
    expect(decodeJwt(String(again.json['id_token']))).toMatchObject({ email: 'ann@example.com' })
    await t.app.oidc.applications.update(systemPrincipal('test'), old.clientId, { claimsIn: 'userinfo' })
    const moved = await refresh(t, old, again.json['refresh_token'])
    expect(decodeJwt(String(moved.json['id_token']))).not.toHaveProperty('email')
  })

  test('an application registered before the setting existed keeps the claims in the ID token', async () => {
    const old = await register(t)
    const row = () => t.app.core.db.knex('oauth_client').where({ client_id: old.clientId })
    const { claimsIn: _, ...before } = JSON.parse(String((await row().first()).metadata)) as Record<string, unknown>
    await row().update({ metadata: JSON.stringify(before) })
    expect((await claimsOf({ scope: 'openid email' }, old)).idToken).toMatchObject({ email: 'ann@example.com' })
    await row().update({ metadata: null })
    const { client } = { client: await t.app.oidc.applications.get(systemPrincipal('test'), old.clientId) }
    expect(client.claimsIn).toBe('id-token')
  })

  test('the entitlements of an organization are in the ID token, even if the claims about the person are only at userinfo', async () => {
    const { idToken, userinfo: told } = await claimsOf({ scope: 'openid email billing' })
    expect(idToken).toMatchObject({ entitlements: [] })
    expect(told).toMatchObject({ entitlements: [], email: 'ann@example.com' })
    expect(idToken).not.toHaveProperty('email')
  })

  test('a client that registers itself cannot choose to get its claims in the ID token', async () => {
    const metadata = { redirect_uris: ['https://rp.example/callback'], claims_in: 'id-token' }
    const answer = await t.client().request('/oauth2/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    })
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_client_metadata'])
  })
})

describe('the parameter claims', () => {
  test('a claim requested for the ID token is only in the ID token, and brings no other claim of its scope', async () => {
    const claims = { id_token: { email: { essential: true }, given_name: null } }
    const { idToken, userinfo: told } = await claimsOf({ scope: 'openid profile email', ...asking(claims) })
    expect(idToken).toMatchObject({ email: 'ann@example.com', given_name: 'Ann' })
    expect(idToken).not.toHaveProperty('name')
    expect(idToken).not.toHaveProperty('email_verified')
    expect(told).toMatchObject({ email: 'ann@example.com', name: 'Ann Example', email_verified: false })
  })

  test('a claim requested at userinfo is returned without its scope, and is not in the ID token', async () => {
    const wanted = asking({ userinfo: { name: { essential: true } } })
    const { json, idToken, userinfo: told } = await claimsOf({ scope: 'openid', ...wanted })
    expect(told).toEqual({ sub: idToken.sub, name: 'Ann Example' })
    expect(idToken).not.toHaveProperty('name')
    expect(json['scope']).toBe('openid')
  })

  test('individually requested claims are returned again after a refresh', async () => {
    const { json } = await claimsOf({ ...offline, ...asking({ id_token: { email: null }, userinfo: { name: null } }) })
    const again = await refresh(t, shop, json['refresh_token'])
    expect(decodeJwt(String(again.json['id_token']))).toMatchObject({ email: 'ann@example.com' })
    expect((await userinfo(t, again.json['access_token'])).json).toMatchObject({ name: 'Ann Example' })
  })

  test('the person is asked for consent to the scope of a requested claim, and a refusal gives no code', async () => {
    const client = await register(t)
    const params = { scope: 'openid', ...asking({ userinfo: { email: null } }) }
    const asked = await ann.request(authorizePath(client, params))
    const details = await ann.api.oidc.interaction({ params: { uid: uidOf(asked) } })
    expect(details).toMatchObject({ prompt: 'consent', scopes: ['openid', 'email'], newScopes: ['openid', 'email'] })
    expect(queryOf((await goOn(ann, asked, false)).location)['error']).toBe('access_denied')
    await codeFor(ann, client, { scope: 'openid' })
    const silent = await ann.request(authorizePath(client, { ...params, prompt: 'none' }))
    expect(queryOf(silent.location)['error']).toBe('consent_required')
    await codeFor(ann, client, params)
    expect(queryOf((await ann.request(authorizePath(client, { ...params, prompt: 'none' }))).location)['code']).toBeTruthy()
  })

  test('unknown claims, and claims whose scope the application may not request, are left out, even if requested as essential', async () => {
    const narrow = await register(t, { scope: ['openid', 'profile'] })
    const wanted = { email: { essential: true }, phone_number: { essential: true }, org_id: null, __proto__: null, act: null }
    const { idToken, userinfo: told } = await claimsOf({ ...asking({ id_token: wanted, userinfo: wanted, other: 7 }) }, narrow)
    for (const name of ['email', 'phone_number', 'org_id', 'act'])
      for (const place of [idToken, told]) expect(place).not.toHaveProperty(name)
  })

  test('requested claims end when the application loses the scope of the claims', async () => {
    const client = await register(t)
    const { json } = await claimsOf({ ...offline, ...asking({ userinfo: { email: null } }) }, client)
    await t.app.oidc.applications.update(systemPrincipal('test'), client.clientId, { scopes: ['openid', 'offline_access'] })
    expect((await userinfo(t, json['access_token'])).json).not.toHaveProperty('email')
    const again = await refresh(t, client, json['refresh_token'])
    expect((await userinfo(t, again.json['access_token'])).json).not.toHaveProperty('email')
  })

  test('a pushed request can request claims', async () => {
    const params = queryOf(authorizePath(shop, asking({ id_token: { email: null } })))
    const { json } = await postForm(t, shop, '/oauth2/par', params)
    const path = `/oauth2/authorize?${new URLSearchParams({ client_id: shop.clientId, request_uri: String(json['request_uri']) })}`
    const { code = '' } = queryOf((await goOn(ann, await ann.request(path))).location)
    expect(decodeJwt(String((await redeem(t, shop, code)).json['id_token']))).toMatchObject({ email: 'ann@example.com' })
  })

  test('a request for a given sub gets no code in the session of another person', async () => {
    const { idToken } = await claimsOf({ scope: 'openid' })
    const of = (sub: object) => ({ ...asking({ id_token: { sub } }), prompt: 'none' })
    for (const sub of [{ value: idToken.sub }, { values: [idToken.sub] }, { essential: true, value: idToken.sub }])
      expect(queryOf((await ann.request(authorizePath(shop, of(sub)))).location)['code']).toBeTruthy()
    for (const sub of [{ value: 'somebody' }, { values: ['somebody'] }, { essential: true, value: 'somebody' }])
      expect(queryOf((await ann.request(authorizePath(shop, of(sub)))).location)['error']).toBe('login_required')
    const asked = await ann.request(authorizePath(shop, asking({ id_token: { sub: { value: 'somebody' } } })))
    expect(asked.location).toMatch(/^\/sign-in\?/)
  })

  test('an essential auth_time is in the ID token', async () => {
    const wanted = asking({ id_token: { auth_time: { essential: true } } })
    expect((await claimsOf({ scope: 'openid', ...wanted })).idToken['auth_time']).toEqual(expect.any(Number))
  })

  test.each([
    '{',
    '[]',
    'null',
    '7',
    '{}',
    '{"id_token":[]}',
    '{"userinfo":7}',
    '{"id_token":{"email":true}}',
    '{"id_token":{"email":[]}}',
    '{"userinfo":{"email":{"essential":"true"}}}',
    '{"userinfo":{"email":{"values":"x"}}}',
    '{"id_token":{"sub":{"value":7}}}',
    '{"id_token":{"sub":{"values":["a","b"]}}}',
    '{"id_token":{"auth_time":{"value":"1"}}}',
    '{"id_token":{"acr":{"values":[7]}}}',
  ])('the parameter claims=%s is an invalid request', async (claims) => {
    expect(queryOf((await ann.request(authorizePath(shop, { claims }))).location)['error']).toBe('invalid_request')
  })
})
