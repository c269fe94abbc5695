import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLocalJWKSet, createRemoteJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose'
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { type Application, codeFor, goOn, offline, postForm, redeem, refresh, register, verifier } from './flow.ts'
import { ownerOf } from './tenants.ts'

let t: TestApp
let second: TestApp
let admin: Browser
/** The requests that the application received, and its next answers. */
let told: { readonly path: string; readonly type: string; readonly token: string }[] = []
let answers: number[] = []
const server = createServer((req: IncomingMessage, res) => {
  const parts: Buffer[] = []
  req.on('data', (part: Buffer) => parts.push(part))
  req.on('end', () => {
    const token = new URLSearchParams(Buffer.concat(parts).toString()).get('logout_token') ?? ''
    told.push({ path: req.url ?? '', type: String(req.headers['content-type']), token })
    const status = answers.shift() ?? 200
    if (status >= 300 && status < 400) res.setHeader('location', '/elsewhere')
    res.statusCode = status
    res.end()
  })
})
let address: string

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t = await testApp({ config: { outbound: { allowHttp: true, allow: ['127.0.0.1'] } } })
  second = await t.node()
  admin = await signedInAs(t, 'admin')
})
afterEach(() => {
  told = []
  answers = []
})
afterAll(async () => {
  server.close()
  await second.stop()
  await t.stop()
})

let count = 0
const person = async () => {
  count += 1
  const email = `p${count}@example.com`
  const browser = await t.signedIn(email)
  return { email, browser, userId: (await browser.api.sessions.getSession())?.user.id ?? '' }
}
const shopOf = (more = {}) => register(t, { backchannelLogoutUri: `${address}/logout`, skipConsent: true, ...more })
const tokensOf = async (browser: Browser, application: Application, params = {}) => {
  const { status, json } = await redeem(t, application, await codeFor(browser, application, params), {
    code_verifier: verifier,
  })
  expect(status).toBe(200)
  return json
}
const sidOf = (tokens: Readonly<Record<string, unknown>>) => decodeJwt(String(tokens['id_token']))['sid']

/** Verifies the token that the application received, as a relying party does (section 2.6). */
const verified = async (token: string, application: Application): Promise<JWTPayload> => {
  const keys = createRemoteJWKSet(new URL('/jwks', t.url))
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    ...{ issuer: t.url, audience: application.clientId, typ: 'logout+jwt', requiredClaims: ['iat', 'exp', 'jti', 'events'] },
  })
  expect(protectedHeader.alg).toBe('RS256')
  expect(payload['events']).toEqual({ 'http://schemas.openid.net/event/backchannel-logout': {} })
  expect(payload['nonce']).toBeUndefined()
  expect(Number(payload.exp) - Number(payload.iat)).toBe(120)
  return payload
}
/** Long timeouts, for a busy machine. */
const patient = { timeout: 20_000, interval: 30 }
const waitTold = (many = 1) =>
  vi.waitFor(async () => {
    await t.wake('queue.oidc.logout', 'queue.oidc.logout-all')
    expect(told).toHaveLength(many)
  }, patient)
const noticesOf = async (query: string) =>
  (await admin.request(`/admin/logout-notices?${query}`)).json['notices'] as Record<string, unknown>[]
const noticeOf = (application: Application, state: string) =>
  vi.waitFor(async () => {
    const [notice] = await noticesOf(`clientId=${application.clientId}`)
    expect(notice?.['state']).toBe(state)
    return notice
  }, patient)

