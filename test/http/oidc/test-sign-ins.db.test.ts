/** Test sign-ins of administrators to an application: what the tests show, and that nobody else can use their codes. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import type { ApiError } from '../../../src/http/client.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Answer, Client } from '../../support/client.ts'
import { type Application, authorizePath, codeFor, goOn, postForm, queryOf, redeem, register, verifier } from './flow.ts'

let t: TestApp
let admin: Client
let application: Application
beforeAll(async () => {
  t = await testApp()
  admin = await signedInAs(t, 'admin')
  application = await register(t, { scope: ['openid', 'profile', 'email'] })
})
afterAll(() => t.stop())

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: ApiError) => `${error.status} ${error.code}`,
  )
const start = (by = admin, { clientId } = application) => by.api.applications.startTestSignIn({ params: { clientId } })
const finish = (id: string, code: string, by = admin) => by.api.applications.finishTestSignIn({ params: { id }, body: { code } })
const pathOf = (url: string) => url.slice(t.url.length)
const callback = () => `${t.url}/admin/test-sign-in/callback`
/** Opens the address in a browser and consents. */
const opens = async (url: string, by = admin): Promise<Answer> => goOn(by, await by.request(pathOf(url)))
/** A started test, with the code that the browser returned with. */
const tested = async () => {
  const { id, url } = await start()
  const { location } = await opens(url)
  return { id, url, code: queryOf(location)['code'] ?? '', location }
}
const isRefused = (answer: Answer) => {
  expect(answer.location).toMatch(/^\/error\?/)
  expect(queryOf(answer.location)['error']).toBe('invalid_redirect_uri')
}
const codes = () => t.app.core.db.knex('oidc_artifact').where({ kind: 'AuthorizationCode' })

test('a test sign-in shows the claims that the application would get, and uses up the code without a token', async () => {
  const { id, location, code } = await tested()
  expect(location?.startsWith(`${callback()}?`)).toBe(true)
  expect(queryOf(location)['state']).toBe(id)
  const found = await finish(id, code)
  expect(found).toMatchObject({
    ...{ clientId: application.clientId, scopes: ['openid', 'profile', 'email'], organization: null, isPartial: false },
    ...{ amr: ['pwd'], acr: expect.any(String), authenticatedAt: expect.any(Date) },
  })
  const claims = Object.fromEntries(found.claims.map(({ name, value }) => [name, value]))
  expect(claims).toMatchObject({ sub: found.user.id, email: found.user.email })
  expect(await t.app.core.db.knex('oidc_artifact').whereIn('kind', ['AccessToken', 'RefreshToken'])).toEqual([])
  expect(await codes()).toEqual([])
  expect(await codeOf(finish(id, code))).toBe('404 TEST_SIGN_IN_NOT_FOUND')
})

test("a test sign-in shows the person's refusal as the application would receive it", async () => {
  const other = await register(t, { scope: ['openid', 'profile', 'email'] })
  const { id, url } = await start(admin, other)
  const { location } = await goOn(admin, await admin.request(pathOf(url)), false)
  expect(location?.startsWith(`${callback()}?`)).toBe(true)
  expect(queryOf(location)).toMatchObject({ error: 'access_denied', state: id })
})

describe('test sign-ins of applications whose requests have to be pushed or signed', () => {
  test.each<[string, Parameters<typeof register>[1]]>([
    ['pushed', { requirePushedAuthorizationRequests: true }],
    ['signed', { requireSignedRequestObject: true, jwksUri: 'https://rp.example/jwks' }],
  ])('a test sign-in of %s pushes the request itself, and its address gives a code to nobody else', async (_, metadata) => {
    const strict = await register(t, { scope: ['openid', 'email'], ...metadata })
    const own = await start(admin, strict)
    const { location } = await opens(own.url)
    expect(await finish(own.id, queryOf(location)['code'] ?? '')).toMatchObject({ scopes: ['openid', 'email'] })
    isRefused(await admin.request(pathOf(own.url)))
    const lure = await start(admin, strict)
    const victim = await t.signedIn(`victim-${strict.clientId}@example.com`)
    isRefused(await victim.request(pathOf(lure.url)))
    const { request_uri } = queryOf(lure.url)
    for (const state of [undefined, own.id]) {
      const query = { client_id: strict.clientId, request_uri: String(request_uri), ...(state === undefined ? {} : { state }) }
      isRefused(await victim.request(`/oauth2/authorize?${new URLSearchParams(query)}`))
      isRefused(await admin.request(`/oauth2/authorize?${new URLSearchParams(query)}`))
    }
  })
})

