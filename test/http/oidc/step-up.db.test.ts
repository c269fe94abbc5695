/** Applications that ask for an authentication class, and people who prove it (OpenID Connect Core 1.0, sections 2 and 3.1.2.1; RFC 9470). */
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { codeOf } from '../../support/totp.ts'
import {
  type Application,
  authorizePath,
  codeFor,
  goOn,
  type Params,
  postForm,
  queryOf,
  redeem,
  refresh,
  register,
  uidOf,
} from './flow.ts'

const [oneFactor, twoFactors, resistant] = ['1fa', '2fa', 'phishing-resistant'].map((name) => `urn:gatehouse:acr:${name}`) as [
  string,
  string,
  string,
]
/** The claims parameter that makes one of the classes essential. */
const essential = (...values: readonly string[]): Params => ({
  claims: JSON.stringify({ id_token: { acr: { essential: true, values } } }),
})
const unmet = 'unmet_authentication_requirements'
const page = /^\/two-factor\?interaction=/

let t: TestApp
let shop: Application
let strict: Application
beforeAll(async () => {
  t = await testApp()
  shop = await register(t, { skipConsent: true, understandsAct: true })
  strict = await register(t, { skipConsent: true, understandsAct: true, requireAcr: '2fa' })
})
afterAll(() => t.stop())

const passkeys = passkeySteps(() => t)
const begin = (browser: Browser, params: Params = {}, application = shop) => browser.request(authorizePath(application, params))
const resume = async (browser: Browser, uid: string) => goOn(browser, await browser.request(`/interaction/${uid}`))
const errorOf = (location: string | null) => queryOf(location)['error']
const detailsOf = (browser: Browser, uid: string) => browser.api.oidc.interaction({ params: { uid } })
/** Adds an authenticator app in the session of this browser, which proves the app. */
const addApp = async (browser: Browser) => {
  const { totpURI } = await browser.api.twoFactor.enable({ body: { password } })
  await browser.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
  return totpURI
}
const tokensOf = async (location: string | null, application = shop) => {
  const { json } = await redeem(t, application, queryOf(location)['code'] ?? '')
  return { tokens: json, claims: decodeJwt(String(json['id_token'])) }
}
const introspect = (application: Application, token: unknown) =>
  postForm(t, application, '/oauth2/introspect', { token: String(token) })
/** A person with a passkey, in a session that has proven only the password. */
const withPasskeyLeftOut = async (email: string) => {
  const { authenticator } = await passkeys.personWithPasskey(email)
  const browser = t.client()
  await browser.api.accounts.signInEmail({ body: { email, password } })
  return { browser, authenticator }
}

