import { jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemPrincipal } from '../../src/access/principal.ts'
import { goOn, redirectUri, register } from '../http/oidc/flow.ts'
import { type TestApp, testApp } from '../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const operator = systemPrincipal('test')
const day = 86_400

/** One process of the application, with the secret that it was started with. */
const started = (clientId: string, secret: string, alg: string) =>
  oidc.discovery(
    new URL(t.url),
    clientId,
    { id_token_signed_response_alg: alg, client_secret: secret },
    oidc.ClientSecretBasic(secret),
    { execute: [oidc.allowInsecureRequests] },
  )

const signIn = async (config: oidc.Configuration, email: string) => {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const browser = await t.signedIn(email)
  const address = oidc.buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirectUri, scope: 'openid offline_access', prompt: 'consent' },
    ...{ code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: 'S256' },
  })
  const back = await goOn(browser, await browser.request(address.pathname + address.search))
  const at = new URL(back.location ?? '')
  return {
    browser,
    redeem: (by: oidc.Configuration) => oidc.authorizationCodeGrant(by, at, { pkceCodeVerifier, idTokenExpected: true }),
  }
}

test.each(['RS256', 'HS256'] as const)(
  "openid-client works without an outage while its application's secret is rotated, with %s ID tokens",
  async (alg) => {
    const { clientId, secret: oldSecret = '' } = await register(t, { idTokenAlg: alg })
    const oldProcess = await started(clientId, oldSecret, alg)
    const name = alg.toLowerCase()
    const first = await (await signIn(oldProcess, `${name}-1@example.com`)).redeem(oldProcess)
    const { secret: newSecret } = await t.app.oidc.clientSecrets.rotate(operator, clientId, { overlapSeconds: 7 * day })
    const newProcess = await started(clientId, newSecret, alg)

    // Each process gets ID tokens that it can verify with its secret.
    for (const [config, secret] of [
      [oldProcess, oldSecret],
      [newProcess, newSecret],
    ] as const) {
      const tokens = await (await signIn(config, `${name}-${secret.slice(0, 3)}@example.com`)).redeem(config)
      const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
      for (const idToken of [tokens.id_token, renewed.id_token])
        if (alg === 'HS256')
          await jwtVerify(idToken ?? '', Buffer.from(secret), { issuer: t.url, audience: clientId, algorithms: [alg] })
      expect((await oidc.tokenIntrospection(config, renewed.access_token)).active).toBe(true)
    }
    // One process completes a sign-in that another began, and refreshes an earlier session.
    const second = await oidc.refreshTokenGrant(newProcess, first.refresh_token ?? '')
    await (await signIn(oldProcess, `${name}-both@example.com`)).redeem(newProcess)

    t.clock.advance({ seconds: 7 * day + 1 })
    await expect(oidc.refreshTokenGrant(oldProcess, second.refresh_token ?? '')).rejects.toMatchObject({
      status: 401,
      cause: [{ parameters: { error: 'invalid_client' } }],
    })
    await (await signIn(newProcess, `${name}-after@example.com`)).redeem(newProcess)
  },
)

test('an ID token signed with either client secret names the person at a sign-out, until the secret is revoked', async () => {
  const back = 'https://rp.example/bye'
  const { clientId, secret: oldSecret = '' } = await register(t, { idTokenAlg: 'HS256', postLogoutRedirectUris: [back] })
  const { secret: newSecret } = await t.app.oidc.clientSecrets.rotate(operator, clientId, { overlapSeconds: day })
  const signOut = async (secret: string, isTakenBack = false) => {
    const config = await started(clientId, secret, 'HS256')
    const { browser, redeem } = await signIn(config, `out-${secret.slice(0, 4)}-${isTakenBack}@example.com`)
    const { id_token: hint = '' } = await redeem(config)
    if (isTakenBack) {
      const [, old] = await t.app.oidc.clientSecrets.list(operator, clientId)
      await t.app.oidc.clientSecrets.revoke(operator, clientId, old?.id ?? '')
    }
    return browser.request(`/oauth2/end-session?${new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: back })}`)
  }
  for (const secret of [oldSecret, newSecret]) expect((await signOut(secret)).location).toBe(back)
  expect((await signOut(oldSecret, true)).location).toMatch(/^\/sign-out\?question=/)
})

test('an id_token_hint signed with either client secret is accepted at the authorization endpoint', async () => {
  const { clientId, secret: oldSecret = '' } = await register(t, { idTokenAlg: 'HS256' })
  const { secret: newSecret } = await t.app.oidc.clientSecrets.rotate(operator, clientId, { overlapSeconds: day })
  for (const secret of [oldSecret, newSecret]) {
    const config = await started(clientId, secret, 'HS256')
    const { browser, redeem } = await signIn(config, `hint-${secret.slice(0, 4)}@example.com`)
    const { id_token: hint = '' } = await redeem(config)
    const verifier = oidc.randomPKCECodeVerifier()
    const address = oidc.buildAuthorizationUrl(config, {
      ...{ redirect_uri: redirectUri, scope: 'openid', prompt: 'none', id_token_hint: hint },
      ...{ code_challenge: await oidc.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    })
    const answer = await browser.request(address.pathname + address.search)
    expect(new URL(answer.location ?? '').searchParams.get('code')).toMatch(/^.{20,}/)
  }
})
