/**
 * Everything in the discovery document works, and everything missing from it does not. The lists are read from the document, not from the
 * code.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { assert, newKey, postAsserted } from './asserting.ts'
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
  register,
  userinfo,
} from './flow.ts'
import { clientKey, codeForm, postWithProof, proofFor } from './proofs.ts'

let t: TestApp
let ann: Browser
let shop: Application
let announced: Readonly<Record<string, unknown>>
/** The members of the document that no test has read yet. */
let unread: Set<string>
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048, registration: 'open' } } })
  ann = await t.signedIn('ann@example.com')
  shop = await register(t, { skipConsent: true })
  const { json } = await t.client().request('/.well-known/openid-configuration')
  unread = new Set(Object.keys(json))
  announced = new Proxy(json, {
    get: (document, name) => {
      unread.delete(String(name))
      return document[String(name)]
    },
  })
})
afterAll(() => t.stop())

const listOf = (name: string) => announced[name] as readonly string[]
const pathOf = (name: string) => String(announced[name]).slice(t.url.length)
const errorOf = async (params: Params) => queryOf((await ann.request(authorizePath(shop, params))).location)['error']
const registering = async (metadata: object) => {
  const body = JSON.stringify({ redirect_uris: ['https://rp.example/callback'], ...metadata })
  const headers = { 'content-type': 'application/json' }
  return (await t.client().request('/oauth2/register', { method: 'POST', headers, body })).status
}

test('every endpoint in the discovery document exists, and endpoints that it omits do not exist', async () => {
  const posted = /token|introspection|revocation|pushed|registration|device/
  for (const name of Object.keys(announced).filter((key) => key.endsWith('_endpoint') || key === 'jwks_uri')) {
    const method = posted.test(name) ? 'POST' : 'GET'
    expect([name, (await t.client().request(pathOf(name), { method })).status]).not.toEqual([name, 404])
  }
  for (const name of ['check_session_iframe', 'backchannel_authentication_endpoint', 'mtls_endpoint_aliases'])
    expect(announced).not.toHaveProperty(name)
  expect(
    Object.keys(announced).filter((name) => /frontchannel|encryption|authorization_signing|introspection_signing/.test(name)),
  ).toEqual([])
})

test('no endpoint answers at the default paths of the library or of other identity servers', async () => {
  for (const path of [
    ...['/auth', '/token', '/me', '/jwks.json', '/session/end', '/token/introspection', '/token/revocation', '/request', '/reg'],
    ...['/backchannel', '/challenge', '/credential', '/oauth2/bc-authorize', '/oauth2/check-session', '/oauth2/challenge'],
    ...['/oauth2/credential', '/oauth2/nonce', '/oauth2/logout', '/oauth2/jwks', '/oauth2/userinfo/x', '/oauth2/token/x'],
    ...['/.well-known/openid-credential-issuer', '/.well-known/openid-federation', '/.well-known/webfinger'],
  ])
    for (const method of ['GET', 'POST'])
      expect([path, method, (await t.client().request(path, { method })).status]).toEqual([path, method, 404])
})

