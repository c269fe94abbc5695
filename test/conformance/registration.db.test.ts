import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { goOn, redirectUri } from '../http/oidc/flow.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { done, officialClient, refused } from '../support/better-auth.ts'

let t: TestApp
let open: TestApp
beforeAll(async () => {
  t = await testApp()
  open = await testApp({ config: { oidc: { registration: 'open' } } })
})
afterAll(async () => {
  await open.stop()
  await t.stop()
})

/** The client derives paths from the names of its actions, and its types know only those of its plugins. */
interface WithRegistration {
  readonly oauth2: {
    register(body: object): Promise<{ readonly data: Readonly<Record<string, unknown>> | null; readonly error: unknown }>
  }
}
const registrationOf = ({ auth }: ReturnType<typeof officialClient>) => (auth as unknown as WithRegistration).oauth2

test('oauth2.register of the Better Auth client registers a client for a signed-in person', async () => {
  const application = officialClient(t)
  done(await application.auth.signUp.email({ email: 'ann@example.com', name: 'Ann', password: 'correct horse battery' }))
  await t.verify('ann@example.com')
  const registered = done(
    await registrationOf(application).register({ redirect_uris: [redirectUri], client_name: 'By Better Auth' }),
  )
  expect(registered).toMatchObject({
    ...{
      client_name: 'By Better Auth',
      client_id: expect.stringMatching(/^\w{32}$/),
      client_secret: expect.stringMatching(/^\w{32}$/),
    },
    ...{ client_secret_expires_at: 0, redirect_uris: [redirectUri], token_endpoint_auth_method: 'client_secret_basic' },
    ...{ grant_types: ['authorization_code'], response_types: ['code'] },
  })
})

test('oauth2.register of the Better Auth client is refused for strangers', async () => {
  const answer = await registrationOf(officialClient(t)).register({ redirect_uris: [redirectUri] })
  expect(refused(answer)[0]).toBe(401)
  expect(answer.error).toMatchObject({
    error: 'invalid_token',
    error_description: 'Authentication required for client registration',
  })
})

test('openid-client and oauth4webapi discover the registration endpoint, register a client and sign a person in', async () => {
  const metadata = { redirect_uris: [redirectUri], client_name: 'Dynamic', token_endpoint_auth_method: 'client_secret_post' }
  const config = await oidc.dynamicClientRegistration(new URL(open.url), metadata, undefined, {
    execute: [oidc.allowInsecureRequests],
  })
  expect(config.clientMetadata()).toMatchObject({ client_name: 'Dynamic', token_endpoint_auth_method: 'client_secret_post' })
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const expectedState = oidc.randomState()
  const address = oidc.buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirectUri, scope: 'openid email', state: expectedState, code_challenge_method: 'S256' },
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
  })
  const browser = await open.signedIn('bea@example.com')
  const answer = await goOn(browser, await browser.request(address.pathname + address.search))
  const tokens = await oidc.authorizationCodeGrant(config, new URL(answer.location ?? ''), { pkceCodeVerifier, expectedState })
  expect((await oidc.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '')).email).toBe('bea@example.com')
})

test('openid-client registers with an initial access token if strangers cannot register', async () => {
  const { value } = await t.app.oidc.initialAccessTokens.create(
    { kind: 'system', address: '', userAgent: '', requestId: 'test' },
    { name: 'One', types: ['web'], scopes: null, redirectHosts: null, maxClients: 1, expiresInSeconds: 600 },
  )
  const register = (initialAccessToken?: string) =>
    oidc.dynamicClientRegistration(new URL(t.url), { redirect_uris: [redirectUri] }, undefined, {
      ...{ execute: [oidc.allowInsecureRequests] },
      ...(initialAccessToken === undefined ? {} : { initialAccessToken }),
    })
  // The challenge header (RFC 6750, section 3) is read before the body.
  await expect(register()).rejects.toMatchObject({ code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE', status: 401 })
  expect((await register(value)).clientMetadata().client_id).toHaveLength(32)
})
