import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { goOn, redirectUri, register } from '../http/oidc/flow.ts'
import { type TestApp, testApp } from '../support/app.ts'
import type { Client as Browser } from '../support/client.ts'

let t: TestApp
let config: oidc.Configuration
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  const { clientId, secret } = await register(t)
  config = await oidc.discovery(new URL(t.url), clientId, undefined, oidc.ClientSecretBasic(secret), {
    execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks],
  })
})
afterAll(() => t.stop())

const found = async (browser: Browser, name: string) =>
  browser.api.organizations.createOrganization({ body: { name, slug: name.toLowerCase(), keepCurrentActiveOrganization: true } })

/** Signs in as an application with a standard library, with a pushed request on demand. */
const signIn = async (browser: Browser, more: Record<string, string>, isPushed = false) => {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const parameters = {
    redirect_uri: redirectUri,
    scope: 'openid organizations offline_access',
    prompt: 'consent',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...more,
  }
  const address = isPushed
    ? await oidc.buildAuthorizationUrlWithPAR(config, parameters)
    : oidc.buildAuthorizationUrl(config, parameters)
  const { location } = await goOn(browser, await browser.request(address.pathname + address.search))
  return oidc.authorizationCodeGrant(config, new URL(location ?? ''), { pkceCodeVerifier, idTokenExpected: true })
}

test('the organization claims of a standard relying party follow the organization: named, pushed, active, changed and left', async () => {
  const ann = await t.signedIn('ann@example.com')
  const bob = await t.signedIn('bob@example.com')
  const acme = await found(ann, 'Acme')
  const globex = await found(ann, 'Globex')
  const bobId = (await bob.api.sessions.getSession())?.user.id ?? ''
  const { id: memberId } = await t.app.members.add(
    { kind: 'system', address: '', userAgent: '', requestId: 'test' },
    { organization: acme.id, user: bobId, role: 'member', allowsUnverified: true },
  )

  for (const isPushed of [false, true])
    expect((await signIn(ann, { organization: 'globex' }, isPushed)).claims()).toMatchObject({
      org_id: globex.id,
      org_slug: 'globex',
    })
  await expect(signIn(bob, { organization: 'globex' })).rejects.toMatchObject({ error: 'access_denied' })

  await bob.api.organizations.setActiveOrganization({ body: { organizationId: acme.id } })
  const tokens = await signIn(bob, {})
  const claims = { org_id: acme.id, org_slug: 'acme', org_name: 'Acme', org_roles: ['member'] }
  expect(tokens.claims()).toMatchObject(claims)
  const sub = tokens.claims()?.sub ?? ''
  expect(await oidc.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject(claims)
  expect(await oidc.tokenIntrospection(config, tokens.access_token)).toMatchObject({ active: true, ...claims })

  await ann.api.members.updateMemberRole({ body: { organizationId: acme.id, memberId, role: 'admin' } })
  const promoted = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
  expect(promoted.claims()).toMatchObject({ ...claims, org_roles: ['admin'] })

  await ann.api.members.removeMember({ body: { organizationId: acme.id, memberIdOrEmail: memberId } })
  const left = await oidc.refreshTokenGrant(config, promoted.refresh_token ?? '')
  for (const said of [
    left.claims(),
    await oidc.fetchUserInfo(config, left.access_token, sub),
    await oidc.tokenIntrospection(config, left.access_token),
  ])
    expect(Object.keys(said ?? {}).filter((name) => name.startsWith('org_'))).toEqual([])
})