test('a client that reads only the discovery document signs a person in, refreshes, introspects, revokes and signs out', async () => {
  expect(announced['issuer']).toBe(t.url)
  const same = await t.client().request('/.well-known/oauth-authorization-server')
  expect(same.json).toEqual((await t.client().request('/.well-known/openid-configuration')).json)
  const post = (name: string, form: Params, by = shop) => postForm(t, by, pathOf(name), form)
  const search = (path: string) => path.slice(path.indexOf('?'))
  const from = pathOf('authorization_endpoint') + search(authorizePath(shop, offline))
  const { code = '' } = queryOf((await goOn(ann, await ann.request(from))).location)
  const { json } = await post('token_endpoint', codeForm(code))
  const asked = await t.client().request(pathOf('userinfo_endpoint'), {
    headers: { authorization: `Bearer ${String(json['access_token'])}` },
  })
  expect(asked.json['sub']).toBe(decodeJwt(String(json['id_token'])).sub)
  const renewal = { grant_type: 'refresh_token', refresh_token: String(json['refresh_token']) }
  const renewed = String((await post('token_endpoint', renewal)).json['access_token'])
  const isActive = async () => (await post('introspection_endpoint', { token: renewed })).json['active']
  expect(await isActive()).toBe(true)
  expect((await post('revocation_endpoint', { token: renewed })).status).toBe(200)
  expect(await isActive()).toBe(false)
  const { json: par } = await post('pushed_authorization_request_endpoint', queryOf(authorizePath(shop)))
  const query = new URLSearchParams({ client_id: shop.clientId, request_uri: String(par['request_uri']) })
  expect(queryOf((await ann.request(`${pathOf('authorization_endpoint')}?${query}`)).location)['code']).toBeTruthy()
  const device = await register(t, { type: 'native', redirectUris: [], deviceFlow: true })
  const { json: codes } = await post('device_authorization_endpoint', { scope: 'openid' }, device)
  expect(codes).toMatchObject({ device_code: expect.any(String) })
  const leaving = await t.signedIn('leaving@example.com')
  const hint = (await redeem(t, shop, await codeFor(leaving, shop))).json['id_token']
  const out = await leaving.request(`${pathOf('end_session_endpoint')}?${new URLSearchParams({ id_token_hint: String(hint) })}`)
  expect([303, 302]).toContain(out.status)
})

test('the token endpoint accepts exactly the grant types in the discovery document', async () => {
  const answerOf = async (grant_type: string) => (await postForm(t, shop, '/oauth2/token', { grant_type })).json['error']
  for (const grant of listOf('grant_types_supported'))
    expect([grant, await answerOf(grant)]).not.toEqual([grant, 'unsupported_grant_type'])
  for (const grant of [
    'implicit',
    'password',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'urn:openid:params:grant-type:ciba',
    'x',
  ])
    expect([grant, await answerOf(grant)]).toEqual([grant, 'unsupported_grant_type'])
})