describeOnBoth('the end of a session that an application took part in', () => {
  type Ending = (of: Awaited<ReturnType<typeof person>>, application: Application) => Promise<unknown>
  const endings: readonly (readonly [string, Ending, string])[] = [
    ['by a sign-out', ({ browser }) => browser.api.sessions.signOut(), 'session.ended'],
    [
      'by a sign-out at another application',
      async ({ browser }) => {
        const other = await register(t, { postLogoutRedirectUris: ['https://rp.example/bye'], skipConsent: true })
        const { id_token: hint } = await tokensOf(browser, other)
        const query = new URLSearchParams({ id_token_hint: String(hint), post_logout_redirect_uri: 'https://rp.example/bye' })
        expect((await browser.request(`/oauth2/end-session?${query}`)).location).toBe('https://rp.example/bye')
      },
      'session.ended',
    ],
    [
      'in the list of devices, from another browser',
      async ({ browser, email }) => {
        const { session } = (await browser.api.sessions.getSession()) ?? {}
        const other = t.client()
        await other.post('/sign-in/email', { email, password })
        expect((await other.post('/revoke-session', { token: session?.id })).status).toBe(200)
      },
      'session.ended',
    ],
    [
      'with all others',
      async ({ email }) => {
        const other = t.client()
        await other.post('/sign-in/email', { email, password })
        expect((await other.post('/revoke-other-sessions', {})).status).toBe(200)
      },
      'user.sessions_ended',
    ],
    [
      'by an administrator, one session',
      async ({ browser }) => {
        const { session } = (await browser.api.sessions.getSession()) ?? {}
        expect((await admin.request(`/admin/sessions/${session?.id}`, { method: 'DELETE' })).status).toBe(200)
      },
      'session.ended',
    ],
    [
      'by an administrator, all of them',
      async ({ userId }) => expect((await admin.post('/admin/revoke-user-sessions', { userId })).status).toBe(200),
      'user.sessions_ended',
    ],
    [
      'by a ban',
      async ({ userId }) => expect((await admin.post('/admin/ban-user', { userId })).status).toBe(200),
      'user.sessions_ended',
    ],
    ['with the account', ({ browser }) => browser.api.deletion.deleteUser({ body: { password } }), 'user.sessions_ended'],
    [
      'with the account, by an administrator',
      async ({ userId }) => expect((await admin.post('/admin/remove-user', { userId })).status).toBe(200),
      'user.sessions_ended',
    ],
    [
      'by a new password through a mailed link',
      async ({ email }) => {
        await t.client().post('/request-password-reset', { email, redirectTo: '/' })
        const token = /reset-password\/(\w+)/.exec((await t.mailTo(email, 'reset-password')).link)?.[1]
        const { status } = await t.client().post('/reset-password', { newPassword: 'another long passphrase', token })
        expect(status).toBe(200)
      },
      'user.sessions_ended',
    ],
    [
      'because the person ends its access',
      async ({ browser }, { clientId }) =>
        expect((await browser.post('/connected-applications/remove', { clientId })).status).toBe(200),
      'consent.ended',
    ],
    [
      'because it is switched off',
      (_, { clientId }) => t.app.oidc.applications.update(systemPrincipal('test'), clientId, { disabled: true }),
      'client.disabled',
    ],
  ]
  test.each(endings)('an application is notified when a session ends %s', async (_, end, cause) => {
    const shop = await shopOf()
    const ann = await person()
    const tokens = await tokensOf(ann.browser, shop)
    const sid = sidOf(tokens)
    expect(sid).toMatch(/^[\w-]{43}$/)
    await end(ann, shop)
    await waitTold()
    expect(told[0]).toMatchObject({ path: '/logout', type: 'application/x-www-form-urlencoded' })
    const payload = await verified(told[0]?.token ?? '', shop)
    expect(payload).toMatchObject({ sid, sub: ann.userId })
    expect(await noticeOf(shop, 'delivered')).toMatchObject({
      ...{ clientId: shop.clientId, userId: ann.userId, cause, attempts: 1, answer: 200, problem: null },
    })
    // The application is notified once.
    await ann.browser.api.sessions.signOut().catch(() => undefined)
    await t.wake('queue.oidc.logout')
    expect(told).toHaveLength(1)
  })

  test('removing a person from an organization sends logout notices only for sessions of applications for that organization', async () => {
    const shop = await shopOf()
    const owner = await ownerOf(t, 'Acme', 'Globex')
    const [acme, globex] = owner.organizations
    const { browser, userId } = await person()
    const other = t.client()
    for (const { id: organizationId } of owner.organizations)
      await t.app.core.db.knex('member').insert({
        id: `${organizationId.slice(0, 20)}-${count}`,
        organization_id: organizationId,
        user_id: userId,
        role: 'member',
        created_at: new Date(),
      })
    await other.post('/sign-in/email', { email: `p${count}@example.com`, password })
    const scope = 'openid organizations'
    const inAcme = await tokensOf(browser, shop, { organization: acme?.id, scope })
    const inGlobex = await tokensOf(other, shop, { organization: globex?.id, scope })
    const { status, text } = await owner.browser.post('/organization/remove-member', {
      ...{ memberIdOrEmail: `p${count}@example.com`, organizationId: acme?.id },
    })
    expect([status, text]).toEqual([200, text])
    await waitTold()
    const { sid } = await verified(told[0]?.token ?? '', shop)
    expect(sid).toBe(sidOf(inAcme))
    expect(sid).not.toBe(sidOf(inGlobex))
    await other.api.sessions.signOut()
    await waitTold(2)
    expect((await verified(told[1]?.token ?? '', shop))['sid']).toBe(sidOf(inGlobex))
  })

  testOnBoth(
    'an application is notified once for each session, even if the person signed in to the application several times at two nodes',
    async () => {
      const [shop, news] = [await shopOf(), await shopOf({ backchannelLogoutUri: `${address}/news?a=1` })]
      const { browser } = await person()
      const tokens = [await tokensOf(browser, shop), await tokensOf(browser, shop), await tokensOf(browser, shop, offline)]
      expect(new Set(tokens.map(sidOf)).size).toBe(1)
      const renewed = await refresh(second, shop, tokens[2]?.['refresh_token'])
      expect(sidOf(renewed.json)).toBe(sidOf(tokens[0] ?? {}))
      expect(sidOf(await tokensOf(browser, news))).not.toBe(sidOf(tokens[0] ?? {}))
      await Promise.allSettled([browser.api.sessions.signOut(), browser.api.sessions.signOut()])
      await waitTold(2)
      expect(told.map(({ path }) => path).sort()).toEqual(['/logout', '/news?a=1'])
    },
  )

  testOnBoth(
    'an application that redeems its code at the moment of the sign-out either gets a logout notice or gets no tokens',
    async () => {
      const shop = await shopOf()
      let redeemed = 0
      for (let round = 0; round < 10; round += 1) {
        const { browser } = await person()
        const code = await codeFor(browser, shop, offline)
        const [, { status }] = await Promise.all([browser.api.sessions.signOut(), redeem(second, shop, code)])
        if (status === 200) redeemed += 1
        expect([200, 400]).toContain(status)
      }
      const rows = await t.app.core.db.knex('oidc_artifact').where({ kind: 'SessionClient', client_id: shop.clientId })
      expect(rows).toEqual([])
      await waitTold(redeemed)
    },
  )
})

