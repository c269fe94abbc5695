import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import {
  type Application,
  authorizePath,
  codeFor,
  goOn,
  offline,
  queryOf,
  redeem,
  redirectUri,
  refresh,
  register,
  uidOf,
  userinfo,
} from './flow.ts'

let t: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  shop = await register(t)
})
afterAll(() => t.stop())

describe('consent', () => {
  test('consent is asked once, and asked again for further scopes', async () => {
    const ann = await t.signedIn('once@example.com')
    const first = await ann.request(authorizePath(shop, { scope: 'openid email' }))
    expect(first.location).toMatch(/^\/consent\?/)
    expect(queryOf((await goOn(ann, first)).location)['code']).toBeDefined()
    for (const scope of ['openid email', 'openid', 'email openid'])
      expect(queryOf((await ann.request(authorizePath(shop, { scope }))).location)['code']).toBeDefined()

    const wider = await ann.request(authorizePath(shop, { scope: 'openid email profile' }))
    expect(wider.location).toMatch(/^\/consent\?/)
    const shown = await ann.api.oidc.interaction({ params: { uid: uidOf(wider) } })
    expect(shown).toMatchObject({ prompt: 'consent', newScopes: ['profile'], user: { email: 'once@example.com' } })
    await goOn(ann, wider)
    const narrow = await redeem(t, shop, await codeFor(ann, shop, { scope: 'openid' }))
    expect(narrow.json['scope']).toBe('openid')
    expect(decodeJwt(String(narrow.json['id_token']))).not.toHaveProperty('email')
  })

  test('with prompt=consent consent is asked every time, and without it once for each client and user', async () => {
    const ann = await t.signedIn('every@example.com')
    await codeFor(ann, shop)
    expect((await ann.request(authorizePath(shop, { prompt: 'consent' }))).location).toMatch(/^\/consent\?/)
    expect((await ann.request(authorizePath(await register(t)))).location).toMatch(/^\/consent\?/)
    expect((await (await t.signedIn('else@example.com')).request(authorizePath(shop))).location).toMatch(/^\/consent\?/)
    const silent = await ann.request(authorizePath(shop, { prompt: 'none', scope: 'openid email' }))
    expect(queryOf(silent.location)['error']).toBe('consent_required')
  })

  test('after a denial the application gets access_denied with state and iss, and nothing is stored', async () => {
    const ann = await t.signedIn('refuses@example.com')
    const refused = await goOn(ann, await ann.request(authorizePath(shop)), false)
    expect(refused.location?.startsWith(redirectUri)).toBe(true)
    expect(queryOf(refused.location)).toEqual({
      error: 'access_denied',
      error_description: 'User denied access',
      state: 'the state',
      iss: t.url,
    })
    expect((await ann.request(authorizePath(shop))).location).toMatch(/^\/consent\?/)
  })

  test('consent is not asked for a client registered with --skip-consent', async () => {
    const own = await register(t, { skipConsent: true })
    const ann = await t.signedIn('own@example.com')
    expect(queryOf((await ann.request(authorizePath(own, { scope: 'openid email' }))).location)['code']).toBeDefined()
  })

  test('consent is asked each time for a native application with a redirect address that any program on the device could claim', async () => {
    const native = await register(t, {
      type: 'native',
      redirectUris: ['http://127.0.0.1/callback', 'https://app.example/callback'],
    })
    const ann = await t.signedIn('cli@example.com')
    const claimed = { redirect_uri: 'https://app.example/callback' }
    await codeFor(ann, native, claimed)
    expect(queryOf((await ann.request(authorizePath(native, claimed))).location)['code']).toBeDefined()
    expect((await ann.request(authorizePath(native, { redirect_uri: 'http://127.0.0.1:1/callback' }))).location).toMatch(
      /^\/consent\?/,
    )
  })

  test('a consent must come from a signed-in person and a page of this server', async () => {
    const ann = await t.signedIn('origin@example.com')
    const interaction = uidOf(await ann.request(authorizePath(shop)))
    expect((await ann.post('/oauth2/consent', { accept: true, interaction }, { origin: 'https://evil.example' })).status).toBe(
      403,
    )
    const token = ann.cookies.get('gatehouse.session') ?? ''
    ann.cookies.delete('gatehouse.session')
    expect((await ann.post('/oauth2/consent', { accept: true, interaction })).status).toBe(401)
    ann.cookies.set('gatehouse.session', token)
    expect((await ann.post('/oauth2/consent', { accept: true })).json['redirectURI']).toContain('/oauth2/authorize/')
  })

  test('a denial overrides a consent until the browser has returned to the application, and an earlier consent stays valid', async () => {
    const ann = await t.signedIn('back@example.com')
    await codeFor(ann, shop, { scope: 'openid' })
    const asked = await ann.request(authorizePath(shop, { scope: 'openid email' }))
    await ann.api.oidc.consent({ body: { accept: true, interaction: uidOf(asked) } })
    const refused = await goOn(ann, asked, false)
    expect(queryOf(refused.location)).toMatchObject({ error: 'access_denied' })
    expect((await ann.request(authorizePath(shop, { scope: 'openid email' }))).location).toMatch(/^\/consent\?/)
    expect(queryOf((await ann.request(authorizePath(shop))).location)['code']).toBeDefined()
  })

  test('a denied consent request gives no code and stores nothing, even if somebody agrees afterwards', async () => {
    const ann = await t.signedIn('once-refused@example.com')
    const asked = await ann.request(authorizePath(shop))
    await ann.api.oidc.consent({ body: { accept: false, interaction: uidOf(asked) } })
    expect(queryOf((await goOn(ann, asked)).location)).toMatchObject({ error: 'access_denied' })
    expect((await ann.request(authorizePath(shop))).location).toMatch(/^\/consent\?/)
    const late = await ann.post('/oauth2/consent', { accept: false, interaction: uidOf(asked) })
    expect([late.status, late.json['error']]).toEqual([401, 'invalid_request'])
  })

  test('a consent without a pending request is an error in the form of the OAuth specification', async () => {
    const ann = await t.signedIn('nothing@example.com')
    const refused = { status: 401, text: '{"error":"invalid_request","error_description":"No consent prompt found"}' }
    expect(await ann.post('/oauth2/consent', { accept: true })).toMatchObject(refused)
    expect(await ann.post('/oauth2/consent', { accept: true, interaction: 'unknown' })).toMatchObject(refused)
    const login = uidOf(await ann.request(authorizePath(shop, { prompt: 'login' })))
    expect(await ann.post('/oauth2/consent', { accept: true, interaction: login })).toMatchObject(refused)
  })

  test('the consent of one user does not apply to another who has signed in', async () => {
    await t.signedIn('second@example.com')
    const browser = await t.signedIn('first@example.com')
    const asked = await browser.request(authorizePath(shop))
    const { redirectURI } = await browser.api.oidc.consent({ body: { accept: true, interaction: uidOf(asked) } })
    await browser.api.accounts.signInEmail({ body: { email: 'second@example.com', password } })
    // The second user is asked, although the first one gave consent in this browser.
    expect((await browser.request(redirectURI)).location).toMatch(/^\/consent\?/)
  })
})

