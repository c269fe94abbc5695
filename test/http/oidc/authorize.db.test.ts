import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import {
  type Application,
  authorizePath,
  codeFor,
  goOn,
  postForm,
  queryOf,
  redeem,
  redirectUri,
  refresh,
  register,
  uidOf,
} from './flow.ts'

let t: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  shop = await register(t)
})
afterAll(() => t.stop())

const ask = (params: Parameters<typeof authorizePath>[1], application = shop) =>
  t.client().request(authorizePath(application, params))

describe('a wrong authorization request', () => {
  test.each([
    ['an unknown client', { client_id: 'nobody' }, 'invalid_client'],
    ['a missing client', { client_id: undefined }, 'invalid_request'],
    ['an unregistered redirect URI', { redirect_uri: 'https://evil.example/' }, 'invalid_redirect_uri'],
    ['a redirect URI that only starts like a registered one', { redirect_uri: `${redirectUri}/more` }, 'invalid_redirect_uri'],
    ['a missing redirect URI', { redirect_uri: undefined }, 'invalid_request'],
  ])('a request with %s leads to the error page and never to the application', async (_, params, error) => {
    const answer = await ask(params)
    expect(answer.status).toBe(303)
    expect(answer.location).toMatch(/^\/error\?/)
    expect(queryOf(answer.location)['error']).toBe(error)
  })

  test.each([
    ['a missing response type', { response_type: undefined }, 'invalid_request', /response_type/],
    ['another response type than code', { response_type: 'token' }, 'unsupported_response_type', /./],
    [
      'an unknown scope',
      { scope: 'openid a b' },
      'invalid_scope',
      /^The following scopes are invalid: a, b; oidc\.unknownScopes or --unknown-scopes /,
    ],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request', /code_challenge_method/],
    ['prompt=none without a session', { prompt: 'none' }, 'login_required', /./],
    ['an unsigned request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'invalid_request_object', /signed/],
    ['registration', { registration: '{}' }, 'registration_not_supported', /has to be registered before/],
  ])(
    'a request with %s is an error that is returned to the application with state and iss',
    async (_, params, error, description) => {
      const answer = await ask(params)
      expect(answer.location?.startsWith(`${redirectUri}?`)).toBe(true)
      const query = queryOf(answer.location)
      expect(query).toMatchObject({ error, state: 'the state', iss: t.url })
      expect(query['error_description']).toMatch(description)
    },
  )

  test.each([
    [{ type: 'spa' }, 'PKCE is required: send code_challenge (S256); a spa client has no secret in its place'],
    [
      { type: 'web', pkce: 'required' },
      'PKCE is required: send code_challenge (S256), or register the client with --pkce optional',
    ],
  ] as const)(
    'a client registered as %o that sends no code challenge gets an error that says how to correct the request',
    async (as, description) => {
      const client = await register(t, as)
      const plain = { code_challenge: undefined, code_challenge_method: undefined }
      expect(queryOf((await ask(plain, client)).location)).toMatchObject({
        ...{ error: 'invalid_request', error_description: description, state: 'the state' },
      })
      const { client_id, ...params } = queryOf(authorizePath(client, plain))
      const pushed = await postForm(t, client, '/oauth2/par', { client_id, ...params })
      expect(pushed.json).toEqual({ error: 'invalid_request', error_description: description })
    },
  )

  test('oidc.requirePkce requires a code challenge of every client that is not registered with --pkce optional', async () => {
    const strict = await t.node({ oidc: { requirePkce: true } })
    const old = await register(t, { pkce: 'optional' })
    const errorOf = async (application: Application) =>
      queryOf(
        (
          await strict
            .client()
            .request(authorizePath(application, { code_challenge: undefined, code_challenge_method: undefined }))
        ).location,
      )['error']
    expect([await errorOf(shop), await errorOf(old)]).toEqual(['invalid_request', undefined])
    await strict.stop()
  })

  test('the pushed request endpoint also names an unsupported parameter in its error', async () => {
    const { client_id, ...params } = queryOf(authorizePath(shop))
    for (const [more, description] of [
      [{ request: 'eyJhbGciOiJub25lIn0.e30.' }, /client_id must equal/],
      [{ request_uri: 'https://rp.example/request' }, /only what \/oauth2\/par has answered/],
    ] as const) {
      const { json } = await postForm(t, shop, '/oauth2/par', { client_id, ...params, ...more })
      expect(json['error_description']).toMatch(description)
    }
  })

  test('a repeated parameter is an error', async () => {
    const answer = await t.client().request(`${authorizePath(shop)}&scope=email`)
    expect(queryOf(answer.location)['error']).toBe('invalid_request')
  })

  test('a repeated scope parameter is an error, even if one of the two values is empty', async () => {
    const answer = await t.client().request(`${authorizePath(shop, { scope: '' })}&scope=openid`)
    expect(queryOf(answer.location)).toMatchObject({ error: 'invalid_request' })
  })

  test.each(['1e3', ' 5', '0x10', '5.0', '+5'])(
    'the max_age "%s" is an error because it is no number of seconds',
    async (max_age) => {
      expect(queryOf((await ask({ max_age })).location)).toMatchObject({ error: 'invalid_request' })
      const pushed = await postForm(t, shop, '/oauth2/par', { response_type: 'code', redirect_uri: redirectUri, max_age })
      expect([pushed.status, pushed.json['error']]).toEqual([400, 'invalid_request'])
    },
  )

  test('a scope that the client is not registered for is an error', async () => {
    const narrow = await register(t, { scope: ['openid', 'email'] })
    expect(queryOf((await ask({ scope: 'openid profile' }, narrow)).location)).toMatchObject({ error: 'invalid_scope' })
  })

  test('a request of a disabled client leads to the error page', async () => {
    const closed = await register(t)
    await t.app.core.db.knex('oauth_client').where({ client_id: closed.clientId }).update({ disabled: true })
    const answer = await ask({}, closed)
    expect(queryOf(answer.location)).toMatchObject({ error: 'client_disabled', error_description: 'client is disabled' })
  })
})

describeOnBoth('an authorization request', () => {
  test('a browser without a session is sent to the sign-in page and returns to the application afterwards', async () => {
    const ann = await t.signedIn('signs-in@example.com')
    const browser = t.client()
    const first = await browser.request(authorizePath(shop, { scope: 'openid email', login_hint: 'signs-in@example.com' }))
    expect(first.location).toMatch(/^\/sign-in\?interaction=/)
    const uid = uidOf(first)
    const shown = await browser.api.oidc.interaction({ params: { uid } })
    expect(shown).toMatchObject({
      uid,
      prompt: 'login',
      scopes: ['openid', 'email'],
      loginHint: 'signs-in@example.com',
      user: null,
    })
    expect(shown.client).toMatchObject({ clientId: shop.clientId, name: 'Shop', redirectHost: 'rp.example' })

    expect((await browser.request(`/interaction/${uid}`)).location).toBe(first.location)
    await browser.api.accounts.signInEmail({ body: { email: 'signs-in@example.com', password } })
    const resumed = await goOn(browser, await browser.request(`/interaction/${uid}`))
    expect(queryOf(resumed.location)).toMatchObject({
      state: 'the state',
      iss: t.url,
      code: expect.stringMatching(/^[\w-]{32}$/),
    })
    expect([...ann.cookies.keys()].sort()).toEqual(['gatehouse.device', 'gatehouse.session'])
  })

  test('a request without a scope is treated as a request for openid', async () => {
    const browser = await t.signedIn('no-scope@example.com')
    const code = await codeFor(browser, shop, { scope: undefined })
    expect((await redeem(t, shop, code)).json).toMatchObject({ scope: 'openid', id_token: expect.any(String) })
  })

  test('a question mark inside a parameter of the authorization request is preserved', async () => {
    const ann = await t.signedIn('question@example.com')
    const path = authorizePath(shop, { scope: undefined, state: 'before' }).replace(
      'state=before',
      'state=why?not&login_hint=a?b',
    )
    const code = queryOf((await goOn(ann, await ann.request(path))).location)
    expect(code).toMatchObject({ state: 'why?not', code: expect.any(String) })
  })

  test('an authorization request sent by POST is redirected to the same request by GET', async () => {
    const ann = await t.signedIn('posts@example.com')
    const [path = '', query = ''] = authorizePath(shop, { scope: undefined }).split('?')
    const post = (body: string, type = 'application/x-www-form-urlencoded') =>
      t.client().request(path, { method: 'POST', headers: { 'content-type': type, origin: 'https://rp.example' }, body })
    const answer = await post(query)
    expect([answer.status, answer.location]).toEqual([303, `${path}?${query}`])
    expect(queryOf((await goOn(ann, await ann.request(answer.location ?? ''))).location)['code']).toBeDefined()
    for (const refused of [await post('{}', 'application/json'), await post(`state=${'x'.repeat(9_000)}`)])
      expect([refused.status, queryOf(refused.location)['error']]).toEqual([303, 'invalid_request'])
  })

  testOnBoth('a pushed request gives one code, however many tabs open it and however long the tabs stay open', async () => {
    const ann = await t.signedIn('pushed@example.com')
    const { client_id, ...params } = queryOf(authorizePath(shop))
    const pushed = await postForm(t, shop, '/oauth2/par', { client_id, ...params })
    expect(pushed.json).toMatchObject({ expires_in: 60 })
    const path = `/oauth2/authorize?${new URLSearchParams({ client_id: shop.clientId, request_uri: String(pushed.json['request_uri']) })}`
    // A browser keeps the library's cookies by path. This client does not, so each tab gets a jar of its own.
    const tabs = await Promise.all(
      [1, 2, 3].map(async () => {
        const tab = t.client()
        for (const [name, value] of ann.cookies) tab.cookies.set(name, value)
        return { tab, begun: await tab.request(path) }
      }),
    )
    t.clock.advance({ minutes: 2 })
    await t.app.oidc.sweep()
    const ends = []
    for (const { tab, begun } of tabs) {
      ends.push(queryOf((await goOn(tab, begun)).location))
      // For the last tab even the record of the use has been deleted.
      if (ends.length === 2)
        await t.app.core.transact((tx) => tx.knex('oidc_artifact').where({ kind: 'PushedAuthorizationRequest' }).delete())
    }
    const refused = expect.objectContaining({ error: 'invalid_request_uri' })
    expect(ends).toEqual([expect.objectContaining({ code: expect.any(String) }), refused, refused])
    expect(queryOf((await ann.request(path)).location)).toEqual(refused)
  })

  test('prompt=login requires a new sign-in in a signed-in browser, and auth_time is the time of the new sign-in', async () => {
    const browser = await t.signedIn('again@example.com')
    const asked = await browser.request(authorizePath(shop, { prompt: 'login' }))
    expect(asked.location).toMatch(/^\/sign-in\?/)
    expect((await browser.request(`/interaction/${uidOf(asked)}`)).location).toMatch(/^\/sign-in\?/)
    await browser.api.accounts.signInEmail({ body: { email: 'again@example.com', password } })
    const done = await goOn(browser, await browser.request(`/interaction/${uidOf(asked)}`))
    expect(queryOf(done.location)['code']).toBeDefined()
  })

  test('a request with id_token_hint gives a code only to the user that the hint names', async () => {
    const idTokenOf = async (browser: Browser) => String((await redeem(t, shop, await codeFor(browser, shop))).json['id_token'])
    const ann = await t.signedIn('hinted@example.com')
    const bob = await t.signedIn('other@example.com')
    await codeFor(bob, shop)
    const id_token_hint = await idTokenOf(ann)
    const silent = (browser: Browser) => browser.request(authorizePath(shop, { id_token_hint, prompt: 'none' }))
    expect(queryOf((await silent(ann)).location)['code']).toBeDefined()
    expect(queryOf((await silent(bob)).location)['error']).toBe('login_required')

    const asked = await bob.request(authorizePath(shop, { id_token_hint }))
    expect(asked.location).toMatch(/^\/sign-in\?/)
    // Neither the present session nor a new session of the same person answers the request.
    expect((await goOn(bob, await bob.request(`/interaction/${uidOf(asked)}`))).location).toMatch(/^\/sign-in\?/)
    await bob.api.accounts.signInEmail({ body: { email: 'other@example.com', password } })
    const again = await goOn(bob, await bob.request(`/interaction/${uidOf(asked)}`))
    expect(again.location).toMatch(/^\/sign-in\?/)
    await bob.api.accounts.signInEmail({ body: { email: 'hinted@example.com', password } })
    const done = await goOn(bob, await bob.request(`/interaction/${uidOf(again)}`))
    expect(queryOf(done.location)['code']).toBeDefined()

    for (const wrong of ['nonsense', `${id_token_hint.slice(0, -4)}AAAA`])
      expect(queryOf((await ann.request(authorizePath(shop, { id_token_hint: wrong }))).location)['error']).toBe(
        'invalid_request',
      )
  })

  test('max_age requires a new sign-in when the last sign-in is older than max_age', async () => {
    const browser = await t.signedIn('old@example.com')
    await codeFor(browser, shop, { max_age: '1000' })
    t.clock.advance({ minutes: 30 })
    expect((await browser.request(authorizePath(shop, { max_age: '1000' }))).location).toMatch(/^\/sign-in\?/)
    expect(queryOf((await browser.request(authorizePath(shop, { max_age: '1000', prompt: 'none' }))).location)['error']).toBe(
      'login_required',
    )
  })

  test('the content policy of a form_post answer allows the form to be sent to the application', async () => {
    const browser = await t.signedIn('form@example.com')
    await codeFor(browser, shop)
    const answer = await browser.request(authorizePath(shop, { response_mode: 'form_post' }))
    expect(answer.status).toBe(200)
    expect(answer.text).toContain(`action="${redirectUri}"`)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain('form-action https://rp.example')
    expect(policy).toMatch(/script-src 'self' 'sha256-/)
  })

  test('the content policy of a form_post answer allows the private scheme of a native application', async () => {
    const scheme = 'com.example.app:/callback'
    const native = await register(t, { type: 'native', redirectUris: [scheme], skipConsent: true })
    const ann = await t.signedIn('scheme@example.com')
    const answer = await ann.request(authorizePath(native, { redirect_uri: scheme, response_mode: 'form_post' }))
    expect(answer.headers.get('content-security-policy')).toMatch(/form-action com\.example\.app:(;|$)/)
  })

  test('a native application may use any port of its loopback redirect address', async () => {
    const native = await register(t, { type: 'native', redirectUris: ['http://127.0.0.1/callback'] })
    const browser = await t.signedIn('native@example.com')
    const uri = 'http://127.0.0.1:54321/callback'
    const answer = await goOn(browser, await browser.request(authorizePath(native, { redirect_uri: uri })))
    expect(answer.location?.startsWith(`${uri}?code=`)).toBe(true)
  })

  test('addresses in responses have the configured public host, regardless of the request headers', async () => {
    const answer = await t
      .client()
      .request(authorizePath(shop), { headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' } })
    expect(answer.headers.getSetCookie().join()).not.toMatch(/evil|secure/i)
  })
})

test('with oidc.unknownScopes ignore, unknown scopes are left out at sign-in, on the consent page and in refreshes', async () => {
  const lax = await t.node({ oidc: { rsaModulusLength: 2048, unknownScopes: 'ignore' } })
  const ann = await t.signedIn('lax@example.com')
  const browser = lax.client()
  for (const [name, value] of ann.cookies) browser.cookies.set(name, value)
  const narrow = await register(t, { scope: ['openid', 'offline_access'] })
  const asked = await browser.request(authorizePath(narrow, { scope: 'openid phone offline_access roles', prompt: 'consent' }))
  expect(await browser.api.oidc.interaction({ params: { uid: uidOf(asked) } })).toMatchObject({
    scopes: ['openid', 'offline_access'],
    newScopes: ['openid', 'offline_access'],
  })
  await browser.post('/oauth2/consent', { accept: true, interaction: uidOf(asked) }, { origin: t.url })
  const { code } = queryOf((await browser.request(`/oauth2/authorize/${uidOf(asked)}`)).location)
  const { json } = await redeem(lax, narrow, code ?? '')
  expect(json['scope']).toBe('openid offline_access')
  const renewed = await refresh(lax, narrow, json['refresh_token'], { scope: 'openid phone offline_access roles' })
  expect(renewed.json['scope']).toBe('openid offline_access')
  // Known scopes that the client is not registered for are left out as well. Without the setting they are all refused.
  expect((await redeem(lax, narrow, await codeFor(browser, narrow, { scope: 'openid email' }))).json['scope']).toBe('openid')
  expect((await refresh(t, narrow, renewed.json['refresh_token'], { scope: 'openid phone' })).json['error']).toBe('invalid_scope')
  await lax.stop()
})

describe('the browser that started an interaction', () => {
  test('only the browser that started an interaction can see, resume or answer it', async () => {
    const ann = await t.signedIn('binds@example.com')
    const eve = await t.signedIn('eve@example.com')
    const uid = uidOf(await ann.request(authorizePath(shop)))
    await expect(eve.api.oidc.interaction({ params: { uid } })).rejects.toMatchObject({
      status: 404,
      code: 'INTERACTION_NOT_FOUND',
    })
    await expect(eve.api.oidc.consent({ body: { accept: true, interaction: uid } })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    expect(queryOf((await eve.request(`/interaction/${uid}`)).location)['error']).toBe('interaction_not_found')
    // The server has not signed the cookie that the other browser made up.
    eve.cookies.set('gatehouse.interaction', `${uid}.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA%3D`)
    await expect(eve.api.oidc.interaction({ params: { uid } })).rejects.toMatchObject({ code: 'INTERACTION_NOT_FOUND' })
    // The resume address works only in the browser that started the interaction.
    expect((await eve.request(`/oauth2/authorize/${uid}`)).location).toMatch(/^\/error\?/)
  })

  test('one browser may sign in to two applications side by side', async () => {
    const browser = await t.signedIn('tabs@example.com')
    const other = await register(t, { name: 'Other' })
    const [one, two] = [await browser.request(authorizePath(shop)), await browser.request(authorizePath(other))]
    expect((await browser.api.oidc.interaction({ params: { uid: uidOf(one) } })).client.name).toBe('Shop')
    expect((await browser.api.oidc.interaction({ params: { uid: uidOf(two) } })).client.name).toBe('Other')
  })

  test('an interaction expires after ten minutes', async () => {
    const browser = await t.signedIn('late@example.com')
    const uid = uidOf(await browser.request(authorizePath(shop)))
    t.clock.advance({ seconds: 601 })
    await expect(browser.api.oidc.consent({ body: { accept: true, interaction: uid } })).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })
})
