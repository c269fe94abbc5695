import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { type Application, authorizePath, codeFor, goOn, postForm, queryOf, redeem, register } from './flow.ts'

const oidc = { rsaModulusLength: 2048 }
const logged: string[] = []
let t: TestApp
let consented: TestApp
let ann: Browser
beforeAll(async () => {
  t = await testApp({ config: { oidc }, onLog: (line) => logged.push(line) })
  consented = await testApp({ config: { oidc: { ...oidc, offlineAccess: 'consented' } }, onLog: (line) => logged.push(line) })
  ann = await t.signedIn('ann@example.com')
})
afterAll(async () => {
  await consented.stop()
  await t.stop()
})

const asking = { scope: 'openid offline_access' }
/** Whether a sign-in with these parameters ends with a refresh token. */
const lasts = async (browser: Browser, application: Application, params = {}, node = t): Promise<boolean> => {
  const { status, json } = await redeem(node, application, await codeFor(browser, application, { ...asking, ...params }))
  expect([status, json['scope']]).toEqual([200, json['refresh_token'] === undefined ? 'openid' : asking.scope])
  return json['refresh_token'] !== undefined
}
/** Path of the same request, pushed before. */
const pushedPath = async (node: TestApp, application: Application) => {
  const { status, json } = await postForm(node, application, '/oauth2/par', queryOf(authorizePath(application, asking)))
  expect(status).toBe(201)
  return `/oauth2/authorize?${new URLSearchParams({ client_id: application.clientId, request_uri: String(json['request_uri']) })}`
}
const lastsPushed = async (node: TestApp, browser: Browser, application: Application): Promise<boolean> => {
  const { code } = queryOf((await goOn(browser, await browser.request(await pushedPath(node, application)))).location)
  return (await redeem(node, application, code ?? '')).json['refresh_token'] !== undefined
}
const saidOf = ({ clientId }: Application) =>
  logged.filter((line) => line.includes('offline_access was left out') && line.includes(clientId))

test('an application with skipped consent gets a refresh token for offline_access without prompt=consent, with and without a pushed request', async () => {
  const own = await register(t, { skipConsent: true })
  expect([await lasts(ann, own), await lasts(ann, own, { prompt: 'none' }), await lastsPushed(t, ann, own)]).toEqual(
    Array(3).fill(true),
  )
  expect(saidOf(own)).toEqual([])
})

test('an application that asks for consent gets offline_access only with prompt=consent, and the log says once per client that the scope was left out', async () => {
  const shop = await register(t)
  expect([await lasts(ann, shop), await lastsPushed(t, ann, shop), await lasts(ann, shop)]).toEqual([false, false, false])
  expect(saidOf(shop)).toEqual([expect.stringContaining('prompt=consent')])
  expect(await lasts(ann, shop, { prompt: 'consent' })).toBe(true)
  // The consent is stored, but has no effect without the setting.
  expect(await lasts(ann, shop)).toBe(false)
  const narrow = await register(t, { scope: ['openid'], skipConsent: true })
  expect(await lasts(ann, narrow)).toBe(false)
  expect(saidOf(narrow)).toEqual([expect.stringContaining('not registered')])
})

test('with oidc.offlineAccess consented, a person consents to offline_access once, without prompt=consent', async () => {
  const shop = await register(consented)
  const bea = await consented.signedIn('bea@example.com')
  await codeFor(bea, shop)
  // Nobody has consented yet, and prompt=none must not ask.
  expect(await lasts(bea, shop, { prompt: 'none' }, consented)).toBe(false)
  expect(saidOf(shop)).toHaveLength(1)
  const asked = await bea.request(authorizePath(shop, asking))
  expect(asked.location).toMatch(/^\/consent\?/)
  expect(queryOf((await goOn(bea, asked, false)).location)['error']).toBe('access_denied')
  expect([
    await lasts(bea, shop, {}, consented),
    await lasts(bea, shop, { prompt: 'none' }, consented),
    await lastsPushed(consented, bea, shop),
  ]).toEqual(Array(3).fill(true))
  expect(queryOf((await bea.request(authorizePath(shop, asking))).location)['code']).toBeDefined()
})