test('the authorization endpoint accepts exactly the response types, response modes, prompts and challenge methods in the discovery document', async () => {
  for (const response_type of ['code', 'token', 'id_token', 'code id_token', 'code token', 'code id_token token', 'none']) {
    const isAnnounced = listOf('response_types_supported').includes(response_type)
    expect([response_type, (await errorOf({ response_type })) === undefined]).toEqual([response_type, isAnnounced])
  }
  for (const response_mode of ['query', 'fragment', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt', 'web_message']) {
    const isAnnounced = listOf('response_modes_supported').includes(response_mode)
    const { location, text } = await ann.request(authorizePath(shop, { response_mode }))
    expect([response_mode, /[?#&]code=|name="code"/.test(`${location} ${text}`)]).toEqual([response_mode, isAnnounced])
  }
  for (const prompt of [...listOf('prompt_values_supported'), 'x']) {
    const isAnnounced = prompt !== 'x'
    expect([prompt, (await errorOf({ prompt })) !== 'invalid_request']).toEqual([prompt, isAnnounced])
  }
  for (const code_challenge_method of ['S256', 'plain', 'S512']) {
    const isAnnounced = listOf('code_challenge_methods_supported').includes(code_challenge_method)
    expect([code_challenge_method, (await errorOf({ code_challenge_method })) === undefined]).toEqual([
      code_challenge_method,
      isAnnounced,
    ])
  }
})

test('every scope in the discovery document can be requested, and no other standard scope can', async () => {
  for (const scope of listOf('scopes_supported'))
    expect([scope, await errorOf({ scope: `openid ${scope}` })]).not.toEqual([scope, 'invalid_scope'])
  for (const scope of ['address', 'phone', 'x']) {
    expect(listOf('scopes_supported')).not.toContain(scope)
    expect([scope, await errorOf({ scope: `openid ${scope}` })]).toEqual([scope, 'invalid_scope'])
  }
})

test('the boolean members of the discovery document agree with the authorization endpoint', async () => {
  expect([announced['claims_parameter_supported'], await errorOf({ claims: '{"id_token":{"email":null}}' })]).toEqual([
    true,
    undefined,
  ])
  expect([announced['claims_parameter_supported'], await errorOf({ claims: '{' })]).toEqual([true, 'invalid_request'])
  expect([announced['request_parameter_supported'], await errorOf({ request: 'x.y.z' })]).toEqual([
    true,
    'invalid_request_object',
  ])
  const byReference = await errorOf({ request_uri: 'https://rp.example/request' })
  expect([announced['request_uri_parameter_supported'], byReference]).toEqual([false, 'request_uri_not_supported'])
  expect(await errorOf({ registration: '{}' })).toBe('registration_not_supported')
  const { iss } = queryOf((await goOn(ann, await ann.request(authorizePath(shop)))).location)
  expect([announced['authorization_response_iss_parameter_supported'], iss]).toEqual([true, t.url])
})

describe('announced algorithms', () => {
  test('ID tokens and userinfo are signed by each announced algorithm, and the published keys verify them', async () => {
    const keys = createRemoteJWKSet(new URL(String(announced['jwks_uri'])))
    for (const idTokenAlg of listOf('id_token_signing_alg_values_supported')) {
      const client = await register(t, { idTokenAlg: idTokenAlg as 'RS256', skipConsent: true })
      const { json } = await redeem(t, client, await codeFor(ann, client))
      const token = String(json['id_token'])
      expect(decodeProtectedHeader(token).alg).toBe(idTokenAlg)
      if (idTokenAlg !== 'HS256') await jwtVerify(token, keys, { issuer: t.url, audience: client.clientId })
    }
    for (const userinfoAlg of listOf('userinfo_signing_alg_values_supported')) {
      const client = await register(t, { userinfoAlg: userinfoAlg as 'RS256', skipConsent: true })
      const { json } = await redeem(t, client, await codeFor(ann, client, { scope: 'openid email' }))
      const answer = await fetch(`${t.url}/oauth2/userinfo`, {
        headers: { authorization: `Bearer ${String(json['access_token'])}` },
      })
      expect(answer.headers.get('content-type')).toContain('application/jwt')
      const { payload, protectedHeader } = await jwtVerify(await answer.text(), keys, {
        issuer: t.url,
        audience: client.clientId,
      })
      expect([protectedHeader.alg, payload['email']]).toEqual([userinfoAlg, 'ann@example.com'])
    }
    const plain = await redeem(t, shop, await codeFor(ann, shop))
    expect((await userinfo(t, plain.json['access_token'])).json).toMatchObject({ sub: expect.any(String) })
  })

  test.each([
    ['id_token_signed_response_alg', 'id_token_signing_alg_values_supported'],
    ['userinfo_signed_response_alg', 'userinfo_signing_alg_values_supported'],
    ['request_object_signing_alg', 'request_object_signing_alg_values_supported'],
  ])('a client registers %s with exactly the announced algorithms', async (field, list) => {
    for (const alg of ['none', 'RS256', 'RS384', 'PS256', 'PS512', 'ES256', 'ES384', 'EdDSA', 'HS256', 'HS512'])
      expect([alg, await registering({ [field]: alg })]).toEqual([alg, listOf(list).includes(alg) ? 201 : 400])
    expect(listOf(list)).not.toContain('none')
  })

  test('a DPoP proof is accepted with exactly the announced algorithms', async () => {
    for (const alg of ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256', 'ES384', 'PS384']) {
      const key = await clientKey(alg)
      const proof = await proofFor(t, key, '/oauth2/token')
      const answer = await postWithProof(t, shop, '/oauth2/token', codeForm(await codeFor(ann, shop)), proof)
      expect([alg, answer.status]).toEqual([alg, listOf('dpop_signing_alg_values_supported').includes(alg) ? 200 : 400])
    }
  })
})

test('a client registers with exactly the announced authentication methods and subject types', async () => {
  const key = { ...(await clientKey()).publicKey, alg: 'ES256' }
  const methods = [
    ...['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt', 'none'],
    ...['tls_client_auth', 'self_signed_tls_client_auth', 'attest_jwt_client_auth'],
  ]
  for (const method of methods) {
    const isAnnounced = listOf('token_endpoint_auth_methods_supported').includes(method)
    const status = await registering({ token_endpoint_auth_method: method, jwks: { keys: [key] } })
    expect([method, status]).toEqual([method, isAnnounced ? 201 : 400])
  }
  for (const subject_type of ['public', 'pairwise', 'x']) {
    const isAnnounced = listOf('subject_types_supported').includes(subject_type)
    expect([subject_type, await registering({ subject_type })]).toEqual([subject_type, isAnnounced ? 201 : 400])
  }
})

describe('announced authentication of clients', () => {
  const ways = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt', 'none'] as const
  const places = [
    ['token_endpoint', { grant_type: 'refresh_token', refresh_token: 'unknown' }],
    ['revocation_endpoint', { token: 'unknown' }],
    ['introspection_endpoint', { token: 'unknown' }],
  ] as const

  test.each(places)('client authentication at the %s accepts exactly the announced methods', async (name, form) => {
    const methods = listOf(`${name}_auth_methods_supported`)
    const key = await newKey()
    const keyed = await register(t, { authMethod: 'private_key_jwt', jwks: { keys: [key.jwk] } })
    const sealed = await register(t, { authMethod: 'client_secret_jwt' })
    const page = await register(t, { type: 'spa', skipConsent: true })
    const own = String((await redeem(t, page, await codeFor(ann, page))).json['access_token'])
    const secret = { alg: 'HS256', kid: '', privateKey: new TextEncoder().encode(sealed.secret) }
    const unnamed = { header: { kid: undefined } }
    const send: Readonly<Record<(typeof ways)[number], () => Promise<{ readonly status: number }>>> = {
      client_secret_basic: () => postForm(t, shop, pathOf(name), form),
      client_secret_post: () =>
        postForm(t, { clientId: shop.clientId, secret: undefined }, pathOf(name), { ...form, client_secret: shop.secret }),
      client_secret_jwt: async () => postAsserted(t, pathOf(name), await assert(t, sealed.clientId, secret, unnamed), form),
      private_key_jwt: async () => postAsserted(t, pathOf(name), await assert(t, keyed.clientId, key), form),
      none: async () => {
        const answer = await postForm(t, page, pathOf(name), name === 'introspection_endpoint' ? { token: own } : form)
        // A client without authentication learns nothing, not even about its own token.
        return answer.json['active'] === false ? { status: 401 } : answer
      },
    }
    for (const way of ways) expect([way, (await send[way]()).status !== 401]).toEqual([way, methods.includes(way)])
  })

  test.each(places)('client authentication at the %s accepts exactly the announced algorithms', async (name, form) => {
    const algs = listOf(`${name}_auth_signing_alg_values_supported`)
    for (const alg of ['RS256', 'RS384', 'PS256', 'PS384', 'ES256', 'ES384', 'EdDSA', 'Ed25519']) {
      const key = await newKey('k1', alg, alg.endsWith('S256') ? { modulusLength: 2048 } : {})
      // The client registers its key without an algorithm, so the algorithms of the server decide.
      const { alg: _, ...jwk } = key.jwk
      const client = await register(t, { authMethod: 'private_key_jwt', jwks: { keys: [jwk as never] } }).catch(() => undefined)
      const status =
        client === undefined ? 401 : (await postAsserted(t, pathOf(name), await assert(t, client.clientId, key), form)).status
      expect([alg, status !== 401]).toEqual([alg, algs.includes(alg)])
    }
    const sealed = await register(t, { authMethod: 'client_secret_jwt' })
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      const secret = { alg, kid: '', privateKey: new TextEncoder().encode(sealed.secret?.padEnd(64, 'x').slice(0, 64)) }
      const own = { ...secret, privateKey: new TextEncoder().encode(sealed.secret) }
      const assertion = await assert(t, sealed.clientId, alg === 'HS256' ? own : secret, { header: { kid: undefined } })
      expect([alg, (await postAsserted(t, pathOf(name), assertion, form)).status !== 401]).toEqual([alg, algs.includes(alg)])
    }
  })
})

test('every announced authentication class can be requested, and an essential class that is not announced is refused', async () => {
  const essential = (value: string) => JSON.stringify({ id_token: { acr: { essential: true, values: [value] } } })
  const unmet = 'unmet_authentication_requirements'
  for (const acr of listOf('acr_values_supported'))
    expect([acr, await errorOf({ claims: essential(acr) })]).not.toEqual([acr, unmet])
  expect(await errorOf({ claims: essential('urn:x') })).toBe(unmet)
})

test('every announced claim can appear in a token or userinfo, and no other claim appears', async () => {
  const scope = listOf('scopes_supported').join(' ')
  const code = await codeFor(ann, shop, { scope, prompt: 'consent', nonce: 'n', max_age: '1000' })
  const { json } = await redeem(t, shop, code)
  const answer = await userinfo(t, json['access_token'])
  const said = { ...decodeJwt(String(json['id_token'])), ...answer.json }
  // Claims that this person lacks: a picture, a user name, an organization, a subscription, and an impersonating administrator.
  const lacking = ['picture', 'nickname', 'preferred_username', 'act', 'plan', 'subscription_status']
  const missing = listOf('claims_supported').filter((claim) => !(claim in said || claim.startsWith('org_')))
  expect(missing.filter((claim) => !lacking.includes(claim))).toEqual([])
  expect(Object.keys(said).filter((claim) => !listOf('claims_supported').includes(claim))).toEqual([])
  expect(announced['claim_types_supported']).toEqual(['normal'])
})

test('the pages support every announced language', async () => {
  for (const ui_locales of listOf('ui_locales_supported')) {
    const { location } = await t.client().request(authorizePath(shop, { ui_locales }))
    expect([ui_locales, queryOf(location)['ui_locales']]).toEqual([ui_locales, ui_locales])
    expect(existsSync(join(import.meta.dirname, `../../../admin-ui/locales/pages/${ui_locales}.json`))).toBe(true)
  }
})

test('back-channel logout is announced with its session support, and the ID tokens of a client registered for it have a sid', async () => {
  expect([announced['backchannel_logout_supported'], announced['backchannel_logout_session_supported']]).toEqual([true, true])
  const client = await register(t, { skipConsent: true, backchannelLogoutUri: 'https://rp.example/logout' })
  const { json } = await redeem(t, client, await codeFor(ann, client))
  expect(decodeJwt(String(json['id_token']))['sid']).toEqual(expect.any(String))
})

test('the endpoints of registration and metadata documents are announced only if the feature is switched on', async () => {
  const address = 'https://client.example/metadata'
  const named = { client_id: address, redirect_uri: 'https://client.example/callback' }
  expect(announced['registration_endpoint']).toBe(`${t.url}/oauth2/register`)
  expect(announced).not.toHaveProperty('client_id_metadata_document_supported')
  expect(await errorOf(named)).toBe('invalid_client')
  const other = await t.node({ oidc: { registration: 'off', clientMetadataDocuments: 'open' } })
  const { json } = await other.client().request('/.well-known/openid-configuration')
  expect(json).not.toHaveProperty('registration_endpoint')
  expect(json['client_id_metadata_document_supported']).toBe(true)
  const body = JSON.stringify({ redirect_uris: ['https://rp.example/callback'] })
  const headers = { 'content-type': 'application/json' }
  expect((await other.client().request('/oauth2/register', { method: 'POST', headers, body })).status).toBeGreaterThanOrEqual(400)
  await other.stop()
})

test('the tests of this file use every member of the discovery document', () => {
  expect([...unread]).toEqual([])
})
