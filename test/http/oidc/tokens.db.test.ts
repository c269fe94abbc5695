import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import {
  type Application,
  codeFor,
  offline,
  postForm,
  redeem,
  redirectUri,
  refresh,
  register,
  userinfo,
  verifier,
} from './flow.ts'

const form = 'application/x-www-form-urlencoded'

let t: TestApp
let shop: Application
let ann: Browser
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  shop = await register(t)
  ann = await t.signedIn('ann@example.com', 'Ann Mary Example')
})
afterAll(() => t.stop())

describe('an authorization code', () => {
  test('a code gives an access token and an ID token, and no refresh token without offline_access', async () => {
    const application = await register(t, { claimsIn: 'id-token' })
    const code = await codeFor(ann, application, { scope: 'openid profile email', nonce: 'n-1' })
    const answer = await redeem(t, application, code)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^[\w-]{32}$/),
      id_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid profile email',
    })
    const claims = decodeJwt(String(answer.json['id_token']))
    expect(claims).toMatchObject({
      iss: t.url,
      aud: application.clientId,
      nonce: 'n-1',
      auth_time: expect.any(Number),
      name: 'Ann Mary Example',
      given_name: 'Ann',
      family_name: 'Mary Example',
      email: 'ann@example.com',
      email_verified: false,
    })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600)
  })

  test('a code is redeemed with the client secret in the header, in the form or in a JSON body', async () => {
    const secretInBody = {
      client_id: shop.clientId,
      client_secret: shop.secret,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }
    const withJson = await t
      .client()
      .post('/oauth2/token', { grant_type: 'authorization_code', code: await codeFor(ann, shop), ...secretInBody })
    expect(withJson.status).toBe(200)
    const anonymous = { clientId: shop.clientId, secret: undefined }
    const withForm = await redeem(t, anonymous, await codeFor(ann, shop), { client_secret: shop.secret })
    expect(withForm.status).toBe(200)
    expect((await redeem(t, shop, await codeFor(ann, shop))).status).toBe(200)
  })

  test.each([
    [
      'another verifier',
      { code_verifier: 'another-verifier-of-the-length-that-is-specified-here' },
      'invalid_grant',
      'code verification failed',
    ],
    ['no verifier', { code_verifier: undefined }, 'invalid_grant', /./],
    ['another redirect URI', { redirect_uri: 'https://rp.example/other' }, 'invalid_grant', 'invalid redirect_uri'],
    ['no redirect URI', { redirect_uri: undefined }, 'invalid_request', /redirect_uri/],
    ['no code', { code: undefined }, 'invalid_request', /code/],
    ['an unknown code', { code: 'unknown' }, 'invalid_grant', 'invalid code'],
    ['no grant type', { grant_type: undefined }, 'invalid_request', /grant_type/],
    ['an unknown grant type', { grant_type: 'password' }, 'unsupported_grant_type', /./],
  ])('a code cannot be redeemed with %s', async (_, params, error, description) => {
    const answer = await redeem(t, shop, await codeFor(ann, shop), params)
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ error, error_description: expect.stringMatching(description) })
  })

  test('a code expires after ten minutes', async () => {
    const code = await codeFor(ann, shop)
    t.clock.advance({ seconds: 601 })
    expect((await redeem(t, shop, code)).json).toEqual({ error: 'invalid_grant', error_description: 'code expired' })
  })

  test('a code of another client gets the same status as an unknown code', async () => {
    const other = await register(t)
    expect(await redeem(t, other, await codeFor(ann, shop))).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
  })

  test.each([
    ['another verifier', { code_verifier: 'another-verifier-of-the-length-that-is-specified-here' }],
    ['no verifier', { code_verifier: undefined }],
    ['something too short to be a verifier', { code_verifier: 'guess' }],
    ['another redirect URI', { redirect_uri: 'https://rp.example/other' }],
  ])('a code sent with %s is used up and cannot be redeemed any more', async (_, params) => {
    const code = await codeFor(ann, shop)
    expect((await redeem(t, shop, code, params)).status).toBe(400)
    expect((await redeem(t, shop, code)).json).toEqual({ error: 'invalid_grant', error_description: 'invalid code' })
  })

  test('a code that another client sends with a wrong verifier can still be redeemed by its own client', async () => {
    const other = await register(t)
    const code = await codeFor(ann, shop)
    await redeem(t, other, code, { code_verifier: 'another-verifier-of-the-length-that-is-specified-here' })
    expect((await redeem(t, shop, code)).status).toBe(200)
  })

  test('the second use of a code fails and revokes the tokens of the first use', async () => {
    const code = await codeFor(ann, shop, offline)
    const first = await redeem(t, shop, code)
    expect(await redeem(t, shop, code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    expect((await userinfo(t, first.json['access_token'])).status).toBe(401)
    expect((await refresh(t, shop, first.json['refresh_token'])).json['error']).toBe('invalid_grant')
  })
})

