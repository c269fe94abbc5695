/** What discovery announces works, and what it does not announce does not. Each list is read from the document, not from the code. */
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import {
  type Application,
  authorizePath,
  codeFor,
  goOn,
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
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048, registration: 'open' } } })
  ann = await t.signedIn('ann@example.com')
  shop = await register(t, { skipConsent: true })
  announced = (await t.client().request('/.well-known/openid-configuration')).json
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

test('every announced endpoint is there, and none of those that are declined', async () => {
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

test('the token endpoint knows the announced grant types alone', async () => {
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

test('the authorization endpoint knows the announced response types, response modes, prompts and challenges alone', async () => {
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

test('every announced scope may be asked for, and no standard scope beside them', async () => {
  for (const scope of listOf('scopes_supported'))
    expect([scope, await errorOf({ scope: `openid ${scope}` })]).not.toEqual([scope, 'invalid_scope'])
  for (const scope of ['address', 'phone', 'x']) {
    expect(listOf('scopes_supported')).not.toContain(scope)
    expect([scope, await errorOf({ scope: `openid ${scope}` })]).toEqual([scope, 'invalid_scope'])
  }
})

test('the flags of the document say what the authorization endpoint does', async () => {
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

describe('algorithms', () => {
  test('ID tokens and userinfo are signed by each announced algorithm, and verify with the announced keys', async () => {
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
  ])('a client registers %s with the announced algorithms alone', async (field, list) => {
    for (const alg of ['none', 'RS256', 'RS384', 'PS256', 'PS512', 'ES256', 'ES384', 'EdDSA', 'HS256', 'HS512'])
      expect([alg, await registering({ [field]: alg })]).toEqual([alg, listOf(list).includes(alg) ? 201 : 400])
    expect(listOf(list)).not.toContain('none')
  })

  test('a DPoP proof counts by the announced algorithms alone', async () => {
    for (const alg of ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256', 'ES384', 'PS384']) {
      const key = await clientKey(alg)
      const proof = await proofFor(t, key, '/oauth2/token')
      const answer = await postWithProof(t, shop, '/oauth2/token', codeForm(await codeFor(ann, shop)), proof)
      expect([alg, answer.status]).toEqual([alg, listOf('dpop_signing_alg_values_supported').includes(alg) ? 200 : 400])
    }
  })
})

test('a client registers with the announced methods of authentication and kinds of subjects alone', async () => {
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