describe('the redirect address of test sign-ins', () => {
  test('an application cannot request the redirect address of test sign-ins, whoever is signed in', async () => {
    for (const browser of [admin, await t.signedIn('victim@example.com'), t.client()])
      isRefused(await browser.request(authorizePath(application, { redirect_uri: callback() })))
    const { id } = await start()
    isRefused(await admin.request(authorizePath(application, { redirect_uri: callback(), state: id })))
    const query = new URLSearchParams({
      client_id: application.clientId,
      redirect_uri: callback(),
      state: id,
      response_type: 'code',
    })
    // No page resumes this request. The library would redirect to the address in the request.
    isRefused(await t.client().request(`/oauth2/authorize/${'a'.repeat(21)}?${query}`))
    isRefused(await admin.request(authorizePath(application, { redirect_uri: callback(), state: '\u0000' })))
    const pushed = await postForm(t, application, '/oauth2/par', {
      ...{ client_id: application.clientId, response_type: 'code', redirect_uri: callback(), scope: 'openid', state: id },
      ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
    })
    expect(pushed.status).toBe(400)
    expect(pushed.json).toMatchObject({ error: 'invalid_request', error_description: expect.stringContaining('redirect_uri') })
  })

  test('the request of a test sign-in works only unchanged, without other parameters', async () => {
    const own = createHash('sha256').update(verifier).digest('base64url')
    const other = await register(t)
    for (const change of [
      (url: URL) => url.searchParams.set('code_challenge', own),
      (url: URL) => url.searchParams.set('client_id', other.clientId),
      (url: URL) => url.searchParams.set('scope', 'openid offline_access'),
      (url: URL) => url.searchParams.append('prompt', 'none'),
      (url: URL) => url.searchParams.append('response_mode', 'form_post'),
      (url: URL) => url.searchParams.set('redirect_uri', `${callback()}/more`),
      (url: URL) => url.searchParams.set('redirect_uri', 'https://attacker.example/callback'),
    ]) {
      const url = new URL((await start()).url)
      change(url)
      isRefused(await admin.request(`${url.pathname}${url.search}`))
    }
  })

  test('the address of a test sign-in works once, within ten minutes, in the session that began the test sign-in', async () => {
    const used = await start()
    await opens(used.url)
    isRefused(await admin.request(pathOf(used.url)))
    const victim = await t.signedIn('lured@example.com')
    const lure = await start()
    isRefused(await victim.request(pathOf(lure.url)))
    isRefused(await t.client().request(pathOf(lure.url)))
    const second = t.client()
    await second.post('/sign-in/email', { email: 'admin@staff.example', password })
    isRefused(await second.request(pathOf(lure.url)))
    const late = await start()
    t.clock.advance({ minutes: 11 })
    isRefused(await admin.request(pathOf(late.url)))
    expect(await codes().where('payload', 'like', '%attacker%')).toEqual([])
  })

  test('neither the application nor a thief can redeem the code of a test sign-in', async () => {
    const { code } = await tested()
    for (const more of [{ code_verifier: verifier }, { code_verifier: undefined }, { code_verifier: 'a'.repeat(43) }]) {
      const answer = await redeem(t, application, code, { redirect_uri: callback(), ...more })
      expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_grant'])
      expect(answer.json['access_token']).toBeUndefined()
    }
  })

  test('the code of a test sign-in cannot be redeemed even for an application without PKCE', async () => {
    const relaxed = await register(t, { pkce: 'optional', scope: ['openid'] })
    const { url } = await start(admin, relaxed)
    const code = queryOf((await opens(url)).location)['code'] ?? ''
    const answer = await redeem(t, relaxed, code, { redirect_uri: callback(), code_verifier: undefined })
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_grant'])
  })
})

describeOnBoth('the result of a test sign-in', () => {
  test("an application's own code is refused as the result of a test sign-in, and stays valid", async () => {
    const { id } = await tested()
    const code = await codeFor(admin, application)
    expect(await codeOf(finish(id, code))).toBe('404 TEST_SIGN_IN_NOT_FOUND')
    expect((await redeem(t, application, code)).status).toBe(200)
  })

  test('another administrator, or the code of another test sign-in, cannot complete a test sign-in', async () => {
    const colleague = await signedInAs(t, 'admin', 'colleague@staff.example')
    const one = await tested()
    const other = await tested()
    expect(await codeOf(finish(one.id, one.code, colleague))).toBe('404 TEST_SIGN_IN_NOT_FOUND')
    expect(await codeOf(finish('nothing', one.code))).toBe('404 TEST_SIGN_IN_NOT_FOUND')
    expect(await codeOf(finish(one.id, 'nothing'))).toBe('404 TEST_SIGN_IN_NOT_FOUND')
    expect(await codeOf(finish(one.id, other.code))).toBe('done')
  })

  testOnBoth('of two simultaneous requests one completes a test sign-in', async () => {
    const { id, code } = await tested()
    const outcomes = await Promise.all([1, 2, 3].map(() => codeOf(finish(id, code))))
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1)
  })

  test('a test sign-in that nobody opened cannot be completed', async () => {
    const { id } = await start()
    const code = await codeFor(admin, application)
    expect(await codeOf(finish(id, code))).toBe('404 TEST_SIGN_IN_NOT_FOUND')
  })
})

test('machines and callers without the permission to change applications cannot begin a test sign-in', async () => {
  const auditor = await signedInAs(t, 'auditor')
  expect(await codeOf(start(auditor))).toBe('403 FORBIDDEN')
  expect(await codeOf(start(t.client()))).toBe('401 UNAUTHORIZED')
  const machine = await register(t, { type: 'machine', redirectUris: [], permissions: ['clients:read'] })
  expect(await codeOf(start(admin, machine))).toBe('409 SIGN_IN_CANNOT_BE_TESTED')
  expect(await codeOf(start(admin, { clientId: 'nobody', secret: undefined }))).toBe('404 APPLICATION_NOT_FOUND')
})
