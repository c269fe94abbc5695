/** Official libraries that authenticate clients by keys: openid-client in a complete sign-in, oauth4webapi as a machine. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKey, type SigningKey } from '../http/oidc/asserting.ts'
import { goOn, redirectUri, register } from '../http/oidc/flow.ts'
import { type TestApp, testApp } from '../support/app.ts'

let t: TestApp
let key: SigningKey
let jwksUri: string
const server = createServer((_, res) =>
  res.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [key.jwk] })),
)
beforeAll(async () => {
  key = await newKey('published', 'PS256')
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  jwksUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
  t = await testApp({ config: { outbound: { allowHttp: true, allow: ['127.0.0.1'] } } })
})
afterAll(async () => {
  server.close()
  await t.stop()
})

test('openid-client signs a person in with private_key_jwt and a required pushed request, and refreshes the tokens', async () => {
  const { clientId } = await register(t, {
    ...{ authMethod: 'private_key_jwt', jwksUri, requirePushedAuthorizationRequests: true, subjectType: 'pairwise' },
    skipConsent: true,
  })
  const authentication = client.PrivateKeyJwt({ key: key.privateKey, kid: key.kid })
  const config = await client.discovery(new URL(t.url), clientId, {}, authentication, { execute: [client.allowInsecureRequests] })
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const parameters = {
    ...{ redirect_uri: redirectUri, scope: 'openid offline_access', state: 'the state' },
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  }
  const ann = await t.signedIn('ann@example.com')
  const plain = client.buildAuthorizationUrl(config, parameters)
  expect((await ann.request(`${plain.pathname}${plain.search}`)).location).toContain('error=invalid_request')
  const pushed = await client.buildAuthorizationUrlWithPAR(config, parameters)
  const { location } = await goOn(ann, await ann.request(`${pushed.pathname}${pushed.search}`))
  const tokens = await client.authorizationCodeGrant(config, new URL(location ?? ''), {
    ...{ pkceCodeVerifier, expectedState: 'the state', idTokenExpected: true },
  })
  const { sub } = tokens.claims() ?? {}
  expect((await client.fetchUserInfo(config, tokens.access_token, String(sub))).sub).toBe(sub)
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  expect(renewed.claims()?.sub).toBe(sub)
  expect(await client.tokenIntrospection(config, renewed.access_token)).toMatchObject({ active: true, sub })
  await client.tokenRevocation(config, renewed.access_token)
  expect(await client.tokenIntrospection(config, renewed.access_token)).toEqual({ active: false })
})

test.each(['private_key_jwt', 'client_secret_jwt'] as const)(
  'oauth4webapi gets a token as a machine with %s',
  async (authMethod) => {
    const own = authMethod === 'private_key_jwt' ? { jwks: { keys: [key.jwk] } } : {}
    const { clientId, secret } = await register(t, { type: 'machine', redirectUris: [], authMethod, ...own })
    const issuer = new URL(t.url)
    const insecure = { [oauth.allowInsecureRequests]: true }
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
    expect(server.token_endpoint_auth_methods_supported).toContain(authMethod)
    const authentication =
      authMethod === 'private_key_jwt'
        ? oauth.PrivateKeyJwt({ key: key.privateKey, kid: key.kid })
        : oauth.ClientSecretJwt(secret ?? '')
    const machine = { client_id: clientId }
    const answer = await oauth.clientCredentialsGrantRequest(server, machine, authentication, new URLSearchParams(), insecure)
    expect((await oauth.processClientCredentialsResponse(server, machine, answer)).token_type).toBe('bearer')
  },
)
