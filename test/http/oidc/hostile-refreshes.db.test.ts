/** Refused refreshes: of a client that authenticates by its key, and of a public client whose refresh token is bound to a key. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import type { TestApp } from '../../support/app.ts'
import type { Client as Browser, Json } from '../../support/client.ts'
import { codeFor, offline, type Params, register } from './flow.ts'
import {
  attempt,
  hostileApp,
  hostileAssertions,
  hostileForms,
  hostileProofs,
  type Pairs,
  refusalOf,
  type Target,
} from './hostile.ts'
import { clientKey, codeForm } from './proofs.ts'

let t: TestApp
let ann: Browser
/** A client with a key, and a public client. */
let shop: Target
let page: Target
let hostile: Awaited<ReturnType<typeof hostileApp>>

/** The tokens of a new sign-in to the client. */
const signIn = async (target: Target, browser = ann, params: Params = offline): Promise<Json> => {
  const code = await codeFor(browser, { clientId: target.clientId, secret: undefined }, params)
  return (await attempt({ ...target, form: codeForm(code) })).json
}
const formOf = (tokens: Json): Params => ({ grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']) })
const renew = async (target: Target, form: Params = {}) => attempt({ ...target, form: { ...target.form, ...form } })

beforeAll(async () => {
  hostile = await hostileApp({ authMethod: 'private_key_jwt' })
  t = hostile.t
  ann = await t.signedIn('ann@example.com')
  const spa = await register(t, { name: 'Page', type: 'spa' })
  shop = { ...hostile.target, form: {} }
  shop = { ...shop, form: formOf(await signIn(shop)) }
  page = { ...hostile.target, clientId: spa.clientId, key: undefined, form: {} }
  page = { ...page, form: formOf(await signIn(page)) }
})
afterAll(() => hostile.stop())

test.each(hostileAssertions)('a client assertion %s refreshes no token', async (_, make, error) => {
  expect(refusalOf(await attempt(shop, { assertion: await make(shop) }))).toBe(error)
})

test.each(hostileForms)('a request %s refreshes no token', async (_, make, error) => {
  expect(refusalOf(await attempt(shop, await make(shop)))).toBe(error)
})

test.each(hostileProofs)('a DPoP proof %s refreshes no token of a public client', async (_, make, error) => {
  expect(refusalOf(await attempt(page, { proof: await make(page) }))).toBe(error)
})

test.each<[string, () => Promise<string | undefined> | undefined]>([
  ['no proof', () => undefined],
  ['an empty proof', async () => ''],
])('%s refreshes no token of a public client whose token is bound to a DPoP key', async (_, make) => {
  expect(refusalOf(await attempt(page, { proof: await make() }))).toBe('invalid_grant')
})

test('a DPoP proof of another key refreshes no token of a public client', async () => {
  expect(refusalOf(await attempt({ ...page, proofKey: await clientKey() }))).toBe('invalid_grant')
})

describe('hostile refresh tokens', () => {
  const values: readonly (readonly [string, (token: string) => string | undefined, string])[] = [
    ['that is missing', () => undefined, 'invalid_request'],
    ['that is empty', () => '', 'invalid_request'],
    ['that is unknown', () => 'x'.repeat(43), 'invalid_grant'],
    ['that is cut', (token) => token.slice(0, -1), 'invalid_grant'],
    ['that is longer', (token) => `${token}A`, 'invalid_grant'],
    ['with a space before it', (token) => ` ${token}`, 'invalid_grant'],
    ['with a zero byte behind it', (token) => `${token}\0`, 'invalid_grant'],
    ['with a line behind it', (token) => `${token}\r\n`, 'invalid_grant'],
    ['that is a statement', () => "' OR '1'='1", 'invalid_grant'],
    ['with the mark of a name before it', (token) => `#${token}`, 'invalid_grant'],
    ['with a dot before it', (token) => `.${token}`, 'invalid_grant'],
    ['of the form of a JWT', (token) => `a.${token}.b`, 'invalid_grant'],
    ['of a hundred thousand letters', () => 'x'.repeat(100_000), 'invalid_request'],
  ]
  test.each(values)('a refresh token %s gives no tokens', async (_, change, error) => {
    expect(refusalOf(await renew(shop, { refresh_token: change(String(shop.form['refresh_token'])) }))).toBe(error)
  })

  const requests: readonly (readonly [string, Params, string])[] = [
    ['for a scope that was not agreed to', { scope: 'openid email' }, 'invalid_scope'],
    ['for an unknown scope', { scope: 'openid everything' }, 'invalid_scope'],
    ['for a scope in capitals', { scope: 'OPENID' }, 'invalid_scope'],
    ['for an unknown API', { resource: 'https://nobody.example' }, 'invalid_target'],
    ['for an API by no address', { resource: 'nobody' }, 'invalid_target'],
    [
      'as a code',
      { grant_type: 'authorization_code', code: 'itself', redirect_uri: 'https://rp.example/callback' },
      'invalid_grant',
    ],
    ['of a device', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'itself' }, 'unauthorized_client'],
    ['of a machine', { grant_type: 'client_credentials' }, 'unauthorized_client'],
  ]
  test.each(requests)('a refresh token is refused in a request %s', async (_, form, error) => {
    expect(refusalOf(await renew(shop, form))).toBe(error)
  })

  test.each(['refresh_token', 'scope'])('a request with a refresh token and %s twice is refused', async (name) => {
    const form = (pairs: Pairs) => [
      ...pairs,
      ['scope', 'openid'] as const,
      ...pairs.filter(([one]) => one === name),
      ...(name === 'scope' ? [['scope', 'openid'] as const] : []),
    ]
    expect(refusalOf(await attempt(shop, { form }))).toBe('invalid_request')
  })

  test("a code, an access token, an ID token and another client's refresh token are not accepted as refresh tokens", async () => {
    const tokens = await signIn(shop)
    const code = await codeFor(ann, { clientId: shop.clientId, secret: undefined }, offline)
    for (const one of [code, tokens['access_token'], tokens['id_token'], page.form['refresh_token']])
      expect(refusalOf(await renew(shop, { refresh_token: String(one) }))).toBe('invalid_grant')
    const theirs = { ...shop, ...shop.other }
    expect(refusalOf(await renew(theirs, formOf(tokens)))).toBe('invalid_grant')
    expect(refusalOf(await renew(page, formOf(tokens)))).toBe('invalid_grant')
    expect((await renew(shop, formOf(tokens))).status).toBe(200)
  })

  const ends: readonly (readonly [string, (target: Target, tokens: Json, browser: Browser) => Promise<unknown>])[] = [
    [
      'that its client has revoked',
      (target, tokens) =>
        attempt({ ...target, proofKey: undefined, path: '/oauth2/revoke', form: { token: String(tokens['refresh_token']) } }),
    ],
    [
      'whose access token is revoked with its authorization',
      (target, tokens) =>
        attempt({
          ...target,
          proofKey: undefined,
          path: '/oauth2/revoke',
          form: { token: String(tokens['refresh_token']), token_type_hint: 'access_token' },
        }),
    ],
    [
      'whose application the person has removed',
      ({ clientId }, _, browser) => browser.api.connected.removeConnectedApplication({ body: { clientId } }),
    ],
    [
      'of a person who is gone',
      async (_, __, browser) =>
        t.app.core.db
          .knex('user')
          .where({ id: (await browser.api.sessions.getSession())?.user.id })
          .delete(),
    ],
    ['that is a week old', async () => t.clock.advance({ days: 8 })],
    [
      'that was used, and whose successor was used',
      async (target, tokens) => {
        const next = await renew(target, formOf(tokens))
        await renew(target, formOf(next.json))
        t.clock.advance({ minutes: 5 })
      },
    ],
  ]
  test.each(ends)('a refresh token %s gives no tokens, whether or not the client has a secret', async (title, end) => {
    for (const target of [shop, page]) {
      const browser = await t.signedIn(`${title.replace(/\W+/g, '-')}-${target.clientId}@example.com`.slice(-60))
      const tokens = await signIn(target, browser)
      await end(target, tokens, browser)
      expect(refusalOf(await renew(target, formOf(tokens)))).toBe('invalid_grant')
    }
  })

  test('a refresh token of a disabled client gives no tokens until the client is enabled', async () => {
    const set = (disabled: boolean) => t.app.oidc.applications.update(systemPrincipal('test'), shop.clientId, { disabled })
    const tokens = await signIn(shop, await t.signedIn('later@example.com'))
    await set(true)
    expect(refusalOf(await renew(shop, formOf(tokens)))).toBe('invalid_client')
    await set(false)
    expect((await renew(shop, formOf(tokens))).status).toBe(200)
  })
})

test('the valid refreshes behind the hostile variants succeed, and no internal address was called', async () => {
  for (const target of [shop, page]) {
    const tokens = await signIn(target, await t.signedIn(`${target.clientId.slice(0, 8).toLowerCase()}@last.example`))
    expect((await renew(target, formOf(tokens))).json).toMatchObject({ token_type: 'DPoP', refresh_token: expect.any(String) })
  }
  expect(hostile.inside.asked).toEqual([])
})