describe('client authentication', () => {
  test.each([
    ['a wrong secret', (a: Application) => ({ ...a, secret: 'wrong' }), 'invalid client_secret'],
    ['an unknown id', (a: Application) => ({ ...a, clientId: 'unknown' }), 'invalid client_id'],
    ['no secret', (a: Application) => ({ ...a, secret: undefined }), /./],
  ])('a client with %s is refused with 401', async (_, change, description) => {
    const answer = await redeem(t, change(shop), await codeFor(ann, shop))
    expect(answer.status).toBe(401)
    expect(answer.json).toMatchObject({ error: 'invalid_client', error_description: expect.stringMatching(description) })
  })

  test.each(['/oauth2/token', '/oauth2/introspect', '/oauth2/revoke', '/oauth2/par'])(
    'a client that does not authenticate at %s gets 401 invalid_client',
    async (path) => {
      const ask = (headers: Record<string, string> = {}) =>
        t.client().request(path, { method: 'POST', body: 'token=any', headers: { 'content-type': form, ...headers } })
      const answer = await ask()
      expect([answer.status, answer.json]).toEqual([
        401,
        { error: 'invalid_client', error_description: 'client_id and client_secret are required' },
      ])
      for (const authorization of [
        'Basic %%%',
        `Basic ${btoa('no colon')}`,
        `Basic ${btoa(`${shop.clientId}:`)}`,
        'Digest abc',
      ]) {
        const wrong = await ask({ authorization })
        expect([wrong.status, wrong.json['error']]).toEqual([401, 'invalid_client'])
        expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic realm=/)
      }
    },
  )

  test('a public client may send its id in a Basic header with an empty secret', async () => {
    const spa = await register(t, { type: 'spa' })
    const authorization = `Basic ${btoa(`${spa.clientId}:`)}`
    const fields = async () => ({
      grant_type: 'authorization_code',
      code: await codeFor(ann, spa),
      redirect_uri: redirectUri,
      code_verifier: verifier,
    })
    const post = (body: string, type: string) =>
      t.client().request('/oauth2/token', { method: 'POST', body, headers: { 'content-type': type, authorization } })
    const asForm = await post(new URLSearchParams(await fields()).toString(), form)
    expect([asForm.status, asForm.json['error']]).toEqual([200, undefined])
    expect((await post(JSON.stringify(await fields()), 'application/json')).status).toBe(200)
    const another = await post(new URLSearchParams({ ...(await fields()), client_id: shop.clientId }).toString(), form)
    expect(another.json['error_description']).toBe('client_id mismatch')
    expect((await userinfo(t, asForm.json['access_token'])).status).toBe(200)
  })

  test('a disabled client cannot authenticate', async () => {
    const closed = await register(t)
    const code = await codeFor(ann, closed)
    await t.app.core.db.knex('oauth_client').where({ client_id: closed.clientId }).update({ disabled: true })
    t.app.oidc.clients.forget()
    expect((await redeem(t, closed, code)).json).toEqual({ error: 'invalid_client', error_description: 'client is disabled' })
  })

  test('a public client needs no secret and must use PKCE', async () => {
    const spa = await register(t, { type: 'spa' })
    expect(spa.secret).toBeUndefined()
    expect((await redeem(t, spa, await codeFor(ann, spa))).status).toBe(200)
    expect((await redeem(t, spa, await codeFor(ann, spa), { code_verifier: undefined })).status).toBe(400)
    expect((await redeem(t, { ...spa, secret: 'any' }, await codeFor(ann, spa))).status).toBe(401)
  })

  test('a client with a secret needs no PKCE by default, but must send the verifier of a challenge that it sent', async () => {
    const old = await register(t)
    const plain = { code_challenge: undefined, code_challenge_method: undefined }
    const [without, verified, dropped] = [
      await redeem(t, old, await codeFor(ann, old, plain), { code_verifier: undefined }),
      await redeem(t, old, await codeFor(ann, old)),
      await redeem(t, old, await codeFor(ann, old), { code_verifier: undefined }),
    ]
    expect([without.status, verified.status, dropped.json['error']]).toEqual([200, 200, 'invalid_grant'])
    // An attacker puts the code of another sign-in into a sign-in with a challenge (RFC 9700, section 4.8.2). The code is used up then.
    const injected = await codeFor(ann, old, plain)
    expect((await redeem(t, old, injected)).json).toEqual({
      error: 'invalid_grant',
      error_description: 'code verification failed',
    })
    expect((await redeem(t, old, injected, { code_verifier: undefined })).json['error_description']).toBe('invalid code')
    for (const type of ['spa', 'native'] as const)
      await expect(register(t, { type, pkce: 'optional' })).rejects.toMatchObject({ code: 'INVALID_CLIENT_METADATA' })
  })

  test('a machine client gets a token for itself', async () => {
    const machine = await register(t, { type: 'machine', redirectUris: [] })
    const answer = await postForm(t, machine, '/oauth2/token', { grant_type: 'client_credentials', scope: 'email' })
    expect(answer.json).toEqual({ access_token: expect.any(String), expires_in: 3600, scope: 'email', token_type: 'Bearer' })
    const seen = await postForm(t, machine, '/oauth2/introspect', { token: String(answer.json['access_token']) })
    expect(seen.json).toMatchObject({ active: true, client_id: machine.clientId })
    expect((await postForm(t, shop, '/oauth2/token', { grant_type: 'client_credentials' })).status).toBe(400)
  })
})

