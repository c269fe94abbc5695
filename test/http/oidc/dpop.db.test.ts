import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { type Application, authorizePath, codeFor, offline, type Params, postForm, queryOf, register, userinfo } from './flow.ts'
import { athOf, type ClientKey, clientKey, codeForm, type ProofParts, postWithProof, proofFor } from './proofs.ts'

let t: TestApp
let shop: Application
let spa: Application
let ann: Browser
let key: ClientKey
let other: ClientKey
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  shop = await register(t)
  spa = await register(t, { type: 'spa' })
  ann = await t.signedIn('ann@example.com', 'Ann Example')
  key = await clientKey()
  other = await clientKey()
})
afterAll(() => t.stop())

const token = '/oauth2/token'
const proof = (parts: ProofParts = {}, by = key, path = token) => proofFor(t, by, path, parts)
/** Redeems a new code with the given proof. */
const redeem = async (sent: string | readonly string[] | undefined, application = shop, params: Params = {}) =>
  postWithProof(t, application, token, codeForm(await codeFor(ann, application, params)), sent)
const bound = async (application = shop, params: Params = {}) => (await redeem(await proof(), application, params)).json
const askUserinfo = async (accessToken: unknown, parts: ProofParts = {}, by = key, scheme = 'DPoP', url = t.url) =>
  t.client().request('/oauth2/userinfo', {
    headers: {
      authorization: `${scheme} ${String(accessToken)}`,
      dpop: await proofFor(
        { ...t, url },
        by,
        '/oauth2/userinfo',
        { ...parts, claims: { ath: athOf(accessToken), ...parts.claims } },
        'GET',
      ),
    },
  })
const introspect = async (value: unknown, application = shop) =>
  (await postForm(t, application, '/oauth2/introspect', { token: String(value) })).json

