/** Clients of metadata documents that authenticate with a key (`private_key_jwt`), as the draft allows. */
import type { Server } from 'node:https'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { httpsServer } from '../../support/https-server.ts'
import { assert, newKey, postAsserted, type SigningKey } from './asserting.ts'
import { authorizePath, codeFor, type Params, postForm, queryOf, redirectUri } from './flow.ts'
import { codeForm } from './proofs.ts'

const served = new Map<string, object>()
let server: Server
let origin: string
let t: TestApp
let ann: Browser
let key: SigningKey
beforeAll(async () => {
  const started = await httpsServer((req, res) => {
    const body = served.get(req.url ?? '')
    res.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server = started.server
  origin = started.origin
  t = await testApp({
    config: {
      outbound: { allow: ['localhost'] },
      oidc: { clientMetadataDocuments: 'listed', clientMetadataDocumentHosts: [new URL(origin).host], rsaModulusLength: 2048 },
    },
  })
  ann = await t.signedIn('ann@example.com')
  key = await newKey()
})
afterAll(async () => {
  await t.stop()
  server.closeAllConnections()
  server.close()
})

const serve = (path: string, metadata: object) => {
  const clientId = origin + path
  served.set(path, {
    ...{ client_id: clientId, client_name: 'Editor', redirect_uris: [redirectUri] },
    ...{ token_endpoint_auth_method: 'private_key_jwt', ...metadata },
  })
  return { clientId, secret: undefined }
}
/** Redeems a new code with an assertion by the given key. */
const redeem = async (clientId: string, by = key, form: Params = {}) =>
  postAsserted(t, '/oauth2/token', await assert(t, clientId, by), {
    ...codeForm(await codeFor(ann, { clientId, secret: undefined })),
    ...form,
  })
const redeemPlainly = (clientId: string, code: string) =>
  postForm(t, { clientId, secret: undefined }, '/oauth2/token', codeForm(code))
const problem = async (clientId: string) => {
  const { location } = await ann.request(authorizePath({ clientId, secret: undefined }))
  return queryOf(location)['error_description']
}

test('a client whose metadata document has a key signs people in, and gets tokens only by an assertion of the key', async () => {
  const { clientId } = serve('/keyed.json', { jwks: { keys: [key.jwk] } })
  expect((await redeem(clientId)).json).toMatchObject({ token_type: 'Bearer' })
  const wrong = await redeem(clientId, { ...(await newKey()), kid: key.kid })
  expect([wrong.status, wrong.json['error']]).toEqual([401, 'invalid_client'])
  const code = await codeFor(ann, { clientId, secret: undefined })
  expect((await redeemPlainly(clientId, code)).status).toBe(401)
  // The client has no secret, and cannot omit PKCE.
  expect(await t.app.core.db.knex('client_secret').select('id')).toEqual([])
  const { location } = await ann.request(
    authorizePath({ clientId, secret: undefined }, { code_challenge: undefined, code_challenge_method: undefined }),
  )
  expect(queryOf(location)['error_description']).toContain('PKCE')
})

test("a jwks_uri in a metadata document is fetched only from public addresses, and after an administrator's approval also from allowed hosts", async () => {
  served.set('/keys.json', { keys: [key.jwk] })
  const { clientId } = serve('/published.json', { jwks_uri: `${origin}/keys.json` })
  expect((await redeem(clientId)).json['error']).toBe('invalid_client')
  await t.app.oidc.applications.update(systemPrincipal('test'), clientId, { review: 'approved' })
  expect((await redeem(clientId)).json).toMatchObject({ token_type: 'Bearer' })
})

test('a metadata document can add keys and remove keys', async () => {
  const { clientId } = serve('/changing.json', { token_endpoint_auth_method: 'none' })
  const code = await codeFor(ann, { clientId, secret: undefined })
  expect((await redeemPlainly(clientId, code)).status).toBe(200)
  serve('/changing.json', { jwks: { keys: [key.jwk] } })
  t.clock.advance({ hours: 2 })
  ann = await t.signedIn('later@example.com')
  expect((await redeem(clientId)).status).toBe(200)
  serve('/changing.json', { token_endpoint_auth_method: 'none' })
  t.clock.advance({ hours: 2 })
  ann = await t.signedIn('latest@example.com')
  const last = await codeFor(ann, { clientId, secret: undefined })
  expect((await redeemPlainly(clientId, last)).status).toBe(200)
})

test('a metadata document that names an authentication key but lacks it, or contains a private or symmetric key, is refused', async () => {
  const cases: readonly (readonly [string, object, string])[] = [
    ['none', {}, 'jwks'],
    ['both', { jwks: { keys: [key.jwk] }, jwks_uri: `${origin}/keys.json` }, 'exclude each other'],
    ['private', { jwks: { keys: [{ ...key.jwk, d: 'AA' }] } }, 'private or symmetric key'],
    ['symmetric', { jwks: { keys: [{ kty: 'oct', k: 'AA' }] } }, 'private or symmetric key'],
    ['http', { jwks_uri: 'http://keys.example/jwks' }, 'jwksUri'],
  ]
  for (const [name, metadata, text] of cases) {
    const { clientId } = serve(`/bad-${name}.json`, metadata)
    expect([name, await problem(clientId)]).toEqual([name, expect.stringContaining(text)])
    expect(await t.app.core.db.knex('oauth_client').where({ client_id: clientId })).toEqual([])
  }
})
