/** Refused requests of a private_key_jwt client with pushed requests, from the pushed request to the redemption of its code. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import type { Answer, Client as Browser } from '../../support/client.ts'
import { assert, postAsserted, type SigningKey } from './asserting.ts'
import { type Application, authorizePath, goOn, offline, type Params, queryOf, redirectUri, verifier } from './flow.ts'
import {
  attempt,
  hostileApp,
  hostileAssertions,
  hostileForms,
  hostileProofs,
  keyOf,
  type Pairs,
  refusalOf,
  type Target,
} from './hostile.ts'
import { codeForm } from './proofs.ts'

const par = '/oauth2/par'
const second = 'https://rp.example/second'
let t: TestApp
let ann: Browser
/** The redemption of a code that no refused request may use up. */
let target: Target
/** The valid pushed request. */
let pushed: Target
let other: Application & { readonly key: SigningKey }
let hostile: Awaited<ReturnType<typeof hostileApp>>

const push = async (clientId: string, key: SigningKey, params: Params = {}) => {
  const form = queryOf(authorizePath({ clientId, secret: undefined }, params))
  return postAsserted(t, par, await assert(t, clientId, key), form)
}
const asking = (clientId: string, { json }: Answer, more: Params = {}) =>
  `/oauth2/authorize?${new URLSearchParams({ client_id: clientId, request_uri: String(json['request_uri']), ...(more as object) })}`
const newCode = async (params: Params = {}, browser = ann, { clientId, key } = target as Pick<Target, 'clientId' | 'key'>) => {
  const answer = await push(clientId, keyOf({ key }), params)
  const { code } = queryOf((await goOn(browser, await browser.request(asking(clientId, answer)))).location)
  if (code === undefined) throw new Error(`no code: ${answer.text}`)
  return code
}

beforeAll(async () => {
  const redirectUris = [redirectUri, second]
  const wanted = { authMethod: 'private_key_jwt', requirePushedAuthorizationRequests: true, pkce: 'required' } as const
  hostile = await hostileApp({ ...wanted, redirectUris })
  t = hostile.t
  const { clientId } = hostile.target
  other = hostile.target.other
  ann = await t.signedIn('ann@example.com')
  target = { ...hostile.target, form: codeForm(await newCode({}, ann, hostile.target)) }
  pushed = { ...hostile.target, path: par, form: queryOf(authorizePath({ clientId, secret: undefined })) }
})
afterAll(() => hostile.stop())