describe('requests for an authentication class', () => {
  test('discovery names the authentication classes and the claims that describe the authentication', async () => {
    const { json } = await t.client().request('/.well-known/openid-configuration')
    expect(json['acr_values_supported']).toEqual([oneFactor, twoFactors, resistant])
    expect(json['claims_supported']).toEqual(expect.arrayContaining(['acr', 'amr', 'auth_time']))
  })

  test('a session that meets one of the requested classes needs no step-up, and the ID token names the class', async () => {
    const ann = await t.signedIn('meets@example.com')
    const { location } = await begin(ann, { acr_values: `${resistant} urn:of:another ${oneFactor}` })
    const { claims } = await tokensOf(location)
    expect(claims).toMatchObject({ acr: oneFactor, amr: ['pwd'] })
  })

  test('an authenticator app on the page of the second step meets a request for two factors, without a new sign-in', async () => {
    const ann = await t.signedIn('totp@example.com')
    const asked = await begin(ann, { acr_values: twoFactors })
    expect(asked.location).toMatch(page)
    const uid = uidOf(asked)
    expect(await detailsOf(ann, uid)).toMatchObject({ prompt: 'step_up', stepUp: { acr: twoFactors, methods: [] } })
    await addApp(ann)
    const { claims } = await tokensOf((await resume(ann, uid)).location)
    expect(claims['acr']).toBe(twoFactors)
    expect(claims['amr']).toEqual(expect.arrayContaining(['pwd', 'otp', 'mfa']))
  })

  test('a passkey meets a request for a phishing-resistant class', async () => {
    const { browser, authenticator } = await withPasskeyLeftOut('passkey@example.com')
    const asked = await begin(browser, { acr_values: resistant })
    expect((await detailsOf(browser, uidOf(asked))).stepUp).toEqual({ acr: resistant, methods: ['passkey'] })
    await passkeys.signIn(browser, authenticator)
    const { claims } = await tokensOf((await resume(browser, uidOf(asked))).location)
    expect(claims['acr']).toBe(resistant)
  })

  test('the page of the second step cannot be skipped: the browser returns to it until the person proves the factor', async () => {
    const { browser } = await withPasskeyLeftOut('skips@example.com')
    const asked = await begin(browser, { acr_values: twoFactors })
    expect((await resume(browser, uidOf(asked))).location).toBe(asked.location)
    const past = await browser.request(`/oauth2/authorize/${uidOf(asked)}`)
    expect(past.location).toMatch(page)
    expect(uidOf(past)).not.toBe(uidOf(asked))
  })

  test('a weaker factor than the requested class needs is refused', async () => {
    const ann = await t.signedIn('lower@example.com')
    const asked = await begin(ann, { acr_values: resistant })
    await addApp(ann)
    expect((await resume(ann, uidOf(asked))).location).toBe(asked.location)
  })

  test('a session of a higher class gets the requested class in the ID token', async () => {
    const { browser, authenticator } = await withPasskeyLeftOut('higher@example.com')
    await passkeys.signIn(browser, authenticator)
    const claims = { id_token: { acr: { essential: true, values: [twoFactors] } } }
    const { location } = await begin(browser, { claims: JSON.stringify(claims) })
    expect((await tokensOf(location)).claims['acr']).toBe(twoFactors)
    expect((await tokensOf((await begin(browser)).location)).claims['acr']).toBe(resistant)
  })

  test('an essential acr in the claims parameter works like acr_values, also beside other claims', async () => {
    const ann = await t.signedIn('essential@example.com')
    const claims = { id_token: { acr: { essential: true, value: twoFactors }, email: { essential: true } } }
    const asked = await begin(ann, { claims: JSON.stringify(claims) })
    expect(asked.location).toMatch(page)
    await addApp(ann)
    const { claims: told } = await tokensOf((await resume(ann, uidOf(asked))).location)
    expect(told['acr']).toBe(twoFactors)
    expect(told['email']).toBe('essential@example.com')
  })

  test('an unreadable claims parameter is an invalid request', async () => {
    const ann = await t.signedIn('claims@example.com')
    for (const claims of ['{', '{"id_token":{"acr":{"values":"x"}}}', '{"id_token":{"acr":7}}'])
      expect(errorOf((await begin(ann, { claims })).location)).toBe('invalid_request')
  })

  test('a pushed request can request an authentication class', async () => {
    const ann = await t.signedIn('pushed@example.com')
    const params = queryOf(authorizePath(shop, { acr_values: twoFactors }))
    const { json } = await postForm(t, shop, '/oauth2/par', params)
    const asked = await ann.request(
      `/oauth2/authorize?client_id=${shop.clientId}&request_uri=${encodeURIComponent(String(json['request_uri']))}`,
    )
    expect(asked.location).toMatch(page)
    await addApp(ann)
    expect((await tokensOf((await resume(ann, uidOf(asked))).location)).claims['acr']).toBe(twoFactors)
  })
})