describeOnBoth('single sign-on through the gatehouse session', () => {
  test('a sign-out ends single sign-on, codes, and tokens without offline access', async () => {
    const ann = await t.signedIn('leaves@example.com')
    const waiting = await codeFor(ann, shop)
    const online = (await redeem(t, shop, await codeFor(ann, shop))).json
    const lasting = (await redeem(t, shop, await codeFor(ann, shop, offline))).json
    await ann.api.sessions.signOut()

    expect((await ann.request(authorizePath(shop))).location).toMatch(/^\/sign-in\?/)
    expect((await redeem(t, shop, waiting)).json['error']).toBe('invalid_grant')
    expect((await userinfo(t, online['access_token'])).status).toBe(401)
    expect((await userinfo(t, lasting['access_token'])).status).toBe(200)
    expect((await refresh(t, shop, lasting['refresh_token'])).status).toBe(200)
  })

  test('a refresh token with offline access stays valid after the session ends, even after a refresh with less scope', async () => {
    const ann = await t.signedIn('narrow@example.com')
    const { json } = await redeem(t, shop, await codeFor(ann, shop, offline))
    await ann.api.sessions.signOut()
    const renewed = await refresh(t, shop, json['refresh_token'], { scope: 'openid' })
    expect([renewed.status, renewed.json['scope']]).toEqual([200, 'openid'])
    expect((await userinfo(t, renewed.json['access_token'])).status).toBe(200)
  })

  test("signing in again as the same user keeps applications' tokens and codes, and replaces the session token in the cookie", async () => {
    const ann = await t.signedIn('again@example.com')
    const online = (await redeem(t, shop, await codeFor(ann, shop))).json
    const waiting = await codeFor(ann, shop)
    const stale = t.client()
    for (const [name, value] of ann.cookies) stale.cookies.set(name, value)
    const before = await ann.api.sessions.getSession()
    t.clock.advance({ minutes: 5 })
    await ann.api.accounts.signInEmail({ body: { email: 'again@example.com', password } })
    const after = await ann.api.sessions.getSession()
    expect(after?.session.token).not.toBe(before?.session.token)
    expect(after?.session.createdAt.getTime()).toBeGreaterThan(before?.session.createdAt.getTime() ?? Number.POSITIVE_INFINITY)
    expect(await stale.api.sessions.getSession()).toBeNull()

    expect((await userinfo(t, online['access_token'])).status).toBe(200)
    expect((await redeem(t, shop, waiting)).status).toBe(200)
    await ann.api.sessions.signOut()
    expect((await userinfo(t, online['access_token'])).status).toBe(401)
  })

  testOnBoth('two simultaneous sign-ins from one browser leave two sessions, each with its own cookie', async () => {
    const ann = await t.signedIn('twice@example.com')
    const tabs = [t.client(), t.client()]
    for (const tab of tabs) for (const [name, value] of ann.cookies) tab.cookies.set(name, value)
    await Promise.all(tabs.map((tab) => tab.api.accounts.signInEmail({ body: { email: 'twice@example.com', password } })))
    const [one, two] = await Promise.all(tabs.map((tab) => tab.api.sessions.getSession()))
    expect(one?.session.token).toBeDefined()
    expect(two?.session.token).toBeDefined()
    expect(one?.session.id).not.toBe(two?.session.id)
    expect(await ann.api.sessions.getSession()).toBeNull()
  })

  test('revoking the session from another device ends single sign-on and the tokens of the session', async () => {
    const ann = await t.signedIn('revoked@example.com')
    const online = (await redeem(t, shop, await codeFor(ann, shop))).json
    await t.app.core.transact(async (tx) => {
      const [row] = await tx
        .knex('session')
        .join('user', 'user.id', 'session.user_id')
        .where('user.email', 'revoked@example.com')
        .select('session.id', 'session.user_id as userId')
      await t.app.sessions.end(tx, systemPrincipal('test'), row)
    })
    expect((await ann.request(authorizePath(shop))).location).toMatch(/^\/sign-in\?/)
    expect((await userinfo(t, online['access_token'])).status).toBe(401)
  })

  test('an expired session ends single sign-on and the tokens of the session', async () => {
    const ann = await t.signedIn('expires@example.com')
    await codeFor(ann, shop)
    t.clock.advance({ days: 8 })
    expect((await ann.request(authorizePath(shop))).location).toMatch(/^\/sign-in\?/)
  })

  test('applications get the new user after a sign-in as another user', async () => {
    const browser = await t.signedIn('one@example.com')
    const one = decodeJwt(String((await redeem(t, shop, await codeFor(browser, shop))).json['id_token']))
    await t.signedIn('two@example.com')
    await browser.api.accounts.signInEmail({ body: { email: 'two@example.com', password } })
    const two = decodeJwt(String((await redeem(t, shop, await codeFor(browser, shop, { scope: 'openid' }))).json['id_token']))
    expect(two.sub).not.toBe(one.sub)
  })

  test('a session that ends between consent and return gives no code', async () => {
    const ann = await t.signedIn('between@example.com')
    const asked = await ann.request(authorizePath(shop))
    const { redirectURI } = await ann.api.oidc.consent({ body: { accept: true, interaction: uidOf(asked) } })
    await ann.api.sessions.signOut()
    expect((await ann.request(redirectURI)).location).toMatch(/^\/sign-in\?/)
  })

  test('the OpenID provider sets no session cookie besides the session cookie of gatehouse', async () => {
    const ann = await t.signedIn('cookies@example.com')
    await codeFor(ann, shop)
    expect([...ann.cookies.keys()].filter((name) => name.startsWith('_session'))).toEqual([])
  })
})

