/** Applications that ask for scopes they cannot have (RFC 6749, sections 3.3 and 5.1). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { type Application, authorizePath, codeFor, type Params, postForm, queryOf, redeem, refresh, register } from './flow.ts'

let t: TestApp
let ann: Browser
beforeAll(async () => {
  t = await testApp()
  ann = await t.signedIn('ann@example.com')
})
afterAll(() => t.stop())

const ask = async (application: Application, params: Params) =>
  queryOf((await ann.request(authorizePath(application, params))).location)
const push = async (application: Application, params: Params) => {
  const { client_id, ...rest } = queryOf(authorizePath(application, params))
  return (await postForm(t, application, '/oauth2/par', { client_id, ...rest })).json
}
const machineAsks = async (application: Application, scope: string) =>
  (await postForm(t, application, '/oauth2/token', { grant_type: 'client_credentials', scope })).json

describe('a client whose unavailable scopes are refused', () => {
  test('the error for unavailable scopes names the scopes and the setting that ignores unavailable scopes, also in a pushed request', async () => {
    const narrow = await register(t, { scope: ['openid', 'email'] })
    const description =
      'The following scopes are invalid: profile, api; oidc.unknownScopes or --unknown-scopes of the client can have them left out'
    const params = { scope: 'openid profile email api' }
    expect(await ask(narrow, params)).toMatchObject({
      error: 'invalid_scope',
      error_description: description,
      scope: 'profile api',
    })
    expect(await push(narrow, params)).toMatchObject({ error: 'invalid_scope', error_description: description })
  })

  test('a request with an unavailable scope is not redirected to an unregistered address', async () => {
    const narrow = await register(t, { scope: ['openid'] })
    const { location } = await ann.request(authorizePath(narrow, { scope: 'openid api', redirect_uri: 'https://evil.example/' }))
    expect(location).toMatch(/^\/error\?/)
  })

  test('a machine that requests unavailable scopes for itself is refused', async () => {
    const machine = await register(t, { type: 'machine', redirectUris: [] })
    expect(await machineAsks(machine, 'email api')).toMatchObject({
      error: 'invalid_scope',
      error_description: expect.stringContaining('invalid: api;'),
    })
  })
})

describe('a client registered to ignore unavailable scopes', () => {
  const ignoring = (scope: readonly string[]) => register(t, { scope, unknownScopes: 'ignore' })

  test('a client that ignores unavailable scopes gets the available scopes, and the response lists them', async () => {
    const narrow = await ignoring(['openid', 'offline_access'])
    const scope = 'openid email api offline_access'
    const code = await codeFor(ann, narrow, { scope, prompt: 'consent' })
    const { json } = await redeem(t, narrow, code)
    expect(json['scope']).toBe('openid offline_access')
    expect((await refresh(t, narrow, json['refresh_token'], { scope })).json['scope']).toBe('openid offline_access')
  })

  test('a pushed request with unavailable scopes gets the available scopes, or openid if none is available', async () => {
    const narrow = await ignoring(['openid', 'email'])
    for (const [scope, given] of [
      ['openid email api', 'openid email'],
      ['api', 'openid'],
    ] as const) {
      const { request_uri } = await push(narrow, { scope })
      const pushed = { client_id: narrow.clientId, request_uri: String(request_uri) }
      const path = `/oauth2/authorize?${new URLSearchParams(pushed)}`
      await codeFor(ann, narrow, { scope: 'openid email' })
      const { code } = queryOf((await ann.request(path)).location)
      expect((await redeem(t, narrow, code ?? '')).json['scope']).toBe(given)
    }
  })

  test('a machine that ignores unavailable scopes gets the available scopes, and an error if none is available', async () => {
    const machine = await register(t, { type: 'machine', redirectUris: [], unknownScopes: 'ignore' })
    expect((await machineAsks(machine, 'email api'))['scope']).toBe('email')
    expect((await machineAsks(machine, 'api'))['error']).toBe('invalid_scope')
  })

  test("a client's own choice about unavailable scopes overrides every value of oidc.unknownScopes", async () => {
    const lax = await t.node({ oidc: { unknownScopes: 'ignore' } })
    const [strict, plain] = [await register(t, { unknownScopes: 'refuse' }), await register(t)]
    const errorAt = async (application: Application) =>
      queryOf((await lax.client().request(authorizePath(application, { scope: 'openid api' }))).location)['error']
    expect([await errorAt(strict), await errorAt(plain)]).toEqual(['invalid_scope', undefined])
    await lax.stop()
  })
})

test('a grant type that the client is not registered for is answered with unauthorized_client', async () => {
  const [shop, machine] = [await register(t), await register(t, { type: 'machine', redirectUris: [] })]
  const asked = await postForm(t, shop, '/oauth2/token', { grant_type: 'client_credentials' })
  expect([asked.status, asked.json]).toEqual([
    400,
    { error: 'unauthorized_client', error_description: 'the client is not registered for client_credentials' },
  ])
  const code = await postForm(t, machine, '/oauth2/token', { grant_type: 'authorization_code', code: 'x' })
  expect(code.json['error']).toBe('unauthorized_client')
  const unknown = await postForm(t, shop, '/oauth2/token', { grant_type: 'password' })
  expect(unknown.json['error']).toBe('unsupported_grant_type')
})