describe('authentication classes that cannot be reached', () => {
  test('unreachable essential classes are refused at the redirect_uri before anybody signs in, with the list of available classes', async () => {
    for (const browser of [t.client(), await t.signedIn('unknown@example.com')]) {
      const { location } = await begin(browser, essential('urn:of:another', '2'))
      expect(queryOf(location)).toMatchObject({ error: unmet, state: 'the state' })
      expect(queryOf(location)['error_description']).toContain(resistant)
    }
  })

  test('prompt=none gets login_required if a further proof would meet an essential class', async () => {
    const ann = await t.signedIn('silent@example.com')
    const silent = { ...essential(twoFactors), prompt: 'none' }
    const { location } = await begin(ann, silent)
    expect(queryOf(location)).toMatchObject({ error: 'login_required', state: 'the state' })
    await addApp(ann)
    expect(queryOf((await begin(ann, silent)).location)['code']).toBeDefined()
  })

  test('unknown or unmet acr_values do not fail a voluntary request, and the ID token contains the actual class', async () => {
    const ann = await t.signedIn('voluntary@example.com')
    const requests = [{ acr_values: 'urn:of:another 2' }, { acr_values: twoFactors, prompt: 'none' }]
    const claims = JSON.stringify({ id_token: { acr: { values: ['urn:of:another'] } } })
    for (const params of [...requests, { claims }])
      expect((await tokensOf((await begin(ann, params)).location)).claims['acr']).toBe(oneFactor)
  })

  test('a person who declines a voluntary step-up is signed in without it, and is asked again only by the next request', async () => {
    const ann = await t.signedIn('goes-on@example.com')
    const asked = await begin(ann, { acr_values: twoFactors, scope: 'openid email' })
    const { redirectURI } = await ann.api.oidc.declineStepUp({ body: { interaction: uidOf(asked) } })
    const { claims } = await tokensOf((await goOn(ann, await ann.request(redirectURI))).location)
    expect(claims['acr']).toBe(oneFactor)
    expect((await begin(ann, { acr_values: twoFactors })).location).toMatch(page)
  })

  test('declining a voluntary step-up does not bypass a class that the application requires', async () => {
    const ann = await t.signedIn('requires@example.com')
    const asked = await begin(ann, { acr_values: resistant }, strict)
    const { redirectURI } = await ann.api.oidc.declineStepUp({ body: { interaction: uidOf(asked) } })
    expect(errorOf((await goOn(ann, await ann.request(redirectURI))).location)).toBe(unmet)
    await addApp(ann)
    const above = await begin(ann, { acr_values: resistant }, strict)
    const next = await ann.api.oidc.declineStepUp({ body: { interaction: uidOf(above) } })
    const { claims } = await tokensOf((await goOn(ann, await ann.request(next.redirectURI))).location, strict)
    expect(claims['acr']).toBe(twoFactors)
  })

  test('declining an essential class returns unmet_authentication_requirements to the application', async () => {
    const ann = await t.signedIn('declines@example.com')
    const interaction = uidOf(await begin(ann, essential(twoFactors)))
    const decline = () => ann.api.oidc.declineStepUp({ body: { interaction } })
    const { redirectURI } = await decline()
    await addApp(ann)
    await ann.request(`/interaction/${interaction}`)
    expect(await decline()).toEqual({ redirectURI })
    expect(queryOf((await ann.request(redirectURI)).location)).toMatchObject({ error: unmet, state: 'the state' })
  })

  test('only the asked person in the asked browser can decline a step-up', async () => {
    const ann = await t.signedIn('asked@example.com')
    const eve = await t.signedIn('eve@example.com')
    const interaction = uidOf(await begin(ann, { acr_values: twoFactors }))
    const notFound = { code: 'INTERACTION_NOT_FOUND' }
    await expect(eve.api.oidc.declineStepUp({ body: { interaction } })).rejects.toMatchObject(notFound)
    await ann.api.accounts.signInEmail({ body: { email: 'eve@example.com', password } })
    await expect(ann.api.oidc.declineStepUp({ body: { interaction } })).rejects.toMatchObject(notFound)
  })

  test('an impersonated session meets no class, not even the lowest, and the ID token reports the impersonation', async () => {
    const admin = await signedInAs(t, 'admin')
    await t.signedIn('person@example.com')
    const { id: userId } = await t.app.users.require(t.app.core.db, 'person@example.com')
    await admin.post('/admin/impersonate-user', { userId })
    for (const acr of [oneFactor, twoFactors]) expect(errorOf((await begin(admin, essential(acr))).location)).toBe(unmet)
    expect(errorOf((await begin(admin, {}, strict)).location)).toBe(unmet)
    const { claims } = await tokensOf((await begin(admin, { acr_values: twoFactors })).location)
    expect(claims['acr']).toBe('urn:gatehouse:acr:impersonated')
    expect(claims).not.toHaveProperty('amr')
  })
})