describe('end-session', () => {
  const after = 'https://rp.example/bye'
  const path = (params: Record<string, string>) => `/oauth2/end-session?${new URLSearchParams(params)}`
  let idToken = ''

  test('end-session with an ID token of the signed-in user signs out and returns to the registered address', async () => {
    shop = await register(t, { postLogoutRedirectUris: [after] })
    const ann = await t.signedIn('bye@example.com')
    idToken = String((await redeem(t, shop, await codeFor(ann, shop))).json['id_token'])
    const answer = await ann.request(path({ id_token_hint: idToken, post_logout_redirect_uri: after, state: 's' }))
    expect(answer.location).toBe(`${after}?state=s`)
    expect(ann.cookies.has('gatehouse.session')).toBe(false)
    expect((await ann.request(authorizePath(shop))).location).toMatch(/^\/sign-in\?/)
  })

  test('end-session rejects addresses that are not registered and ID tokens of other issuers', async () => {
    const client_id = shop.clientId
    for (const params of [
      { client_id, post_logout_redirect_uri: 'https://evil.example/' },
      { post_logout_redirect_uri: after },
      { id_token_hint: `${idToken.slice(0, -4)}AAAA` },
      { id_token_hint: idToken, client_id: 'another' },
    ])
      expect(queryOf((await t.client().request(path(params as Record<string, string>))).location)['error']).toBe(
        'invalid_request',
      )
  })

  test('end-session with only a return address names the missing parameter in the requested language, and the person can still sign out', async () => {
    const ann = await t.signedIn('alone@example.com')
    const { location } = await ann.request(path({ post_logout_redirect_uri: after, ui_locales: 'de-AT' }))
    expect(location).not.toContain(encodeURIComponent(after))
    const { question = '', ui_locales } = queryOf(location)
    expect(ui_locales).toBe('de-AT')
    expect(await ann.api.oidc.signOutQuestion({ query: { question } })).toEqual({ client: null, returnProblem: 'unidentified' })
    expect(await ann.api.oidc.confirmSignOut({ body: { question } })).toEqual({
      redirectURI: `${t.url}/sign-out?done=1&ui_locales=de-AT`,
    })
    expect(await ann.api.sessions.getSession()).toBeNull()
  })

  test.each([
    [
      'an address that is not registered',
      () => ({ client_id: shop.clientId, post_logout_redirect_uri: 'https://evil.example/' }),
    ],
    ['an unknown client', () => ({ client_id: 'unknown', post_logout_redirect_uri: after })],
    [
      'a proof of the application and an address that is not registered',
      () => ({ id_token_hint: idToken, post_logout_redirect_uri: 'https://evil.example/' }),
    ],
    ['an ID token of another issuer', () => ({ id_token_hint: `${idToken.slice(0, -4)}AAAA`, post_logout_redirect_uri: after })],
  ])('end-session with %s returns to no application, and the person can still sign out', async (_, params) => {
    const ann = t.client()
    await ann.api.accounts.signInEmail({ body: { email: 'bye@example.com', password } })
    const { question = '' } = queryOf((await ann.request(path(params()))).location)
    const { returnProblem } = await ann.api.oidc.signOutQuestion({ query: { question } })
    expect(returnProblem).not.toBeNull()
    expect(await ann.api.oidc.confirmSignOut({ body: { question } })).toEqual({ redirectURI: `${t.url}/sign-out?done=1` })
    expect(await ann.api.sessions.getSession()).toBeNull()
  })

  test('end-session gives an unverifiable ID token as the reason, even for a signed-in person and the right client id', async () => {
    const ann = t.client()
    await ann.api.accounts.signInEmail({ body: { email: 'bye@example.com', password } })
    const forged = { id_token_hint: `${idToken.slice(0, -4)}AAAA` }
    for (const params of [forged, { ...forged, client_id: shop.clientId, post_logout_redirect_uri: after }]) {
      const { question = '' } = queryOf((await ann.request(path(params))).location)
      expect(await ann.api.oidc.signOutQuestion({ query: { question } })).toMatchObject({ returnProblem: 'invalidHint' })
    }
    const { location } = await t.client().request(path(forged))
    expect(queryOf(location)['error_description']).toContain('id_token_hint is not an ID token')
  })

  test('end-session without a return address leads to a page that confirms the sign-out', async () => {
    const ann = t.client()
    await ann.api.accounts.signInEmail({ body: { email: 'bye@example.com', password } })
    expect((await ann.request(path({ id_token_hint: idToken }))).location).toBe('/sign-out?done=1')
    expect(await ann.api.sessions.getSession()).toBeNull()
    expect((await ann.request(path({}))).location).toBe('/sign-out?done=1')
  })

  test('end-session by a form of another site ends the session, although the browser sends no cookie with the form', async () => {
    const ann = t.client()
    await ann.api.accounts.signInEmail({ body: { email: 'bye@example.com', password } })
    const params = { id_token_hint: idToken, post_logout_redirect_uri: after, state: 's' }
    const posted = await t.client().request('/oauth2/end-session', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://rp.example' },
      body: new URLSearchParams(params).toString(),
    })
    expect(posted.location).toBe(path(params))
    expect((await ann.request(posted.location ?? '')).location).toBe(`${after}?state=s`)
    expect(await ann.api.sessions.getSession()).toBeNull()
  })

  test('a question mark inside a parameter of end-session is preserved', async () => {
    const answer = await t
      .client()
      .request(
        `/oauth2/end-session?state=why?not&client_id=${shop.clientId}&post_logout_redirect_uri=${encodeURIComponent(after)}`,
      )
    expect(queryOf(answer.location)).toEqual({ state: 'why?not' })
  })

  test('end-session asks the person for confirmation when no ID token proves the request', async () => {
    const ann = await t.signedIn('asked@example.com')
    const { location } = await ann.request(path({ client_id: shop.clientId, post_logout_redirect_uri: after, state: 's' }))
    expect(location).toMatch(/^\/sign-out\?/)
    const { question = '' } = queryOf(location)
    expect((await ann.api.sessions.getSession())?.user.email).toBe('asked@example.com')
    const gone = { status: 404, code: 'INTERACTION_NOT_FOUND' }
    const eve = await t.signedIn('eve@example.com')
    for (const [browser, value] of [
      [eve, question],
      [ann, `x${question}`],
      [ann, question.slice(0, -4)],
    ] as const) {
      await expect(browser.api.oidc.signOutQuestion({ query: { question: value } })).rejects.toMatchObject(gone)
      await expect(browser.api.oidc.confirmSignOut({ body: { question: value } })).rejects.toMatchObject(gone)
    }
    const confirmPath = '/oauth2/end-session/confirm'
    const foreign = await ann.post(confirmPath, { question }, { origin: 'https://evil.example' })
    expect([foreign.status, foreign.json['code']]).toEqual([403, 'INVALID_ORIGIN'])
    const form = await ann.request(confirmPath, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ question }).toString(),
    })
    expect(form.status).toBe(400)
    expect(await ann.api.oidc.signOutQuestion({ query: { question } })).toEqual({ client: 'Shop', returnProblem: null })
    const redirectURI = `${after}?state=s`
    expect(await ann.api.oidc.confirmSignOut({ body: { question } })).toEqual({ redirectURI })
    expect(ann.cookies.has('gatehouse.session')).toBe(false)
    expect(await ann.api.sessions.getSession()).toBeNull()
    // Pressed a second time, the button only continues, because the person is already signed out.
    expect(await ann.api.oidc.confirmSignOut({ body: { question } })).toEqual({ redirectURI })
  })

  test('a request to confirm a sign-out expires after ten minutes', async () => {
    const ann = await t.signedIn('late@example.com')
    const { question = '' } = queryOf((await ann.request(path({ client_id: shop.clientId }))).location)
    t.clock.advance({ minutes: 11 })
    await expect(ann.api.oidc.confirmSignOut({ body: { question } })).rejects.toMatchObject({ code: 'INTERACTION_NOT_FOUND' })
    expect(await ann.api.sessions.getSession()).not.toBeNull()
  })
})