describe('hostile requests to the token endpoint', () => {
  test.each(hostileAssertions)('a client assertion %s redeems no code', async (_, make, error) => {
    expect(refusalOf(await attempt(target, { assertion: await make(target) }))).toBe(error)
  })

  test.each(hostileProofs)('a DPoP proof %s redeems no code', async (_, make, error) => {
    expect(refusalOf(await attempt(target, { proof: await make(target) }))).toBe(error)
  })

  test.each(hostileForms)('a request %s redeems no code', async (_, make, error) => {
    expect(refusalOf(await attempt(target, await make(target)))).toBe(error)
  })

  test.each(['code', 'redirect_uri', 'code_verifier'])('a request with %s twice redeems no code', async (name) => {
    const form = (pairs: Pairs) => [...pairs, ...pairs.filter(([one]) => one === name)]
    expect(refusalOf(await attempt(target, { form }))).toBe('invalid_request')
  })

  const values: readonly (readonly [string, (code: string) => string | undefined, string])[] = [
    ['that is missing', () => undefined, 'invalid_request'],
    ['that is empty', () => '', 'invalid_request'],
    ['that is unknown', () => 'x'.repeat(43), 'invalid_grant'],
    ['that is cut', (code) => code.slice(0, -1), 'invalid_grant'],
    ['that is longer', (code) => `${code}A`, 'invalid_grant'],
    ['in other letters', (code) => code.toUpperCase().replace(code, code.toLowerCase()), 'invalid_grant'],
    ['with a space behind it', (code) => `${code} `, 'invalid_grant'],
    ['with a zero byte behind it', (code) => `${code}\0`, 'invalid_grant'],
    ['that is a statement', () => "' OR '1'='1", 'invalid_grant'],
    ['with the mark of a name before it', (code) => `#${code}`, 'invalid_grant'],
    ['with a dot before it', (code) => `.${code}`, 'invalid_grant'],
    ['of the form of a JWT', (code) => `a.${code}.b`, 'invalid_grant'],
    ['of a hundred thousand letters', () => 'x'.repeat(100_000), 'invalid_request'],
  ]
  test.each(values)('a code %s gives no tokens', async (_, change, error) => {
    const form = { ...target.form, code: change(String(target.form['code'])) }
    expect(refusalOf(await attempt({ ...target, form }))).toBe(error)
  })

  test('a request_uri, an access token, an ID token and a refresh token are not accepted as codes', async () => {
    const tokens = (await attempt({ ...target, form: codeForm(await newCode(offline)) })).json
    const { json } = await push(target.clientId, keyOf(target))
    for (const code of [json['request_uri'], tokens['access_token'], tokens['id_token'], tokens['refresh_token']])
      expect(refusalOf(await attempt({ ...target, form: codeForm(String(code)) }))).toBe('invalid_grant')
    expect((await attempt(target, { headers: { 'x-forwarded-host': 'evil.example' } })).headers.get('location')).toBeNull()
    target = { ...target, form: codeForm(await newCode()) }
  })

  const challenge = () => queryOf(authorizePath({ clientId: '', secret: undefined }))['code_challenge']
  const spent: readonly (readonly [string, () => Params, string])[] = [
    ['without a verifier', () => ({ code_verifier: undefined }), 'invalid_grant'],
    ['with an empty verifier', () => ({ code_verifier: '' }), 'invalid_grant'],
    ['with the challenge as its verifier', () => ({ code_verifier: challenge() }), 'invalid_grant'],
    ['with the verifier of another request', () => ({ code_verifier: 'x'.repeat(43) }), 'invalid_grant'],
    ['with a verifier in capitals', () => ({ code_verifier: verifier.toUpperCase() }), 'invalid_grant'],
    ['with a verifier that is too short', () => ({ code_verifier: verifier.slice(0, 42) }), 'invalid_request'],
    ['with a verifier that is too long', () => ({ code_verifier: verifier.padEnd(129, 'x') }), 'invalid_request'],
    ['with a line behind its verifier', () => ({ code_verifier: `${verifier}\n` }), 'invalid_request'],
    ['with another of its addresses', () => ({ redirect_uri: second }), 'invalid_grant'],
    ['with a longer address', () => ({ redirect_uri: `${redirectUri}/` }), 'invalid_grant'],
    ['with an address in capitals', () => ({ redirect_uri: redirectUri.toUpperCase() }), 'invalid_grant'],
    ['with a query in its address', () => ({ redirect_uri: `${redirectUri}?x=1` }), 'invalid_grant'],
    ['with the address of somebody else', () => ({ redirect_uri: 'https://evil.example/callback' }), 'invalid_grant'],
  ]
  test.each(spent)('a code sent %s is used up, because somebody else may have read it', async (_, changes, error) => {
    const code = await newCode()
    expect(refusalOf(await attempt({ ...target, form: { ...codeForm(code), ...changes() } }))).toBe(error)
    expect(refusalOf(await attempt({ ...target, form: codeForm(code) }))).toBe('invalid_grant')
  })

  test('neither of two clients can redeem the code of the other', async () => {
    const swapped = { ...target, clientId: other.clientId, key: other.key }
    expect(refusalOf(await attempt({ ...swapped, form: codeForm(await newCode()) }))).toBe('invalid_grant')
    const theirs = await newCode({}, ann, other)
    expect(refusalOf(await attempt({ ...target, form: codeForm(theirs) }))).toBe('invalid_grant')
  })

  test("another person's code in this browser gives no tokens, because the code verifier belongs to this browser's request", async () => {
    const eve = await t.signedIn('eve@example.com')
    const stolen = await newCode({ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' }, eve)
    expect(refusalOf(await attempt({ ...target, form: codeForm(stolen) }))).toBe('invalid_grant')
  })

  test('a code is valid once within ten minutes, and its second use ends the tokens of its first use', async () => {
    const code = await newCode()
    const first = await attempt({ ...target, form: codeForm(code) })
    expect(refusalOf(await attempt({ ...target, form: codeForm(code) }))).toBe('invalid_grant')
    const look = {
      ...target,
      proofKey: undefined,
      path: '/oauth2/introspect',
      form: { token: String(first.json['access_token']) },
    }
    expect((await attempt(look)).json).toEqual({ active: false })
    const late = await newCode()
    t.clock.advance({ minutes: 11 })
    expect(refusalOf(await attempt({ ...target, form: codeForm(late) }))).toBe('invalid_grant')
    target = { ...target, form: codeForm(await newCode()) }
  })

  test.each<[string, Params, string]>([
    ['an unknown API', { resource: 'https://nobody.example' }, 'invalid_target'],
    ['an API by an invalid address', { resource: 'nobody' }, 'invalid_target'],
    ['a part of this server', { resource: 'https://nobody.example#x' }, 'invalid_target'],
  ])('a code is not redeemed for %s', async (_, more, error) => {
    expect(refusalOf(await attempt({ ...target, form: { ...target.form, ...more } }))).toBe(error)
    target = { ...target, form: codeForm(await newCode()) }
  })
})

describe('hostile requests to the endpoint of pushed requests', () => {
  test.each(hostileAssertions)('a client assertion %s pushes nothing', async (_, make) => {
    // An assertion about another client contradicts the client_id of the form.
    expect(refusalOf(await attempt(pushed, { assertion: await make(pushed) }))).toMatch(/^invalid_(client|request)$/)
  })

  const requests: readonly (readonly [string, Params, string])[] = [
    ['that refers to another one', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'request_uri_not_supported'],
    ['that refers to an address inside', { request_uri: 'https://127.0.0.1/request' }, 'request_uri_not_supported'],
    ['with an object that is no token', { request: 'nonsense' }, 'invalid_request_object'],
    ['for an address that is not registered', { redirect_uri: 'https://evil.example/callback' }, 'invalid_request'],
    ['for a longer address', { redirect_uri: `${redirectUri}/` }, 'invalid_request'],
    ['for an address with a part', { redirect_uri: `${redirectUri}#x` }, 'invalid_request'],
    ['for an address by http', { redirect_uri: redirectUri.replace('https', 'http') }, 'invalid_request'],
    ['for a script', { redirect_uri: 'javascript:alert(1)' }, 'invalid_request'],
    ['for no address, where two are registered', { redirect_uri: undefined }, 'invalid_request'],
    ['for a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['for an ID token', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['for a code and a token', { response_type: 'code token' }, 'unsupported_response_type'],
    ['for nothing', { response_type: 'none' }, 'unsupported_response_type'],
    ['without a type', { response_type: undefined }, 'invalid_request'],
    ['with an unknown mode', { response_mode: 'web_message' }, 'unsupported_response_mode'],
    ['with a signed answer', { response_mode: 'jwt' }, 'unsupported_response_mode'],
    ['without a challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with a challenge of no method', { code_challenge_method: undefined }, 'invalid_request'],
    ['with a method in small letters', { code_challenge_method: 's256' }, 'invalid_request'],
    ['with a short challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['with a challenge of other signs', { code_challenge: '+'.repeat(43) }, 'invalid_request'],
    ['for an unknown scope', { scope: 'openid everything' }, 'invalid_scope'],
    ['with two prompts that exclude each other', { prompt: 'none login' }, 'invalid_request'],
    ['with an unknown prompt', { prompt: 'x' }, 'invalid_request'],
    ['with a negative age', { max_age: '-1' }, 'invalid_request'],
    ['with an age that is text', { max_age: 'old' }, 'invalid_request'],
    ['with claims that are no JSON', { claims: '{' }, 'invalid_request'],
    ['with claims that are a list', { claims: '[]' }, 'invalid_request'],
    ['with metadata of a client', { registration: '{}' }, 'registration_not_supported'],
    ['for an unknown API', { resource: 'https://nobody.example' }, 'invalid_target'],
    ['with the key of another proof', { dpop_jkt: 'x'.repeat(43) }, 'invalid_request'],
    ['with a hint that is no token', { id_token_hint: 'nonsense' }, 'invalid_request'],
    [
      'with a hint of another server',
      { id_token_hint: 'eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL290aGVyLmV4YW1wbGUifQ.' },
      'invalid_request',
    ],
  ]
  test.each(requests)('a pushed request %s is refused', async (_, more, error) => {
    expect(refusalOf(await attempt({ ...pushed, form: { ...pushed.form, ...more } }))).toBe(error)
  })

  test.each(['redirect_uri', 'response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'])(
    'a pushed request with %s twice is refused',
    async (name) => {
      const form = (pairs: Pairs) => [...pairs, ...pairs.filter(([one]) => one === name)]
      expect(refusalOf(await attempt(pushed, { form }))).toBe('invalid_request')
    },
  )
})

describe('hostile requests to the authorization endpoint', () => {
  const errorOf = async (path: string) => queryOf((await ann.request(path)).location)['error']

  test('a request that was not pushed, or differs from the pushed request, starts no sign-in', async () => {
    const refused = /^invalid_(request|request_uri|request_object|client)$/
    const bare = { clientId: target.clientId, secret: undefined }
    expect(await errorOf(authorizePath(bare))).toMatch(refused)
    const mine = await push(target.clientId, keyOf(target))
    expect(await errorOf(asking(other.clientId, mine))).toMatch(refused)
    expect(await errorOf(asking('nobody', mine))).toMatch(refused)
    const { json } = mine
    const query = new URLSearchParams({ request_uri: String(json['request_uri']) })
    expect(await errorOf(`/oauth2/authorize?${query}`)).toMatch(refused)
    expect(await errorOf(`${asking(target.clientId, mine)}&${query}`)).toMatch(refused)
    expect(await errorOf(asking(target.clientId, mine, { request: 'x.y.z' }))).toMatch(refused)
    for (const unknown of ['urn:ietf:params:oauth:request_uri:unknown', `${String(json['request_uri'])}x`])
      expect(await errorOf(asking(target.clientId, { ...mine, json: { request_uri: unknown } }))).toMatch(refused)
    // None of these requests used the pushed request up, and parameters outside of it are ignored.
    const { location } = await goOn(ann, await ann.request(asking(target.clientId, mine, { redirect_uri: second, state: 'x' })))
    expect(location).toMatch(/^https:\/\/rp\.example\/callback\?code=/)
    expect(queryOf(location)).toMatchObject({ state: 'the state', iss: t.url })
    expect(await errorOf(asking(target.clientId, mine))).toBe('invalid_request_uri')
  })

  test('a pushed request that has expired starts no sign-in', async () => {
    const late = await push(target.clientId, keyOf(target))
    t.clock.advance({ seconds: Number(late.json['expires_in']) + 1 })
    expect(await errorOf(asking(target.clientId, late))).toBe('invalid_request_uri')
    target = { ...target, form: codeForm(await newCode()) }
  })
})

test('the valid requests behind the hostile variants succeed, and no internal address was called', async () => {
  expect((await attempt(target)).json).toMatchObject({ token_type: 'DPoP', id_token: expect.any(String) })
  expect((await attempt(pushed)).status).toBe(201)
  expect(hostile.inside.asked).toEqual([])
})
