/** Refused exchanges that are not in `token-exchange-races.db.test.ts`: forged subject tokens, assertions of others and repeated parameters. */
import { base64url, decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import type { TestApp } from '../../support/app.ts'
import { newKey } from './asserting.ts'
import { codeFor, type Params, redeem, register } from './flow.ts'
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
import { clientKey, codeForm, postWithProof, proofFor } from './proofs.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange'
const type = 'urn:ietf:params:oauth:token-type:access_token'
const [front, back] = ['https://front.example', 'https://back.example']
let t: TestApp
let target: Target
let hostile: Awaited<ReturnType<typeof hostileApp>>
/** Tokens of the person that cannot be exchanged: a token bound to a key, and the ID token. */
let bound: string
let idToken: string

beforeAll(async () => {
  hostile = await hostileApp({ type: 'machine', redirectUris: [], authMethod: 'private_key_jwt' })
  t = hostile.t
  const admin = await signedInAs(t, 'admin')
  const shop = await register(t)
  const scopes = [{ name: 'read', description: 'Read' }]
  const api = (identifier: string, clients: readonly object[]) =>
    admin.api.apis.createApi({ body: { identifier, name: identifier, scopes, clients } as never })
  await api(front, [{ clientId: shop.clientId }])
  await api(back, [{ clientId: hostile.target.clientId, exchangeFrom: [front] }])
  const ann = await t.signedIn('ann@example.com')
  const wanted = { scope: 'openid read', resource: front, prompt: 'consent' }
  const tokens = (await redeem(t, shop, await codeFor(ann, shop, wanted))).json
  idToken = String(tokens['id_token'])
  const proof = await proofFor(t, await clientKey(), '/oauth2/token')
  bound = String(
    (await postWithProof(t, shop, '/oauth2/token', codeForm(await codeFor(ann, shop, wanted)), proof)).json['access_token'],
  )
  const form = { grant_type: grantType, subject_token: String(tokens['access_token']), subject_token_type: type, resource: back }
  target = { ...hostile.target, form }
})
afterAll(() => hostile.stop())

test.each(hostileAssertions)('a client assertion %s exchanges nothing', async (_, make, error) => {
  expect(refusalOf(await attempt(target, { assertion: await make(target) }))).toBe(error)
})

test.each(hostileForms)('a request %s exchanges nothing', async (_, make, error) => {
  expect(refusalOf(await attempt(target, await make(target)))).toBe(error)
})

test.each(hostileProofs)('a DPoP proof %s exchanges nothing', async (_, make, error) => {
  expect(refusalOf(await attempt(target, { proof: await make(target) }))).toBe(error)
})

describe('forged subject tokens', () => {
  const subject = () => String(target.form['subject_token'])
  const encode = (value: object) => base64url.encode(JSON.stringify(value))
  const parts = () => subject().split('.') as [string, string, string]
  const withHeader = (more: object) => `${encode({ ...decodeProtectedHeader(subject()), ...more })}.${parts()[1]}.${parts()[2]}`
  const withClaims = (more: object) => `${parts()[0]}.${encode({ ...decodeJwt(subject()), ...more })}.${parts()[2]}`
  const signed = async (more: object = {}, header: object = {}) => {
    const own = await newKey('foreign')
    const named = { ...decodeProtectedHeader(subject()), alg: own.alg, ...header }
    return new SignJWT({ ...decodeJwt(subject()), ...more }).setProtectedHeader(named).sign(own.privateKey)
  }
  const confused = async () => {
    const { keys } = (await t.client().request('/jwks')).json as { readonly keys: readonly object[] }
    const secret = new TextEncoder().encode(JSON.stringify(keys[0]))
    return new SignJWT(decodeJwt(subject())).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' }).sign(secret)
  }
  const forged: readonly (readonly [string, () => string | Promise<string>])[] = [
    ['that is unsigned', () => `${encode({ alg: 'none', typ: 'at+jwt' })}.${parts()[1]}.`],
    ['that is unsigned, with a signature', () => withHeader({ alg: 'none' })],
    ['signed with the public key as a secret', confused],
    ['signed by another key', () => signed()],
    ['signed by another key of no name', () => signed({}, { kid: undefined })],
    ['that names an address inside for its key', () => signed({}, { jku: hostile.inside.url })],
    ['that brings its key along', async () => signed({}, { jwk: (await newKey()).jwk })],
    ['of another server', () => signed({ iss: 'https://other.example' })],
    ['of another server, by its name alone', () => withClaims({ iss: 'https://other.example' })],
    ['for another API than it was made for', () => withClaims({ aud: back })],
    ['for a list of APIs', () => withClaims({ aud: [front, back] })],
    ['about another person', () => withClaims({ sub: 'somebody' })],
    ['with more scope', () => withClaims({ scope: 'openid read write' })],
    ['that lasts longer', () => withClaims({ exp: 4_000_000_000 })],
    ['with an actor of its own', () => withClaims({ act: { sub: target.clientId } })],
    ['of another type', () => withHeader({ typ: 'JWT' })],
    ['with a critical header', () => withHeader({ crit: ['urn:x'] })],
    ['whose signature is cut', () => subject().slice(0, -2)],
    ['whose signature is longer', () => `${subject()}A`],
    ['with a space before it', () => ` ${subject()}`],
    ['with a line behind it', () => `${subject()}\n`],
    ['of two tokens', () => `${subject()} ${subject()}`],
    ['that is encrypted', () => 'a.b.c.d.e'],
    ['that is an ID token', () => idToken],
    ['that is bound to a key', () => bound],
    [
      'that is the assertion of the client',
      async () => (await import('./asserting.ts')).assert(t, target.clientId, keyOf(target)),
    ],
    ['that is a statement', () => "' OR '1'='1"],
    ['of a hundred thousand letters', () => 'x'.repeat(100_000)],
  ]
  test.each(forged)('a subject token %s is not exchanged', async (_, make) => {
    expect(refusalOf(await attempt({ ...target, form: { ...target.form, subject_token: await make() } }))).toBe('invalid_request')
  })

  const requests: readonly (readonly [string, Params, string])[] = [
    ['for an API with a part', { resource: `${back}#x` }, 'invalid_target'],
    ['for a path of the API', { resource: `${back}/x` }, 'invalid_target'],
    ['for the API that it is for', { resource: front }, 'invalid_target'],
    ['for another API beside it', { audience: front }, 'invalid_target'],
    ['for an API by no address', { resource: 'back' }, 'invalid_target'],
    ['for a scope in capitals', { scope: 'READ' }, 'invalid_scope'],
    ['for an unknown scope', { scope: 'read everything' }, 'invalid_scope'],
    ['as an ID token', { subject_token_type: type.replace('access', 'id') }, 'invalid_request'],
    ['as a refresh token', { subject_token_type: type.replace('access', 'refresh') }, 'invalid_request'],
    ['as the id of a person', { subject_token_type: 'urn:gatehouse:params:oauth:token-type:user-id' }, 'invalid_request'],
    ['for a SAML assertion', { requested_token_type: type.replace('access_token', 'saml2') }, 'invalid_request'],
    ['with an actor of no type', { actor_token: 'x' }, 'invalid_request'],
    ['with itself as the actor', { actor_token: 'itself', actor_token_type: type }, 'invalid_request'],
  ]
  test.each(requests)('a token is not exchanged %s', async (_, more, error) => {
    const form = { ...target.form, ...more, ...(more['actor_token'] === 'itself' ? { actor_token: subject() } : {}) }
    expect(refusalOf(await attempt({ ...target, form }))).toBe(error)
  })

  test.each(['subject_token', 'subject_token_type', 'scope', 'actor_token', 'actor_token_type', 'requested_token_type'])(
    'a token is not exchanged with %s twice',
    async (name) => {
      const value = String(target.form[name] ?? (name === 'scope' ? 'read' : type))
      const form = (pairs: Pairs) => [...pairs.filter(([one]) => one !== name), [name, value] as const, [name, value] as const]
      expect(refusalOf(await attempt(target, { form }))).toBe('invalid_request')
    },
  )

  test.each(['introspect', 'revoke'])('a request to /oauth2/%s that names two tokens is refused', async (path) => {
    const asked = { ...target, proofKey: undefined, path: `/oauth2/${path}`, form: { token: subject() } }
    const form = (pairs: Pairs) => [...pairs, ['token', 'another'] as const]
    expect(refusalOf(await attempt(asked, { form }))).toBe('invalid_request')
  })

  test('a DPoP-bound token is not exchanged without a proof of its key, and an unlisted client cannot exchange any token', async () => {
    const form = { ...target.form, subject_token: bound }
    for (const proofKey of [undefined, await clientKey()])
      expect(refusalOf(await attempt({ ...target, proofKey, form }))).toBe('invalid_request')
    expect(refusalOf(await attempt({ ...target, ...target.other }))).toBe('invalid_target')
  })
})

test('the valid exchange behind the hostile variants succeeds, and no internal address was called', async () => {
  expect((await attempt(target)).json).toMatchObject({ token_type: 'DPoP', scope: 'read' })
  expect(hostile.inside.asked).toEqual([])
})