describe('the person and the time of a step-up', () => {
  test('a proof given in one tab completes the step-up of another tab', async () => {
    const ann = await t.signedIn('tabs@example.com')
    // A browser keeps the library's cookies by path. This client does not, so each tab gets a jar of its own.
    const tabs = []
    for (let i = 0; i < 2; i++) {
      const uid = uidOf(await begin(ann, { acr_values: twoFactors }))
      tabs.push({ uid, cookies: new Map(ann.cookies) })
    }
    await addApp(ann)
    const session = ann.cookies.get('gatehouse.session') ?? ''
    for (const { uid, cookies } of tabs) {
      const tab = t.client()
      for (const [name, value] of cookies) tab.cookies.set(name, value)
      tab.cookies.set('gatehouse.session', session)
      expect((await tokensOf((await resume(tab, uid)).location)).claims['acr']).toBe(twoFactors)
    }
  })

  test('if another person signs in at the step-up page, that person needs their own step-up', async () => {
    const { browser } = await withPasskeyLeftOut('first@example.com')
    await t.signedIn('second@example.com')
    const asked = await begin(browser, { acr_values: twoFactors })
    await browser.api.accounts.signInEmail({ body: { email: 'second@example.com', password } })
    const again = await resume(browser, uidOf(asked))
    expect(again.location).toMatch(page)
    expect((await detailsOf(browser, uidOf(again))).user).toMatchObject({ email: 'second@example.com' })
  })

  test('a session that ends during a step-up leads to the sign-in, and then to the second step', async () => {
    const { browser, authenticator } = await withPasskeyLeftOut('ended@example.com')
    const asked = await begin(browser, { acr_values: twoFactors })
    await browser.post('/sign-out', {})
    expect((await resume(browser, uidOf(asked))).location).toMatch(/^\/sign-in\?/)
    await browser.api.accounts.signInEmail({ body: { email: 'ended@example.com', password } })
    expect((await resume(browser, uidOf(asked))).location).toMatch(page)
    await passkeys.signIn(browser, authenticator)
    expect(queryOf((await resume(browser, uidOf(asked))).location)['code']).toBeDefined()
  })

  test('a step-up can be completed once', async () => {
    const ann = await t.signedIn('replay@example.com')
    const uid = uidOf(await begin(ann, { acr_values: twoFactors }))
    await addApp(ann)
    expect(queryOf((await resume(ann, uid)).location)['code']).toBeDefined()
    expect(queryOf((await resume(ann, uid)).location)['code']).toBeUndefined()
  })

  test('a request that needs a sign-in and a step-up asks for each only once', async () => {
    const { browser, authenticator } = await withPasskeyLeftOut('both@example.com')
    t.clock.advance({ seconds: 1 })
    const login = await begin(browser, { acr_values: resistant, prompt: 'login' })
    expect(login.location).toMatch(/^\/sign-in\?/)
    t.clock.advance({ seconds: 1 })
    await browser.api.accounts.signInEmail({ body: { email: 'both@example.com', password } })
    const step = await resume(browser, uidOf(login))
    expect(step.location).toMatch(page)
    await passkeys.signIn(browser, authenticator)
    expect((await tokensOf((await resume(browser, uidOf(step))).location)).claims['acr']).toBe(resistant)
  })

  test('a second factor does not renew the sign-in: auth_time stays, and max_age asks for a new sign-in', async () => {
    const ann = await t.signedIn('old@example.com')
    const { claims: before } = await tokensOf((await begin(ann)).location)
    t.clock.advance({ minutes: 10 })
    await addApp(ann)
    const { claims } = await tokensOf((await begin(ann, { acr_values: twoFactors })).location)
    expect(claims).toMatchObject({ acr: twoFactors, auth_time: before['auth_time'] })
    expect((await begin(ann, { acr_values: twoFactors, max_age: '300' })).location).toMatch(/^\/sign-in\?/)
    const login = await begin(ann, { prompt: 'login' })
    expect((await resume(ann, uidOf(login))).location).toMatch(/^\/sign-in\?/)
  })

  test('a passkey counts as two factors and renews auth_time', async () => {
    const { browser, authenticator } = await withPasskeyLeftOut('new@example.com')
    t.clock.advance({ minutes: 10 })
    const at = Math.floor(Date.now() / 1000)
    await passkeys.signIn(browser, authenticator)
    const { claims } = await tokensOf((await begin(browser, { acr_values: resistant, max_age: '300' })).location)
    expect(claims['auth_time']).toBeGreaterThanOrEqual(at)
  })
})

