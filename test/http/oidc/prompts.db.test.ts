import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { type Application, authorizePath, codeFor, goOn, queryOf, redeem, register, uidOf, userinfo } from './flow.ts'

const pages = 'https://accounts.example'

let t: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 }, trustedOrigins: [pages, 'https://app.example'] } })
  shop = await register(t, { skipConsent: true })
})
afterAll(() => t.stop())

const begin = (browser: Browser, params: Parameters<typeof authorizePath>[1]) => browser.request(authorizePath(shop, params))
const resume = async (browser: Browser, uid: string) => goOn(browser, await browser.request(`/interaction/${uid}`))
/** Returns the person that the code of the answer is for. */
const emailOf = async (location: string | null) => {
  const { json } = await redeem(t, shop, queryOf(location)['code'] ?? '')
  return (await userinfo(t, json['access_token'])).json['email']
}
const scope = 'openid email'

describe('prompt=select_account', () => {
  const prompt = 'select_account'

  test('prompt=select_account asks a signed-in person and offers the present account', async () => {
    const ann = await t.signedIn('stays@example.com')
    const asked = await begin(ann, { prompt, scope })
    expect(asked.location).toMatch(/^\/select-account\?/)
    const uid = uidOf(asked)
    expect(await ann.api.oidc.interaction({ params: { uid } })).toMatchObject({
      prompt,
      user: { email: 'stays@example.com' },
      signInPage: `/sign-in?interaction=${uid}`,
    })
    expect((await resume(ann, uid)).location).toBe(asked.location)
    const { redirectURI } = await ann.api.oidc.selectAccount({ body: { interaction: uid } })
    expect(await emailOf((await goOn(ann, await ann.request(redirectURI))).location)).toBe('stays@example.com')
  })

  test('signing in with another account completes a request with prompt=select_account', async () => {
    await t.signedIn('another@example.com')
    const browser = await t.signedIn('leaves@example.com')
    const uid = uidOf(await begin(browser, { prompt, scope }))
    await browser.api.accounts.signInEmail({ body: { email: 'another@example.com', password } })
    expect(await emailOf((await resume(browser, uid)).location)).toBe('another@example.com')
  })

  test('prompt=select_account without a session takes one sign-in and no further question', async () => {
    await t.signedIn('once@example.com')
    const browser = t.client()
    for (const wanted of [prompt, 'login select_account']) {
      const asked = await begin(browser, { prompt: wanted, scope })
      expect(asked.location).toMatch(/^\/sign-in\?/)
      await browser.api.accounts.signInEmail({ body: { email: 'once@example.com', password } })
      expect(await emailOf((await resume(browser, uidOf(asked))).location)).toBe('once@example.com')
    }
  })

  test('the question of prompt=select_account can be answered only in the browser that started the request, by the user who was asked', async () => {
    const ann = await t.signedIn('asked@example.com')
    const eve = await t.signedIn('eve@example.com')
    const interaction = uidOf(await begin(ann, { prompt, scope }))
    await expect(eve.api.oidc.selectAccount({ body: { interaction } })).rejects.toMatchObject({ code: 'INTERACTION_NOT_FOUND' })
    await ann.api.accounts.signInEmail({ body: { email: 'eve@example.com', password } })
    await expect(ann.api.oidc.selectAccount({ body: { interaction } })).rejects.toMatchObject({ code: 'INTERACTION_NOT_FOUND' })
  })
})

describe('prompt=create', () => {
  test('prompt=create leads to the sign-up even in a signed-in browser, and the application gets the new account', async () => {
    const browser = await t.signedIn('old@example.com')
    const asked = await begin(browser, { prompt: 'create', scope })
    expect(asked.location).toMatch(/^\/sign-up\?/)
    expect((await resume(browser, uidOf(asked))).location).toBe(asked.location)
    await browser.api.accounts.signUpEmail({ body: { email: 'new@example.com', name: 'New', password } })
    expect(await emailOf((await resume(browser, uidOf(asked))).location)).toBe('new@example.com')
  })

  test('prompt=create is announced and accepted only while sign-up is open', async () => {
    const promptsOf = async (app: TestApp) =>
      (await app.client().request('/.well-known/openid-configuration')).json['prompt_values_supported']
    expect(await promptsOf(t)).toEqual(['none', 'login', 'consent', 'select_account', 'create'])
    const closed = await t.node({ accounts: { signUpEnabled: false } })
    expect(await promptsOf(closed)).not.toContain('create')
    const refused = await closed.client().request(authorizePath(shop, { prompt: 'create' }))
    expect(queryOf(refused.location)['error']).toBe('invalid_request')
    await closed.stop()
  })
})