describe('a logout token', () => {
  test('a logout token uses the pairwise subject that the application knows', async () => {
    const shop = await shopOf({ subjectType: 'pairwise' })
    const { browser, userId } = await person()
    const { sub } = decodeJwt(String((await tokensOf(browser, shop))['id_token']))
    await browser.api.deletion.deleteUser({ body: { password } })
    await waitTold()
    expect((await verified(told[0]?.token ?? '', shop)).sub).toBe(sub)
    expect(sub).not.toBe(userId)
  })

  test("a logout token is signed by the client's ID token algorithm, including HS256 with the client secret", async () => {
    const [ec, hs] = [await shopOf({ idTokenAlg: 'ES256' }), await shopOf({ idTokenAlg: 'HS256' })]
    const { browser } = await person()
    await tokensOf(browser, ec)
    await tokensOf(browser, hs)
    await browser.api.sessions.signOut()
    await waitTold(2)
    const { json } = await t.client().request('/jwks')
    const options = { issuer: t.url, typ: 'logout+jwt' }
    const of = (application: Application) => told.find(({ token }) => decodeJwt(token).aud === application.clientId)?.token ?? ''
    expect((await jwtVerify(of(ec), createLocalJWKSet(json as never), options)).protectedHeader.alg).toBe('ES256')
    expect((await jwtVerify(of(hs), new TextEncoder().encode(hs.secret), options)).protectedHeader.alg).toBe('HS256')
  })

  test('a logout token is refused as id_token_hint at sign-out and authorization', async () => {
    const shop = await shopOf({ postLogoutRedirectUris: ['https://rp.example/bye'] })
    const { browser, email } = await person()
    await tokensOf(browser, shop)
    await browser.api.sessions.signOut()
    await waitTold()
    await browser.post('/sign-in/email', { email, password })
    const query = new URLSearchParams({ id_token_hint: told[0]?.token ?? '', post_logout_redirect_uri: 'https://rp.example/bye' })
    // The end-session endpoint asks the person, because the hint proves nothing.
    expect((await browser.request(`/oauth2/end-session?${query}`)).location).toContain('/sign-out?question=')
  })
})