describe('the authentication class in tokens', () => {
  test('ID tokens of a refresh and introspection keep class, methods and time of the authorization, and userinfo contains none of the three', async () => {
    const ann = await t.signedIn('keeps@example.com')
    const uid = uidOf(await begin(ann, { acr_values: twoFactors, scope: 'openid offline_access' }))
    await addApp(ann)
    const { tokens, claims } = await tokensOf((await resume(ann, uid)).location)
    const { acr, amr, auth_time } = claims
    const first = await introspect(shop, tokens['access_token'])
    expect(first.json).toMatchObject({ active: true, acr: twoFactors, amr, auth_time })
    const { json } = await refresh(t, shop, tokens['refresh_token'])
    expect(decodeJwt(String(json['id_token']))).toMatchObject({ acr, amr, auth_time })
    expect((await introspect(shop, json['access_token'])).json).toMatchObject({ acr, amr, auth_time })
    expect((await introspect(shop, json['refresh_token'])).json).toMatchObject({ acr, amr, auth_time })
    const info = await t.client().request('/oauth2/userinfo', {
      headers: { authorization: `Bearer ${String(json['access_token'])}` },
    })
    for (const name of ['acr', 'amr', 'auth_time']) expect(info.json).not.toHaveProperty(name)
  })
})

describe('applications that require an authentication class', () => {
  const update = (application: Application, requireAcr: '2fa' | 'phishing-resistant' | null) =>
    t.app.oidc.applications.update({ kind: 'system', address: '', userAgent: '', requestId: 'test' }, application.clientId, {
      requireAcr,
    })

  test('an application that requires two factors gets no code for a weaker session, whatever class it requests', async () => {
    const ann = await t.signedIn('required@example.com')
    for (const params of [{}, { acr_values: oneFactor }]) expect((await begin(ann, params, strict)).location).toMatch(page)
    expect(errorOf((await begin(ann, { prompt: 'none' }, strict)).location)).toBe('login_required')
    const uid = uidOf(await begin(ann, { acr_values: oneFactor }, strict))
    await addApp(ann)
    // The first request gets the class that it asked for.
    expect((await tokensOf((await resume(ann, uid)).location, strict)).claims['acr']).toBe(oneFactor)
    expect((await tokensOf((await begin(ann, {}, strict)).location, strict)).claims['acr']).toBe(twoFactors)
  })

  test('after the required class of an application is raised, earlier refresh tokens and codes are invalid, and the error says why', async () => {
    const raised = await register(t, { skipConsent: true })
    const ann = await t.signedIn('raised@example.com')
    const granted = await redeem(t, raised, await codeFor(ann, raised, { scope: 'openid offline_access' }))
    const code = await codeFor(ann, raised)
    await update(raised, '2fa')
    const refused = { error: 'invalid_grant', error_description: expect.stringContaining('stronger authentication') }
    for (let round = 0; round < 25; round++) {
      const { status, json } = await refresh(t, raised, granted.json['refresh_token'])
      expect([status, json]).toEqual([400, expect.objectContaining(refused)])
    }
    expect((await redeem(t, raised, code)).json).toMatchObject(refused)
    await update(raised, null)
    expect((await refresh(t, raised, granted.json['refresh_token'])).status).toBe(200)
  })

  test('a refresh works if the session reaches a class that was required later, and the ID token keeps the requested class', async () => {
    const { browser, authenticator } = await withPasskeyLeftOut('kept@example.com')
    await passkeys.signIn(browser, authenticator)
    const raised = await register(t, { skipConsent: true })
    const { json } = await redeem(
      t,
      raised,
      await codeFor(browser, raised, { scope: 'openid offline_access', acr_values: oneFactor }),
    )
    await update(raised, 'phishing-resistant')
    const renewed = await refresh(t, raised, json['refresh_token'])
    expect(decodeJwt(String(renewed.json['id_token']))['acr']).toBe(oneFactor)
    expect((await refresh(t, raised, renewed.json['refresh_token'])).status).toBe(200)
  })

  test('a machine client cannot require an authentication class, because it signs nobody in', async () => {
    await expect(register(t, { type: 'machine', redirectUris: [], requireAcr: '2fa' })).rejects.toMatchObject({
      code: 'INVALID_CLIENT_METADATA',
      message: expect.stringContaining('machine client signs nobody in'),
    })
  })
})
