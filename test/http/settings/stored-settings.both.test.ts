import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
let other: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp({ env: { GATEHOUSE_SESSIONS_UPDATE_AGE_SECONDS: '3600' } })
  other = await t.node()
  admin = await t.signedIn('root@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
})
afterAll(async () => {
  await other?.stop()
  await t?.stop()
})

const signUp = (app: TestApp, email: string, given: string) =>
  app.client().post('/sign-up/email', { email, name: 'Ann', password: given }, { origin: t.url })

test('a setting that one node stores holds there at once, and within a second on another', async () => {
  const { isApplied, changes } = await admin.api.settings.updateSettings({ body: { set: { 'password.minLength': 20 } } })
  expect({ isApplied, changes }).toEqual({
    isApplied: true,
    changes: [
      {
        ...{ key: 'password.minLength', isSecret: false, before: null, after: 20 },
        ...{ wasStored: false, isStored: true, lowersSecurity: false },
      },
    ],
  })
  expect(await signUp(t, 'short@example.com', 'a long enough one')).toMatchObject({ status: 400 })
  await vi.waitFor(
    async () => expect(await signUp(other, 'short@example.com', 'a long enough one')).toMatchObject({ status: 400 }),
    { timeout: 1_000, interval: 50 },
  )
})
