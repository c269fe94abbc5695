import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/core/crypto.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Answer, Client as Browser } from '../../support/client.ts'
import {
  type Application,
  authorizePath,
  goOn,
  offline,
  type Params,
  postForm,
  queryOf,
  redeem,
  redirectUri,
  register,
} from './flow.ts'
import { type ClientKey, clientKey } from './proofs.ts'

const algs = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

let t: TestApp
let ann: Browser
let keys: ReadonlyMap<string, ClientKey>
let shop: Application
let key: ClientKey
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  ann = await t.signedIn('ann@example.com')
  keys = new Map(await Promise.all(algs.map(async (alg) => [alg, await clientKey(alg)] as const)))
  const jwks = { keys: [...keys].map(([alg, { publicKey }]) => ({ ...publicKey, alg, kid: alg })) } as never
  shop = await register(t, { jwks })
  key = keys.get('ES256') as ClientKey
})
afterAll(() => t.stop())

const now = () => Math.floor(Date.now() / 1000)

/** The claims of a request object: request parameters and token claims. `undefined` leaves a claim out. */
const claimsOf = (more: Readonly<Record<string, unknown>> = {}, application = shop) => {
  const params = queryOf(authorizePath(application))
  return JSON.parse(
    JSON.stringify({
      ...params,
      iss: application.clientId,
      aud: t.url,
      iat: now(),
      nbf: now(),
      exp: now() + 300,
      jti: randomUUID(),
      ...more,
    }),
  ) as Record<string, unknown>
}
const signed = (
  more: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
  by = key,
  application = shop,
) => new SignJWT(claimsOf(more, application)).setProtectedHeader({ alg: by.alg, ...header }).sign(by.privateKey)

/** Sends a request object by the browser, with these parameters outside of it. */
const send = async (request: string, beside: Params = {}, application = shop): Promise<Answer> => {
  const params = { client_id: application.clientId, request, ...beside }
  const query = new URLSearchParams(Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined))
  return goOn(ann, await ann.request(`/oauth2/authorize?${query}`))
}
const push = (request: string, application = shop) => postForm(t, application, '/oauth2/par', { request })
const pushed = async ({ json }: Answer, application = shop) =>
  goOn(
    ann,
    await ann.request(
      `/oauth2/authorize?${new URLSearchParams({ client_id: application.clientId, request_uri: String(json['request_uri']) })}`,
    ),
  )
const errorOf = ({ location }: Answer) => queryOf(location)['error']

