import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { authorizePath, goOn, offline, postForm, queryOf, register } from './flow.ts'
import { assertionOf, postStrictly, pushStrictly, redeemStrictly, registerStrict, type Strict, strictCode } from './profiles.ts'
import { athOf, type ClientKey, clientKey, codeForm, proofFor } from './proofs.ts'

let t: TestApp
let ann: Browser
let key: ClientKey
let bank: Strict
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048, registration: 'open' } } })
  ann = await t.signedIn('ann@example.com')
  key = await clientKey()
  bank = await registerStrict(t, key)
})
afterAll(() => t.stop())

const token = '/oauth2/token'

describe('an application of the profile fapi2', () => {
  test.each(['ES256', 'PS256', 'EdDSA'] as const)(
    'a fapi2 application signs a person in by %s with a pushed request, PKCE and a token bound to its DPoP key',
    async (alg) => {
      const own = await registerStrict(t, await clientKey(alg), { idTokenAlg: alg })
      const { answer, path } = await pushStrictly(t, own)
      expect([answer.status, answer.json['expires_in']]).toEqual([201, 60])
      const back = queryOf((await goOn(ann, await ann.request(path))).location)
      expect(back).toMatchObject({ iss: t.url, state: 'the state' })
      const { json } = await postStrictly(t, own, token, codeForm(back['code'] ?? ''))
      expect(json).toMatchObject({ token_type: 'DPoP' })
      expect(decodeProtectedHeader(String(json['id_token'])).alg).toBe(alg)
      const proof = await proofFor(t, own.key, '/oauth2/userinfo', { claims: { ath: athOf(json['access_token']) } }, 'GET')
      const shown = await t.client().request('/oauth2/userinfo', {
        headers: { authorization: `DPoP ${String(json['access_token'])}`, dpop: proof },
      })
      expect(shown.status).toBe(200)
    },
  )

  test('a fapi2 application cannot start a sign-in without a pushed request', async () => {
    const { location } = await ann.request(authorizePath(bank))
    expect(queryOf(location)).toMatchObject({ error: 'invalid_request', iss: t.url })
  })

  test('a fapi2 application cannot push a request without S256 and redirect_uri, or for another response type than code', async () => {
    for (const params of [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge_method: 'plain' },
      { redirect_uri: undefined },
      { response_type: 'code id_token' },
    ])
      expect((await pushStrictly(t, bank, params)).answer.status).toBe(400)
  })

  test('a fapi2 application gets no token without a DPoP proof, or with a DPoP proof signed by RS256', async () => {
    for (const proof of [Promise.resolve(undefined), proofFor(t, await clientKey('RS256'), token)])
      expect((await postStrictly(t, bank, token, codeForm(await strictCode(t, ann, bank)), { proof })).status).toBe(400)
  })

  test('a fapi2 application is refused with a client assertion for another audience than the issuer, or by another algorithm', async () => {
    const rsa = await clientKey('RS256')
    const jwks = { keys: [{ ...rsa.publicKey, use: 'sig' }] } as never
    const weak = await registerStrict(t, rsa, { jwks })
    const wrong = [
      { aud: `${t.url}${token}` },
      { aud: `${t.url}/oauth2/par` },
      { aud: [t.url] },
      { aud: [t.url, 'https://evil.example'] },
      { aud: undefined },
      { sub: 'somebody' },
      { sub: undefined },
      { iss: undefined },
      { exp: undefined },
      { exp: Math.floor(Date.now() / 1000) - 60 },
      { iat: Math.floor(Date.now() / 1000) + 600 },
      { jti: undefined },
    ].map((claims) => [bank, assertionOf(t, bank, claims)] as const)
    for (const [application, assertion] of [...wrong, [weak, assertionOf(t, weak)] as const]) {
      const { client_id: _, ...form } = queryOf(authorizePath(application))
      const answer = await postStrictly(t, application, '/oauth2/par', form, { assertion })
      expect([400, 401]).toContain(answer.status)
      expect(answer.json['error']).toMatch(/^invalid_(client|request)$/)
    }
    const once = assertionOf(t, bank)
    const { client_id: _, ...form } = queryOf(authorizePath(bank))
    expect((await postStrictly(t, bank, '/oauth2/par', form, { assertion: once })).status).toBe(201)
    expect((await postStrictly(t, bank, '/oauth2/par', form, { assertion: once })).status).toBe(401)
  })

  test('a fapi2 application can redeem a code only within a minute', async () => {
    const code = await strictCode(t, ann, bank)
    t.clock.advance({ seconds: 61 })
    expect((await postStrictly(t, bank, token, codeForm(code))).json['error']).toBe('invalid_grant')
  })

  test('a fapi2 application keeps its refresh token at a refresh, so a lost response does no harm', async () => {
    const { json } = await redeemStrictly(t, ann, bank, offline)
    const form = { grant_type: 'refresh_token', refresh_token: String(json['refresh_token']) }
    for (let i = 0; i < 3; i++) {
      const again = await postStrictly(t, bank, token, form)
      expect(again.json).toMatchObject({ token_type: 'DPoP', refresh_token: form.refresh_token })
      t.clock.advance({ days: 8 })
      ann = await t.signedIn(`ann${i}@example.com`)
    }
    t.clock.advance({ days: 8 })
    expect((await postStrictly(t, bank, token, form)).json['error']).toBe('invalid_grant')
    ann = await t.signedIn('later@example.com')
  })

  test('a fapi2 machine gets a DPoP-bound token', async () => {
    const machine = await registerStrict(t, key, { type: 'machine', redirectUris: [] })
    const form = { grant_type: 'client_credentials' }
    expect((await postStrictly(t, machine, token, form)).json['token_type']).toBe('DPoP')
    expect((await postStrictly(t, machine, token, form, { proof: Promise.resolve(undefined) })).status).toBe(400)
  })
})

