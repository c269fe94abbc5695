import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { type Application, codeFor, offline, postForm, redeem, refresh, register, userinfo, verifier } from './flow.ts'

let t: TestApp
let shop: Application
let ann: Browser
const logged: string[] = []
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } }, onLog: (line) => logged.push(line) })
  shop = await register(t)
  ann = await t.signedIn('ann@example.com', 'Ann Mary Example')
})
afterAll(() => t.stop())

const kept = async (table: string) => JSON.stringify(await t.app.core.db.knex(table).select())

describe('an access token', () => {
  const accessToken = async (scope = 'openid email') =>
    (await redeem(t, shop, await codeFor(ann, shop, { scope }))).json['access_token']

  test("userinfo answers GET and POST with the claims of the token's scopes", async () => {
    const token = await accessToken()
    const shown = { sub: expect.any(String), email: 'ann@example.com', email_verified: false }
    expect((await userinfo(t, token)).json).toEqual(shown)
    const posted = await t.client().request('/oauth2/userinfo', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ access_token: String(token) }).toString(),
    })
    expect(posted.json).toEqual(shown)
    const inQuery = await t.client().request(`/oauth2/userinfo?access_token=${String(token)}`)
    expect(inQuery.status).toBe(400)
  })

  test('the claims preferred_username and nickname contain the user name or are absent, and never contain an email address or id', async () => {
    const names = async (scope: string, given = t) => {
      const { nickname, preferred_username } = (await userinfo(given, await accessToken(scope))).json
      return [nickname, preferred_username]
    }
    const set = (patch: object) => t.app.core.db.knex('user').where({ email: 'ann@example.com' }).update(patch)
    await set({ email_verified: true })
    for (const scope of ['openid profile email', 'openid profile', 'openid email'])
      expect(await names(scope), scope).toEqual([undefined, undefined])
    await set({ email_verified: false })
  })

  test('userinfo answers 401 to an unknown, missing or expired access token', async () => {
    const token = await accessToken()
    expect(await userinfo(t, 'unknown')).toMatchObject({
      status: 401,
      json: { error: 'invalid_token', error_description: 'invalid access token' },
    })
    expect(await t.client().request('/oauth2/userinfo')).toMatchObject({ status: 401, json: { error: 'invalid_token' } })
    t.clock.advance({ seconds: 3601 })
    const late = await userinfo(t, token)
    expect(late.status).toBe(401)
    expect(late.headers.get('www-authenticate')).toContain('Bearer')
  })

  test('an access token can be introspected and revoked only by its own client', async () => {
    const other = await register(t)
    const token = String(await accessToken())
    expect((await postForm(t, shop, '/oauth2/introspect', { token })).json).toMatchObject({
      active: true,
      client_id: shop.clientId,
      scope: 'openid email',
      iss: t.url,
    })
    expect((await postForm(t, other, '/oauth2/introspect', { token })).json).toEqual({ active: false })
    expect((await postForm(t, other, '/oauth2/revoke', { token })).status).toBe(200)
    expect((await userinfo(t, token)).status).toBe(200)
    expect((await postForm(t, shop, '/oauth2/revoke', { token })).status).toBe(200)
    expect((await userinfo(t, token)).status).toBe(401)
    expect((await postForm(t, shop, '/oauth2/introspect', { token })).json).toEqual({ active: false })
    expect((await postForm(t, { ...shop, secret: 'wrong' }, '/oauth2/introspect', { token })).status).toBe(401)
  })

  test('revoking a token of another client is answered like any revocation: 200 without body and Content-Type (RFC 7009)', async () => {
    const { json } = await redeem(t, shop, await codeFor(ann, shop, offline))
    for (const token of ['unknown', json['access_token'], json['refresh_token']]) {
      const { status, headers, text } = await postForm(t, shop, '/oauth2/revoke', { token: String(token) })
      expect([status, headers.get('content-type'), headers.get('content-length'), text]).toEqual([200, null, '0', ''])
    }
    const refused = await postForm(t, { ...shop, secret: 'wrong' }, '/oauth2/revoke', { token: 'any' })
    expect(refused).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
    expect(refused.headers.get('content-type')).toMatch(/^application\/json/)
  })

  test('an access token is invalid as soon as its user is deleted', async () => {
    const gone = await t.signedIn('gone@example.com')
    const { json } = await redeem(t, shop, await codeFor(gone, shop, offline))
    await t.app.core.db.knex('user').where({ email: 'gone@example.com' }).delete()
    expect((await userinfo(t, json['access_token'])).status).toBe(401)
    expect((await postForm(t, shop, '/oauth2/introspect', { token: String(json['access_token']) })).json).toEqual({
      active: false,
    })
    expect((await refresh(t, shop, json['refresh_token'])).status).toBe(400)
  })
})

describe('secrets at rest', () => {
  test('codes, tokens and secrets are readable neither in the database nor in the log', async () => {
    const symmetric = await register(t, { idTokenAlg: 'HS256' })
    const code = await codeFor(ann, shop, offline)
    const { json } = await redeem(t, shop, code)
    await redeem(t, shop, 'a-wrong-code')
    const everything =
      (await kept('oidc_artifact')) + (await kept('oauth_client')) + (await kept('signing_key')) + logged.join('')
    for (const secret of [code, json['access_token'], json['refresh_token'], shop.secret, symmetric.secret, verifier])
      expect(everything).not.toContain(String(secret))
    expect(await kept('signing_key')).not.toContain('"d"')
    expect(logged.join('')).toContain('authorization code not found')
  })

  test('the sweep deletes expired artifacts', async () => {
    await redeem(t, shop, await codeFor(ann, shop, offline))
    t.clock.advance({ days: 31 })
    await t.app.oidc.sweep()
    expect(await t.app.core.db.knex('oidc_artifact').select()).toEqual([])
  })
})
