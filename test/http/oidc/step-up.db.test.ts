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
/** The parameter that calls one of the classes essential. */
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
/** Adds an authenticator app in the session of this browser, which proves it. */
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
/** Somebody with a passkey whose session was given the password alone. */
const withPasskeyLeftOut = async (email: string) => {
  const { authenticator } = await passkeys.personWithPasskey(email)
  const browser = t.client()
  await browser.api.accounts.signInEmail({ body: { email, password } })
  return { browser, authenticator }
}

describe('asking for a class', () => {
  test('discovery names the classes, and the claims that say how somebody was authenticated', async () => {
    const { json } = await t.client().request('/.well-known/openid-configuration')
    expect(json['acr_values_supported']).toEqual([oneFactor, twoFactors, resistant])
    expect(json['claims_supported']).toEqual(expect.arrayContaining(['acr', 'amr', 'auth_time']))
  })

  test('a session that meets one of the values goes through, and the ID token says which', async () => {
    const ann = await t.signedIn('meets@example.com')
    const { location } = await begin(ann, { acr_values: `${resistant} urn:of:another ${oneFactor}` })
    const { claims } = await tokensOf(location)
    expect(claims).toMatchObject({ acr: oneFactor, amr: ['pwd'] })
  })

  test('acr_values of two factors is reached by an authenticator app on the page of the second step, without a new sign-in', async () => {
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

  test('a phishing-resistant class is reached by a passkey', async () => {
    const { browser, authenticator } = await withPasskeyLeftOut('passkey@example.com')
    const asked = await begin(browser, { acr_values: resistant })
    expect((await detailsOf(browser, uidOf(asked))).stepUp).toEqual({ acr: resistant, methods: ['passkey'] })
    await passkeys.signIn(browser, authenticator)
    const { claims } = await tokensOf((await resume(browser, uidOf(asked))).location)
    expect(claims['acr']).toBe(resistant)
  })

  test('the page is not believed: without a proof the question comes again', async () => {
    const { browser } = await withPasskeyLeftOut('skips@example.com')
    const asked = await begin(browser, { acr_values: twoFactors })
    expect((await resume(browser, uidOf(asked))).location).toBe(asked.location)
    const past = await browser.request(`/oauth2/authorize/${uidOf(asked)}`)
    expect(past.location).toMatch(page)
    expect(uidOf(past)).not.toBe(uidOf(asked))
  })

  test('a lower factor than asked for is not enough', async () => {
    const ann = await t.signedIn('lower@example.com')
    const asked = await begin(ann, { acr_values: resistant })
    await addApp(ann)
    expect((await resume(ann, uidOf(asked))).location).toBe(asked.location)
  })

  test('a session of a higher class is told as the class that was asked for', async () => {
    const { browser, authenticator } = await withPasskeyLeftOut('higher@example.com')
    await passkeys.signIn(browser, authenticator)
    const claims = { id_token: { acr: { essential: true, values: [twoFactors] } } }
    const { location } = await begin(browser, { claims: JSON.stringify(claims) })
    expect((await tokensOf(location)).claims['acr']).toBe(twoFactors)
    expect((await tokensOf((await begin(browser)).location)).claims['acr']).toBe(resistant)
  })

  test('an essential acr of the claims parameter asks like acr_values, beside other claims', async () => {
    const ann = await t.signedIn('essential@example.com')
    const claims = { id_token: { acr: { essential: true, value: twoFactors }, email: { essential: true } } }
    const asked = await begin(ann, { claims: JSON.stringify(claims) })
    expect(asked.location).toMatch(page)
    await addApp(ann)
    const { claims: told } = await tokensOf((await resume(ann, uidOf(asked))).location)
    expect(told['acr']).toBe(twoFactors)
    expect(told['email']).toBe('essential@example.com')
  })

  test('a claims parameter that cannot be read is an invalid request', async () => {
    const ann = await t.signedIn('claims@example.com')
    for (const claims of ['{', '{"id_token":{"acr":{"values":"x"}}}', '{"id_token":{"acr":7}}'])
      expect(errorOf((await begin(ann, { claims })).location)).toBe('invalid_request')
  })

  test('a pushed request asks for a class, too', async () => {
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

describe('classes out of reach', () => {
  test('essential values that nobody can reach are refused at the redirect_uri before anybody signs in, with the values that there are', async () => {
    for (const browser of [t.client(), await t.signedIn('unknown@example.com')]) {
      const { location } = await begin(browser, essential('urn:of:another', '2'))
      expect(queryOf(location)).toMatchObject({ error: unmet, state: 'the state' })
      expect(queryOf(location)['error_description']).toContain(resistant)
    }
  })

  test('prompt=none answers login_required where a further proof would be enough for an essential class', async () => {
    const ann = await t.signedIn('silent@example.com')
    const silent = { ...essential(twoFactors), prompt: 'none' }
    const { location } = await begin(ann, silent)
    expect(queryOf(location)).toMatchObject({ error: 'login_required', state: 'the state' })
    await addApp(ann)
    expect(queryOf((await begin(ann, silent)).location)['code']).toBeDefined()
  })

  test('values of acr_values that nobody knows, or that a silent request does not meet, do not fail: the ID token says the class that there is', async () => {
    const ann = await t.signedIn('voluntary@example.com')
    const requests = [{ acr_values: 'urn:of:another 2' }, { acr_values: twoFactors, prompt: 'none' }]
    const claims = JSON.stringify({ id_token: { acr: { values: ['urn:of:another'] } } })
    for (const params of [...requests, { claims }])
      expect((await tokensOf((await begin(ann, params)).location)).claims['acr']).toBe(oneFactor)
  })

  test('a person who declines a voluntary proof signs in without it, is not asked twice, and is asked again by the next request', async () => {
    const ann = await t.signedIn('goes-on@example.com')
    const asked = await begin(ann, { acr_values: twoFactors, scope: 'openid email' })
    const { redirectURI } = await ann.api.oidc.declineStepUp({ body: { interaction: uidOf(asked) } })
    const { claims } = await tokensOf((await goOn(ann, await ann.request(redirectURI))).location)
    expect(claims['acr']).toBe(oneFactor)
    expect((await begin(ann, { acr_values: twoFactors })).location).toMatch(page)
  })

  test('declining a voluntary proof does not get a person past a class that the application requires', async () => {
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

  test('declining an essential class sends the application unmet_authentication_requirements, finally', async () => {
    const ann = await t.signedIn('declines@example.com')
    const interaction = uidOf(await begin(ann, essential(twoFactors)))
    const decline = () => ann.api.oidc.declineStepUp({ body: { interaction } })
    const { redirectURI } = await decline()
    await addApp(ann)
    await ann.request(`/interaction/${interaction}`)
    expect(await decline()).toEqual({ redirectURI })
    expect(queryOf((await ann.request(redirectURI)).location)).toMatchObject({ error: unmet, state: 'the state' })
  })

  test('a step-up is declined only by the asked person, in the asked browser', async () => {
    const ann = await t.signedIn('asked@example.com')
    const eve = await t.signedIn('eve@example.com')
    const interaction = uidOf(await begin(ann, { acr_values: twoFactors }))
    const notFound = { code: 'INTERACTION_NOT_FOUND' }
    await expect(eve.api.oidc.declineStepUp({ body: { interaction } })).rejects.toMatchObject(notFound)
    await ann.api.accounts.signInEmail({ body: { email: 'eve@example.com', password } })
    await expect(ann.api.oidc.declineStepUp({ body: { interaction } })).rejects.toMatchObject(notFound)
  })

  test('an impersonated session reaches no class, not even the lowest, and is reported as impersonated', async () => {
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

describe('actor and time', () => {
  test('a proof in one tab answers the question of another', async () => {
    const ann = await t.signedIn('tabs@example.com')
    // A browser keeps the library's cookie by path, this client does not: a jar for each tab.
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

  test('another person who signs in at the page is asked anew', async () => {
    const { browser } = await withPasskeyLeftOut('first@example.com')
    await t.signedIn('second@example.com')
    const asked = await begin(browser, { acr_values: twoFactors })
    await browser.api.accounts.signInEmail({ body: { email: 'second@example.com', password } })
    const again = await resume(browser, uidOf(asked))
    expect(again.location).toMatch(page)
    expect((await detailsOf(browser, uidOf(again))).user).toMatchObject({ email: 'second@example.com' })
  })

  test('a session that ended meanwhile leads to the sign-in, and then to the second step', async () => {
    const { browser, authenticator } = await withPasskeyLeftOut('ended@example.com')
    const asked = await begin(browser, { acr_values: twoFactors })
    await browser.post('/sign-out', {})
    expect((await resume(browser, uidOf(asked))).location).toMatch(/^\/sign-in\?/)
    await browser.api.accounts.signInEmail({ body: { email: 'ended@example.com', password } })
    expect((await resume(browser, uidOf(asked))).location).toMatch(page)
    await passkeys.signIn(browser, authenticator)
    expect(queryOf((await resume(browser, uidOf(asked))).location)['code']).toBeDefined()
  })

  test('a step-up is resumed once', async () => {
    const ann = await t.signedIn('replay@example.com')
    const uid = uidOf(await begin(ann, { acr_values: twoFactors }))
    await addApp(ann)
    expect(queryOf((await resume(ann, uid)).location)['code']).toBeDefined()
    expect(queryOf((await resume(ann, uid)).location)['code']).toBeUndefined()
  })

  test('a sign-in and a step-up in one request keep earlier answers', async () => {
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

  test('a second factor makes no password new: auth_time stays that of the password, and max_age asks for a sign-in', async () => {
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

  test('a passkey, which is two factors by itself, is a new authentication', async () => {
    const { browser, authenticator } = await withPasskeyLeftOut('new@example.com')
    t.clock.advance({ minutes: 10 })
    const at = Math.floor(Date.now() / 1000)
    await passkeys.signIn(browser, authenticator)
    const { claims } = await tokensOf((await begin(browser, { acr_values: resistant, max_age: '300' })).location)
    expect(claims['auth_time']).toBeGreaterThanOrEqual(at)
  })
})

describe('tokens', () => {
  test('ID tokens of a refresh and introspection keep class, methods and time of the authorization; userinfo has none of them', async () => {
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

describe('applications that require a class', () => {
  const update = (application: Application, requireAcr: '2fa' | 'phishing-resistant' | null) =>
    t.app.oidc.applications.update({ kind: 'system', address: '', userAgent: '', requestId: 'test' }, application.clientId, {
      requireAcr,
    })

  test('an application that requires two factors gets no code for a lower session, whatever its request says', async () => {
    const ann = await t.signedIn('required@example.com')
    for (const params of [{}, { acr_values: oneFactor }]) expect((await begin(ann, params, strict)).location).toMatch(page)
    expect(errorOf((await begin(ann, { prompt: 'none' }, strict)).location)).toBe('login_required')
    const uid = uidOf(await begin(ann, { acr_values: oneFactor }, strict))
    await addApp(ann)
    // It gets what it asked for.
    expect((await tokensOf((await resume(ann, uid)).location, strict)).claims['acr']).toBe(oneFactor)
    expect((await tokensOf((await begin(ann, {}, strict)).location, strict)).claims['acr']).toBe(twoFactors)
  })

  test('a refresh token, or a code, from before the requirement was raised counts no longer, and says why', async () => {
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

  test('a session of a higher class than requested counts with its own class at refresh', async () => {
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

  test('a machine, which signs nobody in, can require no class', async () => {
    await expect(register(t, { type: 'machine', redirectUris: [], requireAcr: '2fa' })).rejects.toMatchObject({
      code: 'INVALID_CLIENT_METADATA',
      message: expect.stringContaining('machine client signs nobody in'),
    })
  })
})