describe('the choice of the profile fapi2', () => {
  const jwks = () => ({ keys: [{ ...key.publicKey, alg: 'ES256', use: 'sig' }] }) as never

  test.each<[string, Parameters<typeof register>[1]]>([
    ['an application without a key', { jwks: null }],
    ['an application with a secret', { authMethod: 'client_secret_basic' }],
    ['a public application', { type: 'spa' }],
    ['ID tokens by RS256', { idTokenAlg: 'RS256' }],
    ['ID tokens by HS256', { idTokenAlg: 'HS256' }],
    ['optional PKCE', { pkce: 'optional' }],
    ['a loopback redirect address', { redirectUris: ['http://localhost:3000/callback'] }],
  ])('the profile fapi2 is refused for %s', async (_, more) => {
    await expect(register(t, { profile: 'fapi2', jwks: jwks(), ...more })).rejects.toMatchObject({
      code: 'INVALID_CLIENT_METADATA',
    })
  })

  test('the profile fapi2 is accepted for an application that meets its rules, applies from the next request on, and can be removed', async () => {
    const operator = systemPrincipal('test')
    const { clientId } = await register(t, { authMethod: 'private_key_jwt', jwks: jwks(), idTokenAlg: 'ES256' })
    const startsSignIn = async () => (await ann.request(authorizePath({ clientId, secret: undefined }))).location
    expect(await startsSignIn()).toContain('/consent')
    await t.app.oidc.applications.update(operator, clientId, { profile: 'fapi2' })
    expect(await startsSignIn()).toContain('error=invalid_request')
    await expect(t.app.oidc.applications.update(operator, clientId, { idTokenAlg: 'RS256' })).rejects.toMatchObject({
      code: 'INVALID_CLIENT_METADATA',
    })
    await t.app.oidc.applications.update(operator, clientId, { profile: null })
    expect(await startsSignIn()).toContain('/consent')
  })

  test('clients that register themselves cannot choose the profile fapi2', async () => {
    const answer = await t.client().request('/oauth2/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['https://rp.example/callback'], profile: 'fapi2' }),
    })
    expect(answer.status).toBe(400)
  })

  test('the test sign-in of the console works for a fapi2 application, because the console pushes the request itself', async () => {
    const admin = await signedInAs(t, 'admin')
    const { id, url } = await admin.api.applications.startTestSignIn({ params: { clientId: bank.clientId } })
    const { location } = await goOn(admin, await admin.request(url.slice(t.url.length)))
    expect(location).toContain('/admin/test-sign-in/callback?')
    const { code = '' } = queryOf(location)
    const found = await admin.api.applications.finishTestSignIn({ params: { id }, body: { code } })
    expect(found).toMatchObject({ clientId: bank.clientId, amr: ['pwd'] })
  })
})

test('the secret of another application does not authenticate a fapi2 application', async () => {
  const other = await register(t)
  const answer = await postForm(t, { clientId: bank.clientId, secret: other.secret }, token, { grant_type: 'client_credentials' })
  expect(answer.json['error']).toBe('invalid_client')
})
