import { jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { goOn, redirectUri, register, uidOf } from '../http/oidc/flow.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import type { Client as Browser } from '../support/client.ts'
import { codeOf, withAuthenticator } from '../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
})
afterAll(() => t.stop())

const algs = ['RS256', 'PS256', 'ES256', 'EdDSA', 'HS256'] as const

const discover = async (clientId: string, secret: string | undefined, alg: string, authentication?: oidc.ClientAuth) => {
  const metadata = { id_token_signed_response_alg: alg, ...(secret === undefined ? {} : { client_secret: secret }) }
  return oidc.discovery(new URL(t.url), clientId, metadata, authentication, { execute: [oidc.allowInsecureRequests] })
}

/** Goes through the hosted pages like a browser. Returns the address at which the application gets the browser back. */
const visit = async (browser: Browser, address: URL): Promise<URL> => {
  const answer = await goOn(browser, await browser.request(address.pathname + address.search))
  return new URL(answer.location ?? '')
}

const request = async () => {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [oidc.randomState(), oidc.randomNonce()]
  const parameters = {
    redirect_uri: redirectUri,
    scope: 'openid profile email offline_access',
    prompt: 'consent',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
  }
  return { parameters, checks: { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true } }
}

describe('a standard relying party', () => {
  test.each(algs)('openid-client completes the whole flow with %s ID tokens', async (alg) => {
    const { clientId, secret } = await register(t, { idTokenAlg: alg })
    const config = await discover(clientId, secret, alg, oidc.ClientSecretBasic(secret))
    // Verifies signatures of ID tokens, which TLS would make unnecessary. The option does not support shared secrets, so these are
    // verified below.
    if (alg !== 'HS256') oidc.enableNonRepudiationChecks(config)
    const browser = await t.signedIn(`${alg.toLowerCase()}@example.com`, 'Ann Example')
    const { parameters, checks } = await request()
    const back = await visit(browser, oidc.buildAuthorizationUrl(config, parameters))
    const tokens = await oidc.authorizationCodeGrant(config, back, checks)
    const claims = tokens.claims()
    expect(claims).toMatchObject({ iss: t.url, aud: clientId })
    expect(claims).not.toHaveProperty('email')

    if (alg === 'HS256')
      await jwtVerify(tokens.id_token ?? '', Buffer.from(secret ?? ''), { issuer: t.url, audience: clientId, algorithms: [alg] })

    const shown = await oidc.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '')
    expect(shown).toMatchObject({
      email: `${alg.toLowerCase()}@example.com`,
      name: 'Ann Example',
      given_name: 'Ann',
      family_name: 'Example',
      email_verified: false,
    })

    const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(renewed.claims()?.sub).toBe(claims?.sub)
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token)
    t.clock.advance({ seconds: 31 })
    await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('openid-client requests two factors with acr_values and gets them, and an unknown authentication class does not fail', async () => {
    const { clientId, secret } = await register(t, { skipConsent: true })
    const config = await discover(clientId, secret, 'RS256', oidc.ClientSecretBasic(secret))
    const acr = 'urn:gatehouse:acr:2fa'
    expect(config.serverMetadata().acr_values_supported).toContain(acr)
    const begin = async (browser: Browser, acr_values: string) => {
      const { parameters, checks } = await request()
      const address = oidc.buildAuthorizationUrl(config, { ...parameters, acr_values, claims: '{"id_token":{"acr":null}}' })
      return { asked: await browser.request(address.pathname + address.search), checks }
    }
    const ann = await t.signedIn('classes@example.com')
    const { asked, checks } = await begin(ann, acr)
    const { totpURI } = await ann.api.twoFactor.enable({ body: { password } })
    await ann.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
    const back = await goOn(ann, await ann.request(`/interaction/${uidOf(asked)}`))
    const tokens = await oidc.authorizationCodeGrant(config, new URL(back.location ?? ''), { ...checks, maxAge: 3600 })
    expect(tokens.claims()).toMatchObject({ acr, amr: expect.arrayContaining(['otp', 'mfa']) })
    expect(await oidc.tokenIntrospection(config, tokens.access_token)).toMatchObject({ active: true, acr })
    const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(renewed.claims()).toMatchObject({ acr, auth_time: tokens.claims()?.auth_time })

    const other = await begin(ann, 'urn:of:another')
    const came = await goOn(ann, other.asked)
    const given = await oidc.authorizationCodeGrant(config, new URL(came.location ?? ''), other.checks)
    expect(given.claims()).toMatchObject({ acr })
  })

  test('openid-client requests an essential class and a max_age together, and the second step of the new sign-in satisfies both', async () => {
    const { clientId, secret } = await register(t, { skipConsent: true })
    const config = await discover(clientId, secret, 'RS256', oidc.ClientSecretBasic(secret))
    const acr = 'urn:gatehouse:acr:2fa'
    const email = 'essential@example.com'
    const { browser: ann, totpURI } = await withAuthenticator(t, email)
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values: [acr] } } })
    const begin = async (more: Record<string, string> = {}) => {
      const { parameters, checks } = await request()
      const address = oidc.buildAuthorizationUrl(config, { ...parameters, prompt: '', claims, max_age: '60', ...more })
      for (const [name, value] of [...address.searchParams]) if (value === '') address.searchParams.delete(name)
      return { asked: await ann.request(address.pathname + address.search), checks: { ...checks, maxAge: 60 } }
    }
    t.clock.advance({ minutes: 10 })
    const silent = await begin({ prompt: 'none' })
    await expect(oidc.authorizationCodeGrant(config, new URL(silent.asked.location ?? ''), silent.checks)).rejects.toMatchObject({
      error: 'login_required',
    })
    const { asked, checks } = await begin()
    expect(asked.location).toMatch(/^\/sign-in\?/)
    expect((await ann.post('/sign-in/email', { email, password })).json['twoFactorRedirect']).toBe(true)
    const halfWay = await ann.request(`/interaction/${uidOf(asked)}`)
    expect(halfWay.location, 'the password alone ends no sign-in').not.toContain(redirectUri)
    await ann.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
    const back = await goOn(ann, await ann.request(`/interaction/${uidOf(asked)}`))
    const tokens = await oidc.authorizationCodeGrant(config, new URL(back.location ?? ''), checks)
    expect(tokens.claims()).toMatchObject({ acr, amr: expect.arrayContaining(['pwd', 'otp', 'mfa']) })
  })

  test('openid-client gets unmet_authentication_requirements when the person declines the step-up, and otherwise signs the person in', async () => {
    const { clientId, secret } = await register(t, { skipConsent: true })
    const config = await discover(clientId, secret, 'RS256', oidc.ClientSecretBasic(secret))
    const browser = await t.signedIn('declines@example.com')
    const begin = async (more: Record<string, string>) => {
      const { parameters, checks } = await request()
      const address = oidc.buildAuthorizationUrl(config, { ...parameters, ...more })
      return { asked: await browser.request(address.pathname + address.search), checks }
    }
    const acr = { essential: true, value: 'urn:gatehouse:acr:phishing-resistant' }
    const { asked, checks } = await begin({ claims: JSON.stringify({ id_token: { acr } }) })
    const { redirectURI } = await browser.api.oidc.declineStepUp({ body: { interaction: uidOf(asked) } })
    const left = await goOn(browser, await browser.request(redirectURI))
    const refused = oidc.authorizationCodeGrant(config, new URL(left.location ?? redirectURI), checks)
    await expect(refused).rejects.toMatchObject({ error: 'unmet_authentication_requirements' })
    const lower = await begin({ acr_values: 'urn:gatehouse:acr:1fa' })
    const back = await goOn(browser, lower.asked)
    const tokens = await oidc.authorizationCodeGrant(config, new URL(back.location ?? ''), lower.checks)
    expect(tokens.claims()?.['acr']).toBe('urn:gatehouse:acr:1fa')
  })

  test('openid-client refreshes three times at once with one refresh token, and stays signed in with any of the responses', async () => {
    const { clientId, secret } = await register(t)
    const config = await discover(clientId, secret, 'RS256', oidc.ClientSecretBasic(secret))
    const browser = await t.signedIn('tabs@example.com')
    const { parameters, checks } = await request()
    const back = await visit(browser, oidc.buildAuthorizationUrl(config, parameters))
    const { refresh_token: first = '' } = await oidc.authorizationCodeGrant(config, back, checks)
    const renewed = await Promise.all([1, 2, 3].map(() => oidc.refreshTokenGrant(config, first)))
    for (const { access_token, claims } of renewed)
      expect((await oidc.fetchUserInfo(config, access_token, claims()?.sub ?? '')).email).toBe('tabs@example.com')
    for (const { refresh_token } of renewed) await oidc.refreshTokenGrant(config, refresh_token ?? '')
  })

  test('openid-client signs people in without PKCE to a client with a secret', async () => {
    const { clientId, secret } = await register(t)
    const config = await discover(clientId, secret, 'RS256', oidc.ClientSecretBasic(secret))
    const browser = await t.signedIn('no-pkce@example.com')
    const { parameters, checks } = await request()
    const { code_challenge: _, code_challenge_method: __, ...plain } = parameters
    const back = await visit(browser, oidc.buildAuthorizationUrl(config, plain))
    const { pkceCodeVerifier: ___, ...plainChecks } = checks
    const { access_token, claims } = await oidc.authorizationCodeGrant(config, back, plainChecks)
    expect((await oidc.fetchUserInfo(config, access_token, claims()?.sub ?? '')).email).toBe('no-pkce@example.com')
  })

  test('openid-client authenticates with the client secret in the body', async () => {
    const { clientId, secret } = await register(t)
    const config = await discover(clientId, secret, 'RS256', oidc.ClientSecretPost(secret))
    const browser = await t.signedIn('post@example.com')
    const { parameters, checks } = await request()
    const back = await visit(browser, oidc.buildAuthorizationUrl(config, parameters))
    expect((await oidc.authorizationCodeGrant(config, back, checks)).token_type).toBe('bearer')
  })

  test('openid-client without a secret completes the flow with PKCE alone', async () => {
    const { clientId } = await register(t, { type: 'spa' })
    const config = await discover(clientId, undefined, 'RS256', oidc.None())
    oidc.enableNonRepudiationChecks(config)
    const browser = await t.signedIn('spa@example.com')
    const { parameters, checks } = await request()
    const back = await visit(browser, oidc.buildAuthorizationUrl(config, parameters))
    const tokens = await oidc.authorizationCodeGrant(config, back, checks)
    await oidc.tokenRevocation(config, tokens.refresh_token ?? '')
    await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('openid-client pushes an authorization request, and the request_uri works once (RFC 9126)', async () => {
    const { clientId, secret } = await register(t)
    const config = await discover(clientId, secret, 'RS256', oidc.ClientSecretBasic(secret))
    const browser = await t.signedIn('par@example.com')
    const { parameters, checks } = await request()
    const address = await oidc.buildAuthorizationUrlWithPAR(config, parameters)
    expect([...address.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
    const tokens = await oidc.authorizationCodeGrant(config, await visit(browser, address), checks)
    expect(tokens.scope).toBe('openid profile email offline_access')
    const again = await browser.request(address.pathname + address.search)
    expect(again.location).toContain('error=invalid_request_uri')
    await expect(oidc.buildAuthorizationUrlWithPAR(config, { ...parameters, scope: 'openid nonsense' })).rejects.toMatchObject({
      error: 'invalid_scope',
    })
    const { scope: _, nonce: __, ...plain } = parameters
    const { expectedNonce: ___, ...noNonce } = checks
    const unscoped = await visit(browser, await oidc.buildAuthorizationUrlWithPAR(config, plain))
    expect((await oidc.authorizationCodeGrant(config, unscoped, noNonce)).scope).toBe('openid')
  })

  test('openid-client as a machine gets, introspects and revokes its token', async () => {
    const { clientId, secret } = await register(t, { type: 'machine', redirectUris: [] })
    const config = await discover(clientId, secret, 'RS256', oidc.ClientSecretBasic(secret))
    const { access_token } = await oidc.clientCredentialsGrant(config)
    expect(await oidc.tokenIntrospection(config, access_token)).toMatchObject({ active: true, client_id: clientId })
    await oidc.tokenRevocation(config, access_token)
    expect(await oidc.tokenIntrospection(config, access_token)).toEqual({ active: false })
  })

  test('openid-client signs its user out', async () => {
    const bye = 'https://rp.example/bye'
    const { clientId, secret } = await register(t, { postLogoutRedirectUris: [bye] })
    const config = await discover(clientId, secret, 'RS256', oidc.ClientSecretBasic(secret))
    const browser = await t.signedIn('logout@example.com')
    const { parameters, checks } = await request()
    const tokens = await oidc.authorizationCodeGrant(
      config,
      await visit(browser, oidc.buildAuthorizationUrl(config, parameters)),
      checks,
    )
    const address = oidc.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: bye,
      state: 's',
    })
    expect((await browser.request(address.pathname + address.search)).location).toBe(`${bye}?state=s`)
    expect(await browser.api.sessions.getSession()).toBeNull()
  })

  test('openid-client rejects a response whose issuer was changed', async () => {
    const { clientId, secret } = await register(t)
    const config = await discover(clientId, secret, 'RS256', oidc.ClientSecretBasic(secret))
    const browser = await t.signedIn('mixup@example.com')
    const { parameters, checks } = await request()
    const back = await visit(browser, oidc.buildAuthorizationUrl(config, parameters))
    back.searchParams.set('iss', 'https://evil.example')
    await expect(oidc.authorizationCodeGrant(config, back, checks)).rejects.toThrow()
  })
})