describe('a JSON body of the token endpoint', () => {
  test.each([
    ['a list', '[]', 'the body must be an object'],
    ['a number as code', '{"code":1}', 'code must be a string'],
    ['no JSON', '{', /JSON/],
  ])('a JSON body that is %s is refused', async (_, body, description) => {
    const answer = await t
      .client()
      .request('/oauth2/token', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    expect(answer).toMatchObject({
      status: 400,
      json: { error: 'invalid_request', error_description: expect.stringMatching(description) },
    })
  })
})

describe('a refresh token', () => {
  const tokens = async (application = shop) => (await redeem(t, application, await codeFor(ann, application, offline))).json

  test('a refresh token is issued for offline_access and replaced at each use, and reusing an old one ends the token family', async () => {
    const first = await tokens()
    const second = await refresh(t, shop, first['refresh_token'])
    expect(second.status).toBe(200)
    expect(second.json).toMatchObject({
      refresh_token: expect.stringMatching(/^[\w-]{32}$/),
      id_token: expect.any(String),
      scope: offline.scope,
    })
    expect(second.json['refresh_token']).not.toBe(first['refresh_token'])
    expect((await userinfo(t, second.json['access_token'])).status).toBe(200)
    t.clock.advance({ seconds: 31 })
    expect((await refresh(t, shop, first['refresh_token'])).json).toEqual({
      error: 'invalid_grant',
      error_description: 'invalid refresh token',
    })
    expect((await refresh(t, shop, second.json['refresh_token'])).json['error']).toBe('invalid_grant')
    expect((await userinfo(t, second.json['access_token'])).status).toBe(401)
  })

  test('a refresh token cannot gain scopes, needs client authentication, and belongs to one client', async () => {
    const { refresh_token } = await tokens()
    expect((await refresh(t, shop, refresh_token, { scope: 'openid email' })).json['error']).toBe('invalid_scope')
    expect((await refresh(t, { ...shop, secret: 'wrong' }, refresh_token)).status).toBe(401)
    expect((await refresh(t, await register(t), refresh_token)).json['error']).toBe('invalid_grant')
    expect((await refresh(t, shop, refresh_token)).status).toBe(200)
  })

  test('a refresh token lives seven days, and its token family thirty days at most', async () => {
    const { refresh_token } = await tokens()
    t.clock.advance({ days: 7, seconds: 1 })
    expect((await refresh(t, shop, refresh_token)).json['error_description']).toBe('refresh token expired')
    ann = await t.signedIn('ann2@example.com')
    let current: unknown = (await tokens())['refresh_token']
    for (let day = 0; day < 30; day += 6) {
      const answer = await refresh(t, shop, current)
      expect(answer.status).toBe(200)
      current = answer.json['refresh_token']
      t.clock.advance({ days: 6 })
    }
    expect((await refresh(t, shop, current)).status).toBe(400)
    ann = await t.signedIn('ann3@example.com', 'Ann Mary Example')
  })
})
