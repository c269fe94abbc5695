import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signedIn('root@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
})
afterAll(() => t.stop())

test('the signing keys are listed without their private half', async () => {
  const { keys } = await admin.api.signingKeys.listSigningKeys()
  expect(keys.map(({ alg, state }) => ({ alg, state }))).toEqual(
    expect.arrayContaining(['RS256', 'PS256', 'ES256', 'EdDSA'].map((alg) => ({ alg, state: 'signing' }))),
  )
  expect(Object.keys((await admin.request('/admin/signing-keys')).json)).toEqual(['keys', 'cachedSeconds'])
  expect((await admin.request('/admin/signing-keys')).text).not.toMatch(/"(d|p|q|privateKey|publicKey|n|x)"/)
})

testOnBoth(
  'a rotation of signing keys publishes the next keys and is recorded, and of two simultaneous rotations one is refused',
  async () => {
    const both = await Promise.allSettled([admin.api.signingKeys.rotateSigningKeys(), admin.api.signingKeys.rotateSigningKeys()])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(admin.api.signingKeys.rotateSigningKeys()).rejects.toMatchObject({
      ...{ status: 409, code: 'KEY_ROTATION_IS_UNDER_WAY', message: expect.stringContaining('rotate again after that') },
    })
    const { keys } = await admin.api.signingKeys.listSigningKeys()
    expect(keys.filter(({ state }) => state === 'next')).toHaveLength(4)
    const { id: actorId } = await t.app.users.require(t.app.core.db, 'root@example.com')
    expect(await t.app.audit.list({ type: 'keys.rotated' }, 10)).toMatchObject([{ actorKind: 'user', actorId }])
  },
)

test('a rotation of signing keys requires a recent sign-in', async () => {
  t.clock.advance({ hours: 25 })
  await expect(admin.api.signingKeys.rotateSigningKeys()).rejects.toMatchObject({ code: 'SESSION_IS_NOT_FRESH' })
})
