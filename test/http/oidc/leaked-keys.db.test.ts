/** A leaked signing key is withdrawn at once, on every node. */
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { testOnBoth } from '../../support/both-databases.ts'
import { outcome } from '../../support/passkeys.ts'
import { operator } from '../organizations/people.ts'
import { type Application, codeFor, redeem, register } from './flow.ts'

let t: TestApp
let other: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048, documentCacheSeconds: 120 } } })
  other = await t.node()
  shop = await register(t)
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

const keySet = async (node: TestApp) => (await node.client().request('/jwks')).json as unknown as JSONWebKeySet
const kidsOf = (keys: JSONWebKeySet) => keys.keys.map(({ kid }) => kid).toSorted()
const verify = (token: string, keys: JSONWebKeySet) =>
  jwtVerify(token, createLocalJWKSet(keys), { issuer: t.url, audience: shop.clientId, currentDate: new Date() })

testOnBoth(
  'a withdrawn signing key leaves the key set at once and verifies nothing, and a new key signs new tokens, even during a rotation',
  async () => {
    const ann = await t.signedIn('ann@example.com')
    const idToken = async (node: TestApp) => String((await redeem(node, shop, await codeFor(ann, shop))).json['id_token'])
    const old = await idToken(t)
    await t.app.oidc.keys.rotate(operator)
    await vi.waitFor(async () => expect((await keySet(t)).keys).toHaveLength(8), 60_000)
    const before = await keySet(t)

    await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
    const answer = await ann.post('/admin/signing-keys/revoke')
    expect(answer.json['cachedSeconds']).toBe(120)
    const states = (answer.json['keys'] as { state: string }[]).map(({ state }) => state).toSorted()
    expect(states).toEqual([...Array(8).fill('retired'), ...Array(4).fill('signing')])

    for (const node of [t, other])
      await vi.waitFor(async () => {
        const now = await keySet(node)
        expect(now.keys).toHaveLength(4)
        expect(kidsOf(now).filter((kid) => kidsOf(before).includes(kid))).toEqual([])
      }, 60_000)
    const now = await keySet(t)
    await expect(verify(old, now)).rejects.toThrow()
    const fresh = await idToken(t)
    expect(kidsOf(now)).toContain(decodeProtectedHeader(fresh).kid)
    await verify(fresh, now)
    expect(await t.app.audit.list({ type: 'keys.revoked' }, 10)).toMatchObject([
      { actorKind: 'user', data: { keyIds: expect.any(Array) } },
    ])
  },
)

testOnBoth(
  'of two simultaneous withdrawals of signing keys one succeeds, and a session without recent sign-in cannot withdraw signing keys',
  async () => {
    const both = await Promise.allSettled([t.app.oidc.keys.revoke(operator), t.app.oidc.keys.revoke(operator)])
    expect(both.map(({ status }) => status)).toContain('fulfilled')
    expect((await keySet(t)).keys.length).toBeGreaterThan(0)
    const admin = await t.signedIn('root@example.com')
    await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
    t.clock.advance({ hours: 25 })
    expect(outcome(await admin.post('/admin/signing-keys/revoke'))).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  },
)