describe("the operator's own pages", () => {
  let own: TestApp
  let portal: Application
  beforeAll(async () => {
    portal = await register(t)
    own = await t.node({
      oidc: { rsaModulusLength: 2048, loginPage: `${pages}/login?brand=1`, consentPage: `${pages}/consent` },
    })
  })
  afterAll(() => own.stop())

  const preflight = async (path: string, method: string, origin: string) => {
    const answer = await own.client().request(path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
    })
    return answer.headers.get('access-control-allow-origin')
  }

  test("the operator's own pages get the id of the interaction and the parameters of the request, and complete the interaction by API calls", async () => {
    const ann = await t.signedIn('portal@example.com')
    const id_token_hint = String((await redeem(t, portal, await codeFor(ann, portal))).json['id_token'])
    const browser = own.client()
    const params = { scope: 'openid email', nonce: 'n-1', login_hint: 'portal@example.com', ui_locales: 'de' }
    const asked = await browser.request(authorizePath(portal, { ...params, id_token_hint }))
    expect(asked.location).toMatch(/^https:\/\/accounts\.example\/login\?brand=1&/)
    const uid = uidOf(asked)
    const { id_token_hint: _, ...sent } = queryOf(authorizePath(portal, params))
    expect(queryOf(asked.location)).toEqual({ brand: '1', interaction: uid, ...sent })

    const call = { method: 'POST', headers: { origin: pages, 'content-type': 'application/json' } }
    const signIn = await browser.request('/sign-in/email', {
      ...call,
      body: JSON.stringify({ email: 'portal@example.com', password }),
    })
    expect([signIn.status, signIn.headers.get('access-control-allow-origin')]).toEqual([200, pages])
    const resumed = await browser.request((await browser.request(`/interaction/${uid}`)).location ?? '')
    expect(resumed.location).toMatch(/^https:\/\/accounts\.example\/consent\?/)
    expect(queryOf(resumed.location)).toMatchObject({ client_id: portal.clientId, scope: 'openid email', state: 'the state' })

    const shown = await browser.request(`/interaction/${uidOf(resumed)}/details`, { headers: { origin: pages } })
    expect(shown.json).toMatchObject({ prompt: 'consent', newScopes: ['email'] })
    expect(shown.headers.get('access-control-allow-origin')).toBe(pages)
    const body = JSON.stringify({ accept: true, interaction: uidOf(resumed) })
    const decided = await browser.request('/oauth2/consent', { ...call, body })
    expect([decided.status, decided.headers.get('access-control-allow-origin')]).toEqual([200, pages])
    expect(queryOf((await browser.request(String(decided.json['redirectURI']))).location)['code']).toBeDefined()
  })

  test("only the operator's own pages can submit a consent from another origin, and hosted pages get only the id of the interaction", async () => {
    const consent = ['/oauth2/consent', 'POST'] as const
    expect(await preflight(...consent, pages)).toBe(pages)
    expect(await preflight('/interaction/any/details', 'GET', pages)).toBe(pages)
    expect(await preflight(...consent, 'https://app.example')).toBeNull()
    expect(await preflight('/interaction/any/details', 'GET', 'https://app.example')).toBeNull()
    expect(await preflight('/oauth2/select-account', 'POST', pages)).toBeNull()
    const hosted = await t.client().request(authorizePath(portal))
    expect(Object.keys(queryOf(hosted.location))).toEqual(['interaction'])
    const browser = own.client()
    const asked = await browser.request(authorizePath(portal, { prompt: 'create' }))
    expect(asked.location).toMatch(/^https:\/\/accounts\.example\/login\?/)
    expect(queryOf(asked.location)).toMatchObject({ prompt: 'create' })
    // A person who changes from the sign-up page to the sign-in page must not be sent back to the sign-up.
    const { signInPage } = await browser.api.oidc.interaction({ params: { uid: uidOf(asked) } })
    expect(queryOf(signInPage)).toEqual({ ...queryOf(asked.location), prompt: undefined })
  })
})