describe('a token bound to a DPoP key', () => {
  test.each(['ES256', 'PS256', 'EdDSA'])(
    'a code redeemed with a DPoP proof by %s gives a token bound to the key of the proof',
    async (alg) => {
      const own = await clientKey(alg)
      const answer = await redeem(await proof({}, own))
      expect(answer.json).toMatchObject({ token_type: 'DPoP', access_token: expect.any(String) })
      expect(await introspect(answer.json['access_token'])).toMatchObject({
        ...{ active: true, token_type: 'DPoP', cnf: { jkt: own.thumbprint } },
      })
      expect((await askUserinfo(answer.json['access_token'], {}, own)).json).toMatchObject({ sub: expect.any(String) })
    },
  )

  test('a DPoP-bound token is refused as a Bearer token, without a DPoP proof, and with a DPoP proof of another key', async () => {
    const { access_token } = await bound()
    for (const answer of [
      await userinfo(t, access_token),
      await t.client().request('/oauth2/userinfo', { headers: { authorization: `DPoP ${String(access_token)}` } }),
      await askUserinfo(access_token, {}, other),
      await askUserinfo(access_token, {}, key, 'Bearer'),
    ]) {
      expect([400, 401]).toContain(answer.status)
      expect(answer.headers.get('www-authenticate')).toContain('DPoP')
    }
    expect((await askUserinfo(access_token)).status).toBe(200)
  })

  test('a request with an unbound token and a DPoP proof is refused', async () => {
    const { access_token, token_type } = (await redeem(undefined)).json
    expect(token_type).toBe('Bearer')
    expect((await askUserinfo(access_token)).status).toBe(401)
    expect((await userinfo(t, access_token)).status).toBe(200)
  })

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['another token', { ath: athOf('another') }],
    ['no token', { ath: undefined }],
    ['another method', { htm: 'POST' }],
    ['another address', { htu: 'https://evil.example/oauth2/userinfo' }],
  ])('userinfo refuses a DPoP-bound token with a DPoP proof for %s', async (_, claims) => {
    const { access_token } = await bound()
    const answer = await askUserinfo(access_token, { claims })
    expect([answer.status, answer.json['error']]).toEqual([401, 'invalid_dpop_proof'])
  })

  test('a machine with a DPoP-bound token calls the administration API only with a new DPoP proof for each call', async () => {
    const machine = await register(t, { type: 'machine', redirectUris: [], permissions: ['users:read'] })
    const form = { grant_type: 'client_credentials' }
    const list = (accessToken: unknown) =>
      t.client().request('/admin/users', { headers: { authorization: `Bearer ${String(accessToken)}` } })
    const plain = await postWithProof(t, machine, token, form, undefined)
    expect((await list(plain.json['access_token'])).status).toBe(200)
    const answer = await postWithProof(t, machine, token, form, await proof())
    expect(answer.json['token_type']).toBe('DPoP')
    const bound = String(answer.json['access_token'])
    expect((await list(bound)).status).toBe(401)
    const call = async (parts: ProofParts = {}, by = key, path = '/admin/users', method = 'GET', scheme = 'DPoP') => {
      const proof = await proofFor(t, by, path, { ...parts, claims: { ath: athOf(bound), ...parts.claims } }, method)
      return t.client().request('/admin/users?limit=1', { headers: { authorization: `${scheme} ${bound}`, dpop: proof } })
    }
    expect((await call()).status).toBe(200)
    const now = Math.floor(Date.now() / 1000)
    for (const refused of [
      await call({}, other),
      await call({}, key, '/admin/clients'),
      await call({}, key, '/admin/users', 'POST'),
      await call({}, key, '/admin/users', 'GET', 'Bearer'),
      await call({ claims: { ath: undefined } }),
      await call({ claims: { ath: athOf('another') } }),
      await call({ claims: { iat: now - 600 } }),
      await call({ claims: { iat: now + 600 } }),
      await call({ claims: { htu: `https://evil.example/admin/users` } }),
      await call({ claims: { jti: undefined } }),
      await call({ header: { typ: 'JWT' } }),
      await t.client().request('/admin/users', { headers: { authorization: `DPoP ${bound}` } }),
    ])
      expect(refused.status).toBe(401)
    expect((await call({ claims: { jti: 'once' } })).status).toBe(200)
    expect((await call({ claims: { jti: 'once' } })).status).toBe(401)
    expect((await call({ claims: { htu: `${t.url}/admin/users?limit=1#x` } })).status).toBe(200)
    // An unbound token is refused with the scheme DPoP.
    const unbound = String(plain.json['access_token'])
    const misplaced = await proofFor(t, key, '/admin/users', { claims: { ath: athOf(unbound) } }, 'GET')
    const headers = { authorization: `DPoP ${unbound}`, dpop: misplaced }
    expect((await t.client().request('/admin/users', { headers })).status).toBe(401)
  })

  test('the administration API answers a DPoP proof with a nonce, and a proof with the nonce needs no correct time', async () => {
    const machine = await register(t, { type: 'machine', redirectUris: [], permissions: ['users:read'] })
    const bound = String(
      (await postWithProof(t, machine, token, { grant_type: 'client_credentials' }, await proof())).json['access_token'],
    )
    const call = async (claims: object, at = t) => {
      const sent = await proofFor(t, key, '/admin/users', { claims: { ath: athOf(bound), ...claims } }, 'GET')
      const answer = await at.client().request('/admin/users', { headers: { authorization: `DPoP ${bound}`, dpop: sent } })
      return { status: answer.status, why: answer.headers.get('www-authenticate'), nonce: answer.headers.get('dpop-nonce') }
    }
    const hourAgo = { iat: Math.floor(Date.now() / 1000) - 3_600 }
    const { nonce, ...late } = await call(hourAgo)
    expect(late).toEqual({ status: 401, why: expect.stringMatching(/^DPoP error="use_dpop_nonce", algs="ES256 /) })
    expect(nonce).toMatch(/^[\w-]{43}$/)
    expect(await call({ ...hourAgo, nonce })).toEqual({ status: 200, why: null, nonce: expect.any(String) })
    expect(await call({ nonce: 'somebody-elses' })).toMatchObject({ status: 401, why: expect.stringContaining('use_dpop_nonce') })
    expect(await call({ nonce, ath: 'x' })).toMatchObject({ status: 401, why: expect.stringContaining('invalid_token') })
    // The nonce replaces the check of the time, but a proof without a numeric time is still invalid (section 4.2).
    for (const iat of [undefined, 0, 'now', null])
      expect([iat, await call({ nonce, iat })]).toEqual([iat, expect.objectContaining({ status: 401 })])
    const strict = await t.node({ oidc: { rsaModulusLength: 2048, dpopNonce: 'required' } })
    const refused = await call({}, strict)
    expect(refused).toMatchObject({ status: 401, why: expect.stringContaining('use_dpop_nonce') })
    expect((await call({ nonce: refused.nonce }, strict)).status).toBe(200)
    await strict.stop()
  })

  test('an application with dpop_bound_access_tokens gets no token without a DPoP proof', async () => {
    const strict = await register(t, { dpopBoundAccessTokens: true })
    expect((await redeem(undefined, strict)).json).toMatchObject({
      ...{ error: 'invalid_grant', error_description: 'a DPoP proof is required' },
    })
    const { refresh_token } = await bound(strict, offline)
    const form = { grant_type: 'refresh_token', refresh_token: String(refresh_token) }
    expect((await postWithProof(t, strict, token, form, undefined)).status).toBe(400)
    expect((await postWithProof(t, strict, token, form, await proof())).json).toMatchObject({ token_type: 'DPoP' })
    const { dpopBoundAccessTokens } = await t.app.oidc.applications.get(systemPrincipal('test'), strict.clientId)
    expect(dpopBoundAccessTokens).toBe(true)
  })

  test('the refresh token of a public client is bound to the DPoP key, and refreshes only with a DPoP proof of that key', async () => {
    const { refresh_token } = await bound(spa, offline)
    const form = { grant_type: 'refresh_token', refresh_token: String(refresh_token) }
    for (const wrong of [undefined, await proof({}, other)])
      expect((await postWithProof(t, spa, token, form, wrong)).json['error']).toBe('invalid_grant')
    const renewed = await postWithProof(t, spa, token, form, await proof())
    expect(renewed.json).toMatchObject({ token_type: 'DPoP' })
    const next = { ...form, refresh_token: String(renewed.json['refresh_token']) }
    expect((await postWithProof(t, spa, token, next, await proof({}, other))).status).toBe(400)
    expect((await postWithProof(t, spa, token, next, await proof())).status).toBe(200)
  })
})

describe('a code bound to a DPoP key', () => {
  test('a code requested with dpop_jkt is redeemed only with a DPoP proof of that key', async () => {
    const jkt = { dpop_jkt: key.thumbprint }
    expect((await redeem(await proof(), shop, jkt)).status).toBe(200)
    expect((await redeem(undefined, shop, jkt)).json['error']).toBe('invalid_grant')
    const code = await codeFor(ann, shop, jkt)
    expect((await postWithProof(t, shop, token, codeForm(code), await proof({}, other))).json['error']).toBe('invalid_grant')
    // Somebody else may have the code, so it is used up.
    expect((await postWithProof(t, shop, token, codeForm(code), await proof())).json['error']).toBe('invalid_grant')
  })

  test('a DPoP proof in a pushed request binds the code, and a dpop_jkt for another key is refused', async () => {
    const form = queryOf(authorizePath(shop))
    const par = '/oauth2/par'
    const push = async (more: Params) => postWithProof(t, shop, par, { ...form, ...more }, await proof({}, key, par))
    expect((await push({ dpop_jkt: other.thumbprint })).json['error']).toBe('invalid_request')
    const { json } = await push({})
    const asked = { client_id: shop.clientId, request_uri: String(json['request_uri']) }
    const { location } = await ann.request(`/oauth2/authorize?${new URLSearchParams(asked)}`)
    const { code = '' } = queryOf(location)
    expect((await postWithProof(t, shop, token, codeForm(code), await proof({}, other))).status).toBe(400)
  })
})

describe('refused DPoP proofs', () => {
  const now = () => Math.floor(Date.now() / 1000)
  const rs256 = () => clientKey('RS256')

  test.each<[string, () => Promise<string | readonly string[]>]>([
    ['without htm', () => proof({ claims: { htm: undefined } })],
    ['for another method', () => proof({ claims: { htm: 'GET' } })],
    ['without htu', () => proof({ claims: { htu: undefined } })],
    ['for another endpoint', () => proof({ claims: { htu: `${t.url}/oauth2/userinfo` } })],
    ['for the same path of another server', () => proof({ claims: { htu: `https://evil.example${token}` } })],
    ['without jti', () => proof({ claims: { jti: undefined } })],
    ['with a jti that is a number', () => proof({ claims: { jti: 7 } })],
    ['without iat', () => proof({ claims: { iat: undefined } })],
    ['issued ten minutes ago', () => proof({ claims: { iat: now() - 600 } })],
    ['issued two minutes in the future', () => proof({ claims: { iat: now() + 120 } })],
    ['issued an hour in the future', () => proof({ claims: { iat: now() + 3600 } })],
    ['without typ', () => proof({ header: { typ: undefined } })],
    ['with the typ of another token', () => proof({ header: { typ: 'JWT' } })],
    ['without a key', () => proof({ header: { jwk: undefined } })],
    ['with another key in its header', () => proof({ header: { jwk: other.publicKey } })],
    ['with a private key in its header', () => proof({ header: { jwk: { kty: 'oct', k: 'c2VjcmV0' } } })],
    ['with an address as its key', () => proof({ header: { jwk: undefined, jku: 'https://evil.example/jwks' } })],
    ['by RS256', async () => proof({}, await rs256())],
    ['with a nonce of another server', () => proof({ claims: { nonce: 'somebody-elses' } })],
    ['sent twice', async () => [await proof(), await proof()]],
    ['that is not a token', async () => 'x.y.z'],
    ['that is unsigned', async () => unsigned(await proof())],
    ['signed with the public key as a secret', async () => symmetric(await proof())],
  ])('a DPoP proof %s gets no token, not even a Bearer token', async (_, make) => {
    const code = await codeFor(ann, shop)
    const answer = await postWithProof(t, shop, token, codeForm(code), await make())
    expect(answer.status).toBe(400)
    expect(['invalid_dpop_proof', 'use_dpop_nonce']).toContain(answer.json['error'])
    // The refused proof does not use up the code.
    expect((await postWithProof(t, shop, token, codeForm(code), await proof())).status).toBe(200)
  })

  test('a DPoP key of more than 8192 bits is refused without verifying its signature, because verifying would slow down the server', async () => {
    const bytes = Buffer.alloc(2_048, 0xff)
    const jwk = { kty: 'RSA', n: bytes.toString('base64url'), e: 'AQAB' }
    const huge = async (path: string, method: string, ath?: string) => {
      const [header, payload] = (await proofFor(t, key, path, { claims: { ath } }, method)).split('.')
      return `${encoded({ ...decoded(header), alg: 'PS256', jwk })}.${payload}.${bytes.fill(1).toString('base64url')}`
    }
    const refused = { error: 'invalid_dpop_proof', error_description: expect.stringContaining('8192 bits') }
    const form = { grant_type: 'refresh_token', refresh_token: 'unknown' }
    expect((await postWithProof(t, spa, token, form, await huge(token, 'POST'))).json).toMatchObject(refused)
    const headers = { authorization: 'DPoP unknown', dpop: await huge('/oauth2/userinfo', 'GET', athOf('unknown')) }
    const shown = await t.client().request('/oauth2/userinfo', { headers })
    expect([shown.status, shown.json]).toEqual([401, expect.objectContaining(refused)])
  })

  test('a DPoP proof is accepted only once, at the token endpoint and at userinfo', async () => {
    const sent = await proof()
    expect((await redeem(sent)).status).toBe(200)
    expect((await redeem(sent)).json).toMatchObject({
      ...{ error: 'invalid_dpop_proof', error_description: 'the DPoP proof was used before' },
    })
    const { access_token } = await bound()
    const claims = { jti: 'the same one' }
    expect((await askUserinfo(access_token, { claims })).status).toBe(200)
    expect((await askUserinfo(access_token, { claims })).status).toBe(401)
  })

  test('a DPoP proof dated a minute ahead cannot be sent again after that minute', async () => {
    const ahead = await proof({ claims: { iat: now() + 55 } })
    expect((await redeem(ahead)).status).toBe(200)
    const [row] = await t.app.core.db.knex('oidc_artifact').where({ kind: 'ReplayDetection' }).orderBy('expires_at', 'desc')
    expect(new Date(row.expires_at).getTime()).toBeGreaterThan(Date.now() + 355_000)
  })

  test('every response to a DPoP proof has a nonce for the next proof, and a page of a public client may read the nonce', async () => {
    const first = await redeem(await proof())
    const nonce = first.headers.get('dpop-nonce')
    expect(nonce).toMatch(/^[\w-]{43}$/)
    expect((await redeem(await proof({ claims: { nonce } }))).status).toBe(200)
    // The clock of the client is wrong.
    expect((await redeem(await proof({ claims: { nonce, iat: now() + 3_600 } }))).status).toBe(200)
    expect((await redeem(await proof({ claims: { nonce, iat: now() - 3_600 } }))).status).toBe(200)
    const page = await register(t, { type: 'spa', redirectUris: ['https://spa.example/callback'] })
    const preflight = await t.client().request(token, {
      method: 'OPTIONS',
      headers: {
        ...{ origin: 'https://spa.example', 'access-control-request-method': 'POST' },
        'access-control-request-headers': 'dpop',
      },
    })
    expect(preflight.headers.get('access-control-allow-headers')).toContain('dpop')
    const answer = await t.client().request(token, {
      method: 'POST',
      headers: { ...{ origin: 'https://spa.example', 'content-type': 'application/x-www-form-urlencoded' }, dpop: await proof() },
      body: new URLSearchParams({ client_id: page.clientId, grant_type: 'refresh_token', refresh_token: 'none' }).toString(),
    })
    expect(answer.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('dpop-nonce')
  })

  test('with oidc.dpopNonce required, a DPoP proof without a nonce gets an error with the nonce to use', async () => {
    const strict = await testApp({ config: { oidc: { rsaModulusLength: 2048, dpopNonce: 'required' } } })
    const application = await register(strict)
    const browser = await strict.signedIn('ann@example.com')
    const send = async (nonce?: string | null) =>
      postWithProof(
        ...([strict, application, token, codeForm(await codeFor(browser, application))] as const),
        await proofFor(strict, key, token, { claims: { nonce: nonce ?? undefined } }),
      )
    const refused = await send()
    expect(refused.json['error']).toBe('use_dpop_nonce')
    expect((await send(refused.headers.get('dpop-nonce'))).json).toMatchObject({ token_type: 'DPoP' })
    await strict.stop()
  })

  test('a refused DPoP proof does not count as a failed attempt of the client', async () => {
    for (let i = 0; i < 25; i++) expect((await redeem(await proof({ claims: { htm: 'GET' } }))).status).toBe(400)
    expect((await redeem(await proof())).status).toBe(200)
  })
})

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as object
const unsigned = (jwt: string) => {
  const [header, payload] = jwt.split('.')
  return `${encoded({ ...decoded(header), alg: 'none' })}.${payload}.`
}
const symmetric = (jwt: string) => {
  const [header, payload, signature] = jwt.split('.')
  return `${encoded({ ...decoded(header), alg: 'HS256' })}.${payload}.${signature}`
}

test('discovery announces the algorithms of DPoP proofs', async () => {
  const { json } = await t.client().request('/.well-known/openid-configuration')
  expect(json['dpop_signing_alg_values_supported']).toEqual(['ES256', 'PS256', 'EdDSA', 'Ed25519'])
})
