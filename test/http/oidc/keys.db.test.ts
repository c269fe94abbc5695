import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { type Application, codeFor, redeem, register } from './flow.ts'

let t: TestApp
let other: TestApp
let shop: Application
let ann: Browser
const config = { oidc: { rsaModulusLength: 2048, keyOverlapSeconds: 3600, keySkewSeconds: 60 } }
beforeAll(async () => {
  t = await testApp({ config })
  other = await t.node()
  shop = await register(t)
  ann = await t.signedIn('ann@example.com')
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

const fetchKeys = async (node: TestApp) => (await node.client().request('/jwks')).json as unknown as JSONWebKeySet
const idTokenOf = async (node: TestApp) => String((await redeem(node, shop, await codeFor(ann, shop))).json['id_token'])
const kidOf = (token: string) => decodeProtectedHeader(token).kid
const verify = async (token: string, keys: JSONWebKeySet) => {
  await jwtVerify(token, createLocalJWKSet(keys), { issuer: t.url, audience: shop.clientId, currentDate: new Date() })
}
const stateOf = async (alg: string) => (await t.app.oidc.keys.list()).filter((key) => key.alg === alg).map(({ state }) => state)

describeOnBoth('signing keys', () => {
  testOnBoth('signing keys are created once at the first start, even when two nodes start together', async () => {
    const fresh = await testApp({ config })
    const nodes = await Promise.all([fresh.node(), fresh.node(), fresh.node()])
    const kids = await Promise.all(
      [fresh, ...nodes].map(async (node) => (await fetchKeys(node)).keys.map((key) => key.kid).join()),
    )
    expect(new Set(kids).size).toBe(1)
    for (const node of nodes) await node.stop()
    await fresh.stop()
  })

  test('the key set contains one public key for each algorithm, with its thumbprint as key id', async () => {
    const { keys } = await fetchKeys(t)
    expect(keys.map(({ alg, use }) => [alg, use]).sort()).toEqual([
      ['ES256', 'sig'],
      ['EdDSA', 'sig'],
      ['PS256', 'sig'],
      ['RS256', 'sig'],
    ])
    for (const key of keys) {
      expect(key.kid).toMatch(/^[\w-]{43}$/)
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(secret)
    }
  })

  testOnBoth(
    'a rotation under traffic on two nodes issues no token that an application with a cached key set cannot verify',
    async () => {
      const old = kidOf(await idTokenOf(t))
      // An application that caches the key set for as long as allowed, here a quarter of an hour.
      let cached = await fetchKeys(t)
      let cachedAt = Date.now()
      let checked = 0
      const signers = new Set<string | undefined>()
      const traffic = async (node: TestApp) => {
        if (Date.now() - cachedAt > 900_000) {
          cached = await fetchKeys(node)
          cachedAt = Date.now()
        }
        const token = await idTokenOf(node)
        await verify(token, cached)
        signers.add(kidOf(token))
        checked += 1
      }
      await traffic(t)
      await traffic(other)
      await t.app.oidc.keys.rotate(systemPrincipal('test'))
      await expect.poll(async () => (await fetchKeys(other)).keys.length).toBe(8)
      expect(await stateOf('RS256')).toEqual(['signing', 'next'])
      expect([...signers]).toEqual([old])

      const beforeSwitch = await idTokenOf(t)
      for (let minutes = 0; minutes < 150; minutes += 10) {
        await Promise.all([traffic(t), traffic(other)])
        t.clock.advance({ minutes: 10 })
      }
      expect(checked).toBe(32)
      expect(signers.size).toBe(2)
      expect(kidOf(await idTokenOf(t))).not.toBe(old)
      expect(kidOf(await idTokenOf(other))).toBe(kidOf(await idTokenOf(t)))
      // A token for an API may be valid for a day. After that no token of the old keys is valid, and they are no longer published.
      t.clock.advance({ hours: 24 })
      // The task may have deleted them already.
      expect((await stateOf('RS256')).filter((state) => state !== 'retired')).toEqual(['signing'])
      expect((await fetchKeys(other)).keys.map((key) => key.kid)).not.toContain(old)
      await expect(verify(beforeSwitch, await fetchKeys(t))).rejects.toThrow()
    },
  )

  testOnBoth(
    'a rotation of signing keys fails while another rotation is under way, and two simultaneous rotations start one',
    async () => {
      const results = await Promise.allSettled([
        t.app.oidc.keys.rotate(systemPrincipal('test')),
        other.app.oidc.keys.rotate(systemPrincipal('test')),
      ])
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      await expect(t.app.oidc.keys.rotate(systemPrincipal('test'))).rejects.toMatchObject({ code: 'KEY_ROTATION_IS_UNDER_WAY' })
      expect((await t.app.oidc.keys.list()).filter((key) => key.state === 'next')).toHaveLength(4)
    },
  )

  test('codes and interactions stay valid through a rotation of the signing keys', async () => {
    const code = await codeFor(ann, shop)
    t.clock.advance({ seconds: 300 })
    expect((await redeem(t, shop, code)).status).toBe(200)
  })

  test('the server is ready only once the signing keys exist', async () => {
    expect((await t.client().request('/readyz')).status).toBe(200)
  })
})

describe('public documents', () => {
  test.each(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/jwks'])(
    'the document %s is served from memory, may be cached, and is readable by pages of any origin',
    async (path) => {
      const first = await t
        .client()
        .request(path, { headers: { origin: 'https://any.example', 'x-forwarded-host': 'evil.example' } })
      expect(first.status).toBe(200)
      expect(first.text).not.toContain('evil')
      expect(first.headers.get('cache-control')).toBe('public, max-age=300')
      expect(first.headers.get('access-control-allow-origin')).toBe('*')
      expect(first.headers.get('x-content-type-options')).toBe('nosniff')
      const again = await t.client().request(path, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
      expect([again.status, again.text]).toEqual([304, ''])
      const preflight = await t
        .client()
        .request(path, { method: 'OPTIONS', headers: { origin: 'https://any.example', 'access-control-request-method': 'GET' } })
      expect(preflight.status).toBe(204)
    },
  )

  test('discovery announces only enabled features', async () => {
    const { json } = await t.client().request('/.well-known/openid-configuration')
    expect(json['issuer']).toBe(t.url)
    expect(json).not.toHaveProperty('backchannel_authentication_endpoint')
    for (const [name, value] of Object.entries(json)) {
      if (!name.endsWith('_endpoint') && name !== 'jwks_uri') continue
      const path = String(value).slice(t.url.length)
      const [got, posted] = [await t.client().request(path), await t.client().request(path, { method: 'POST' })]
      expect(
        [got.status, posted.status].some((status) => status !== 404),
        `${name} ${path}`,
      ).toBe(true)
    }
  })
})