describeOnBoth('a logout notice that an application does not answer', () => {
  test('a failed logout notice is sent again with a new logout token for each attempt, until the application accepts it', async () => {
    const shop = await shopOf()
    const { browser } = await person()
    await tokensOf(browser, shop)
    answers = [500, 302, 204]
    await browser.api.sessions.signOut()
    await waitTold(1)
    await vi.waitFor(
      async () =>
        expect((await noticesOf(`clientId=${shop.clientId}`))[0]).toMatchObject({
          ...{ state: 'waiting', attempts: 1, answer: 500, problem: 'the application answered 500' },
        }),
      60_000,
    )
    for (let attempt = 2; attempt <= 3; attempt += 1) {
      t.clock.advance({ minutes: 2 })
      await waitTold(attempt)
    }
    expect(await noticeOf(shop, 'delivered')).toMatchObject({ attempts: 3, answer: 204, problem: null })
    expect(told.map(({ path }) => path)).toEqual(['/logout', '/logout', '/logout'])
    const payloads = told.map(({ token }) => decodeJwt(token))
    expect(new Set(payloads.map(({ jti }) => jti)).size).toBe(3)
    expect(new Set(payloads.map(({ iat }) => iat)).size).toBe(3)
    await verified(told[2]?.token ?? '', shop)
  })

  test('an unanswered logout notice is given up after the last attempt, recorded as an event, and can be sent again', async () => {
    const shop = await shopOf()
    const { browser, userId } = await person()
    await tokensOf(browser, shop)
    answers = Array(10).fill(400)
    await browser.api.sessions.signOut()
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await waitTold(attempt)
      const tried = async () => (await noticesOf(`clientId=${shop.clientId}`))[0]
      await vi.waitFor(async () => expect(await tried()).toMatchObject({ attempts: attempt }), patient)
      t.clock.advance({ hours: 2 })
    }
    expect(await noticeOf(shop, 'failed')).toMatchObject({ attempts: 10, answer: 400 })
    const [event] = await t.app.core.db.knex('event').where({ type: 'client.logout_failed', subject_id: shop.clientId })
    expect(JSON.parse(event.data)).toMatchObject({ userId, attempts: 10, answer: 400 })
    const [task] = await t.app.core.db.knex('task').where({ kind: 'oidc.logout', label: shop.clientId })
    expect(await t.app.core.transact((tx) => t.app.core.queue.requeue(tx, task.id))).toBe(true)
    await waitTold(11)
    expect(await noticeOf(shop, 'delivered')).toMatchObject({ answer: 200 })
  })

  testOnBoth(
    'a logout notice is not sent to an internal address, to a deleted application, or to an application whose logout address was removed',
    async () => {
      const [inside, gone, without] = [
        await shopOf({ backchannelLogoutUri: 'https://10.0.0.1/x' }),
        await shopOf(),
        await shopOf(),
      ]
      const { browser } = await person()
      for (const application of [inside, gone, without]) await tokensOf(browser, application)
      const principal = systemPrincipal('test')
      // Neither node sends a notice before the applications have changed.
      await Promise.all([t.app.jobs.stop(), second.stop()])
      await browser.api.sessions.signOut()
      await t.app.oidc.applications.remove(principal, gone.clientId)
      await t.app.oidc.applications.update(principal, without.clientId, { backchannelLogoutUri: null })
      second = await t.node()
      expect(await noticeOf(without, 'dropped')).toMatchObject({ attempts: 0 })
      await vi.waitFor(
        async () => expect((await noticesOf(`clientId=${inside.clientId}`))[0]?.['problem']).toContain('private address'),
        patient,
      )
      expect(told).toEqual([])
      expect(await noticesOf(`clientId=${gone.clientId}`)).toEqual([])
    },
  )
})

test('a device authorized by a device code gets a logout notice when the session of its person ends', async () => {
  const tv = await shopOf({ type: 'native', redirectUris: [], deviceFlow: true })
  const { browser } = await person()
  const { json: asked } = await postForm(t, tv, '/oauth2/device', { scope: 'openid' })
  const { json: confirmed } = await browser.post('/oauth2/device/confirm', { userCode: asked['user_code'] })
  await goOn(browser, await browser.request(String(confirmed['redirectURI'])))
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: String(asked['device_code']) }
  const { status, json } = await postForm(t, tv, '/oauth2/token', grant)
  expect(status).toBe(200)
  await browser.api.sessions.signOut()
  await waitTold()
  expect((await verified(told[0]?.token ?? '', tv))['sid']).toBe(sidOf(json))
})

describe('sessions without a logout notice', () => {
  test('an application without a logout address gets no sid and no notice', async () => {
    const shop = await register(t)
    const { browser } = await person()
    expect(sidOf(await tokensOf(browser, shop))).toBeUndefined()
    await browser.api.sessions.signOut()
    expect(await noticesOf(`clientId=${shop.clientId}`)).toEqual([])
  })

  test('an application in the session of another browser is not notified', async () => {
    const shop = await shopOf()
    const { browser, email } = await person()
    const other = t.client()
    await other.post('/sign-in/email', { email, password })
    const kept = await tokensOf(browser, shop)
    const tokens = await tokensOf(other, shop)
    expect(sidOf(kept)).not.toBe(sidOf(tokens))
    await browser.post('/revoke-other-sessions', {})
    await waitTold()
    expect((await verified(told[0]?.token ?? '', shop))['sid']).toBe(sidOf(tokens))
  })

  test('only administrators of applications can read the list of logout notices', async () => {
    const { browser } = await person()
    expect((await browser.request('/admin/logout-notices')).status).toBe(403)
    expect((await t.client().request('/admin/logout-notices')).status).toBe(401)
  })
})
