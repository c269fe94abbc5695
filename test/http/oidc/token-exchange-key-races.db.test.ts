/** Token exchange (RFC 8693) of tokens bound to a key, and for such tokens (RFC 9449). */
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { type Application, codeFor, type Params, postForm, register } from './flow.ts'
import { type ClientKey, clientKey, codeForm, type ProofParts, postWithProof, proofFor } from './proofs.ts'

const accessToken = 'urn:ietf:params:oauth:token-type:access_token'
const [front, back] = ['https://front.example', 'https://back.example']
const path = '/oauth2/token'

let t: TestApp
let node: TestApp
let admin: Browser
let ann: Browser
let shop: Application
let cart: Application
let strict: Application
let reader: Application
let key: ClientKey
let other: ClientKey
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  node = await t.node()
  admin = await signedInAs(t, 'admin')
  ann = await t.signedIn('ann@example.com')
  shop = await register(t)
  cart = await register(t, { name: 'Cart', type: 'machine', redirectUris: [] })
  strict = await register(t, { name: 'Strict', type: 'machine', redirectUris: [], dpopBoundAccessTokens: true })
  ;[key, other] = [await clientKey(), await clientKey()]
  const scopes = [{ name: 'read', description: 'Read' }]
  await admin.api.apis.createApi({ body: { identifier: front, name: 'Front', scopes, clients: [{ clientId: shop.clientId }] } })
  const api = await admin.api.apis.createApi({
    body: {
      ...{ identifier: back, name: 'Back', scopes },
      clients: [shop, cart, strict].map(({ clientId }) => ({ clientId, exchangeFrom: [front], mayImpersonate: true })),
    },
  })
  const { secret } = await admin.api.apis.rotateApiSecret({ params: { apiId: api.id }, body: {} })
  reader = { clientId: api.id, secret }
})
afterAll(async () => {
  await node.stop()
  await t.stop()
})

const proof = (by = key, parts: ProofParts = {}) => proofFor(t, by, path, parts)
const subjectFor = async (by: ClientKey | undefined) => {
  const code = await codeFor(ann, shop, { scope: 'openid offline_access read', prompt: 'consent', resource: front })
  return (await postWithProof(t, shop, path, { ...codeForm(code), resource: front }, by && (await proof(by)))).json[
    'access_token'
  ]
}
const exchange = (by: Application, subject: unknown, sent: string | undefined, form: Params = {}, at = t) =>
  postWithProof(
    ...([at, by, path] as const),
    {
      ...{ grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', subject_token: String(subject) },
      ...{ subject_token_type: accessToken, resource: back, scope: 'read', ...form },
    },
    sent,
  )
const introspect = async (token: unknown) => (await postForm(t, reader, '/oauth2/introspect', { token: String(token) })).json

test('a DPoP-bound token is exchanged only with a DPoP proof of its key, and the new token is bound to the same key', async () => {
  const subject = await subjectFor(key)
  for (const by of [shop, cart]) {
    for (const sent of [undefined, await proof(other)])
      expect((await exchange(by, subject, sent)).json).toMatchObject({
        error: 'invalid_request',
        error_description: /subject_token is bound/,
      })
    const { json } = await exchange(by, subject, await proof())
    expect(json).toMatchObject({ token_type: 'DPoP', scope: 'read' })
    expect(decodeJwt(String(json['access_token']))).toMatchObject({ cnf: { jkt: key.thumbprint }, act: { sub: by.clientId } })
    expect(await introspect(json['access_token'])).toMatchObject({
      active: true,
      token_type: 'DPoP',
      cnf: { jkt: key.thumbprint },
    })
  }
})

test('an unbound token is exchanged for a DPoP-bound token if the exchanging client sends a DPoP proof', async () => {
  const subject = await subjectFor(undefined)
  expect((await exchange(cart, subject, undefined)).json).toMatchObject({ token_type: 'Bearer' })
  const { json } = await exchange(cart, subject, await proof(other))
  expect(decodeJwt(String(json['access_token']))).toMatchObject({ cnf: { jkt: other.thumbprint } })
})

test('a client that requires DPoP-bound tokens can exchange only with a DPoP proof', async () => {
  const subject = await subjectFor(undefined)
  expect((await exchange(strict, subject, undefined)).json['error']).toBe('invalid_grant')
  expect((await exchange(strict, subject, await proof())).json).toMatchObject({ token_type: 'DPoP' })
})

test('an invalid DPoP proof makes an exchange fail, even for an unbound token', async () => {
  const subject = await subjectFor(undefined)
  for (const sent of [
    'a.b.c',
    await proof(key, { claims: { htm: 'GET' } }),
    await proof(key, { claims: { htu: `${t.url}/oauth2/userinfo` } }),
    await proof(key, { claims: { iat: Math.floor(Date.now() / 1000) - 600 } }),
    await proof(key, { header: { jwk: other.publicKey } }),
  ]) {
    const { status, json } = await exchange(cart, subject, sent)
    expect([status, ['invalid_dpop_proof', 'use_dpop_nonce'].includes(String(json['error']))]).toEqual([400, true])
  }
})

test("a machine's DPoP-bound actor token is accepted only with a DPoP proof of its key", async () => {
  const subject = await subjectFor(undefined)
  const { json } = await postWithProof(t, cart, path, { grant_type: 'client_credentials' }, await proof(other))
  const acting = { actor_token: String(json['access_token']), actor_token_type: accessToken }
  for (const sent of [undefined, await proof()])
    expect((await exchange(cart, subject, sent, acting)).json).toMatchObject({ error: 'invalid_request' })
  expect((await exchange(cart, subject, await proof(other), acting)).json).toMatchObject({ token_type: 'DPoP' })
})

test('an administrator with a DPoP-bound token impersonates a user with a DPoP proof of its key, and the new token is bound to the key', async () => {
  const desk = await register(t, { name: 'Desk' })
  await admin.api.apis.createApi({
    body: {
      ...{ identifier: 'urn:desk', name: 'Desk', scopes: [{ name: 'read', description: 'Read' }] },
      clients: [{ clientId: desk.clientId, mayImpersonate: true }],
    },
  })
  const code = await codeFor(admin, desk, { scope: 'openid', prompt: 'consent' })
  const actor = (await postWithProof(t, desk, path, codeForm(code), await proof())).json['access_token']
  const annId = (await ann.api.sessions.getSession())?.user.id
  const form = {
    ...{ subject_token_type: 'urn:gatehouse:params:oauth:token-type:user-id', resource: 'urn:desk' },
    ...{ actor_token: String(actor), actor_token_type: accessToken },
  }
  for (const sent of [undefined, await proof(other)])
    expect((await exchange(desk, annId, sent, form)).json).toMatchObject({ error: 'invalid_request' })
  const { json } = await exchange(desk, annId, await proof(), form)
  expect(decodeJwt(String(json['access_token']))).toMatchObject({ sub: annId, cnf: { jkt: key.thumbprint } })
})

testOnBoth('a DPoP proof sent to two nodes at the same time exchanges a DPoP-bound token once', async () => {
  const subject = await subjectFor(key)
  for (let round = 0; round < 5; round++) {
    const sent = await proof()
    const answers = await Promise.all([t, node, t, node].map((at) => exchange(cart, subject, sent, {}, at)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
    for (const { status, json } of answers) if (status === 400) expect(json['error']).toBe('invalid_dpop_proof')
    expect((await exchange(cart, subject, sent)).json['error']).toBe('invalid_dpop_proof')
  }
})