describe('a signed request object', () => {
  test.each(algs)('a request object signed by %s signs a person in, in the address and in a pushed request', async (alg) => {
    const by = keys.get(alg) as ClientKey
    for (const answer of [await send(await signed({}, { kid: alg }, by)), await pushed(await push(await signed({}, {}, by)))]) {
      expect(queryOf(answer.location)).toMatchObject({ state: 'the state', iss: t.url })
      expect((await redeem(t, shop, queryOf(answer.location)['code'] ?? '')).status).toBe(200)
    }
  })

  test('state and response_mode are read from a request object, and ignored outside of it', async () => {
    const answer = await send(await signed({ state: 'inside', response_mode: 'form_post' }), {
      state: 'outside',
      response_mode: 'query',
    })
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('name="state" value="inside"')
    expect(answer.headers.get('content-security-policy')).toContain('form-action https://rp.example')
    const fragment = await send(await signed({ state: undefined, response_mode: 'fragment' }), { state: 'outside' })
    expect(fragment.location).toMatch(/^https:\/\/rp\.example\/callback#code=/)
    expect(fragment.location).not.toContain('outside')
  })

  test('a parameter outside of the request object is ignored, even if the request object lacks the parameter', async () => {
    const { code = '' } = queryOf(
      (await send(await signed({ scope: 'openid' }), { scope: 'openid email', nonce: 'beside' })).location,
    )
    const { json } = await redeem(t, shop, code)
    expect(json['scope']).toBe('openid')
    expect((await send(await signed({ redirect_uri: undefined }), { redirect_uri: redirectUri })).location).toContain('/error?')
  })

  test('offline_access, max_age and claims work inside a request object', async () => {
    const claims = { userinfo: { name: { essential: true } } }
    const lasting = await send(await signed({ ...offline, max_age: 1000, claims }))
    const { json } = await redeem(t, shop, queryOf(lasting.location)['code'] ?? '')
    expect(json).toMatchObject({ refresh_token: expect.any(String), scope: 'openid offline_access' })
    for (const max_age of ['0x10', 1.5, -1, '1e3']) expect(errorOf(await send(await signed({ max_age })))).toBe('invalid_request')
    expect(errorOf(await send(await signed({ claims: { id_token: { email: 7 } } })))).toBe('invalid_request')
  })

  test('a response_type or client_id outside of the request object must equal the value inside', async () => {
    const other = await register(t)
    expect(errorOf(await send(await signed(), { response_type: 'code' }))).toBeUndefined()
    expect((await send(await signed(), { client_id: other.clientId })).location).toContain('error=invalid_request_object')
    expect(errorOf(await send(await signed(), { response_type: 'token' }))).toBe('invalid_request_object')
  })

  test('a pushed request object is accepted once, and a request object in an address is accepted each time the page is loaded', async () => {
    const object = await signed()
    expect((await push(object)).status).toBe(201)
    expect((await push(object)).json).toMatchObject({
      error: 'invalid_request_object',
      error_description: expect.stringMatching(/before/),
    })
    const inBrowser = await signed()
    for (let i = 0; i < 2; i++) expect(queryOf((await send(inBrowser)).location)['code']).toBeTruthy()
  })

  test('an application with require_signed_request_object cannot start a sign-in without a request object', async () => {
    const jwks = { keys: [{ ...key.publicKey, alg: 'ES256' }] } as never
    const strict = await register(t, { jwks, requireSignedRequestObject: true })
    expect(errorOf(await ann.request(authorizePath(strict)))).toBe('invalid_request')
    expect((await postForm(t, strict, '/oauth2/par', queryOf(authorizePath(strict)))).json['error']).toBe('invalid_request')
    expect(queryOf((await send(await signed({}, {}, key, strict), {}, strict)).location)['code']).toBeTruthy()
    expect(queryOf((await pushed(await push(await signed({}, {}, key, strict), strict), strict)).location)['code']).toBeTruthy()
  })

  test('an application with request_object_signing_alg can sign request objects only with that algorithm', async () => {
    const jwks = { keys: [...keys].map(([alg, { publicKey }]) => ({ ...publicKey, alg })) } as never
    const strict = await register(t, { jwks, requestObjectAlg: 'PS256' })
    expect((await push(await signed({}, {}, keys.get('PS256'), strict), strict)).status).toBe(201)
    for (const alg of ['RS256', 'ES256', 'EdDSA'])
      expect((await push(await signed({}, {}, keys.get(alg), strict), strict)).json['error']).toBe('invalid_request_object')
  })
})

describe('invalid request objects', () => {
  const foreign = async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    return { ...key, privateKey, publicKey: await exportJWK(publicKey) }
  }
  /** Signed with a public key of the client as a shared secret (HS and RS confusion). */
  const confused = async (secret: string | undefined) =>
    new SignJWT(claimsOf()).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret ?? ''))

  const hostile: readonly (readonly [string, () => Promise<string>])[] = [
    ['that is unsigned', async () => new UnsecuredJWT(claimsOf()).encode()],
    ['whose signature is cut off', async () => (await signed()).replace(/[^.]*$/, '')],
    ['signed with the secret of the client', () => confused(shop.secret)],
    ['signed with the hash of the secret', () => confused(sha256(shop.secret ?? ''))],
    ['signed with the public key as a secret', () => confused(JSON.stringify(keys.get('RS256')?.publicKey))],
    ['signed by another key', async () => signed({}, {}, await foreign())],
    ['signed by another key of the same name', async () => signed({}, { kid: 'ES256' }, await foreign())],
    ['that brings its key along', async () => ((own) => signed({}, { jwk: own.publicKey }, own))(await foreign())],
    ['that names the address of its key', async () => signed({}, { jku: 'https://evil.example/jwks' }, await foreign())],
    ['that names a certificate of its key', async () => signed({}, { x5u: 'https://evil.example/x' }, await foreign())],
    ['of another issuer', () => signed({ iss: 'somebody' })],
    ['without an issuer', () => signed({ iss: undefined })],
    ['for another server', () => signed({ aud: 'https://evil.example' })],
    ['without an audience', () => signed({ aud: undefined })],
    ['for a list of servers', () => signed({ aud: [t.url, 'https://evil.example'] })],
    ['for an empty list', () => signed({ aud: [] })],
    ['for the token endpoint', () => signed({ aud: `${t.url}/oauth2/token` })],
    ['that has expired', () => signed({ exp: now() - 60, nbf: now() - 120, iat: now() - 120 })],
    ['without exp', () => signed({ exp: undefined })],
    ['whose exp is a text', () => signed({ exp: String(now() + 60) })],
    ['that counts for a day', () => signed({ exp: now() + 86_400 })],
    ['that has been counting for a day', () => signed({ nbf: now() - 86_400 })],
    ['that counts from an hour on', () => signed({ nbf: now() + 3_600, exp: now() + 3_700 })],
    ['from an hour ahead', () => signed({ iat: now() + 3_600 })],
    ['whose iat is a text', () => signed({ iat: 'today' })],
    ['whose jti is a number', () => signed({ jti: 7 })],
    ['that is an assertion of the client', () => signed({ sub: shop.clientId })],
    ['that is a proof', () => signed({}, { typ: 'dpop+jwt' })],
    ['that is an access token', () => signed({}, { typ: 'at+jwt' })],
    ['of another client', () => signed({ client_id: 'somebody' })],
    ['that holds a request object', () => signed({ request: 'x.y.z' })],
    ['that holds a reference', () => signed({ request_uri: 'https://rp.example/request' })],
    ['that is no token', async () => 'not a token'],
    ['that is encrypted', async () => 'a.b.c.d.e'],
    ['with a list of states', () => signed({ state: ['a', 'b'] })],
  ]

  test.each(hostile)('a request object %s starts no sign-in, whether in the address or pushed', async (_, make) => {
    const outside = { redirect_uri: redirectUri, response_type: 'code', scope: 'openid' }
    const answer = await send(await make(), outside)
    expect(queryOf(answer.location)['code']).toBeUndefined()
    expect(errorOf(answer)).toMatch(/^invalid_request(_object)?$/)
    const refused = await push(await make())
    expect([refused.status, refused.json['error']]).toEqual([400, expect.stringMatching(/^invalid_request(_object)?$/)])
  })

  test('a request object of an application without keys is refused', async () => {
    const keyless = await register(t)
    expect((await push(await signed({}, {}, key, keyless), keyless)).json['error']).toBe('invalid_request_object')
  })

  test('a request object by reference is refused, and its address is not fetched', async () => {
    const params = { client_id: shop.clientId, response_type: 'code', redirect_uri: redirectUri, scope: 'openid' }
    const asked = new URLSearchParams({ ...params, request_uri: 'https://rp.example/request.jwt' })
    expect(errorOf(await ann.request(`/oauth2/authorize?${asked}`))).toBe('request_uri_not_supported')
    const both = new URLSearchParams({ ...params, request_uri: 'urn:ietf:params:oauth:request_uri:x', request: await signed() })
    expect((await ann.request(`/oauth2/authorize?${both}`)).location).toContain('error=invalid_request')
  })

  test('a repeated request parameter is an invalid request', async () => {
    const object = await signed()
    const query = new URLSearchParams({ client_id: shop.clientId, request: object })
    expect((await ann.request(`/oauth2/authorize?${query}&request=${object}`)).location).toContain('error=invalid_request')
  })
})

test('discovery announces request objects only as signed values, and neither unsigned request objects nor references', async () => {
  const { json } = await t.client().request('/.well-known/openid-configuration')
  expect(json).toMatchObject({
    ...{ request_parameter_supported: true, request_uri_parameter_supported: false },
    request_object_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
  })
})
