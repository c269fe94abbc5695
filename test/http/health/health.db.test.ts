import { afterAll, beforeAll, expect } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { migrateDown, migrateUp } from '../../../src/core/db/migrate.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { waitBriefly } from '../../support/database.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({
    config: {
      accounts: { signUpEnabled: false },
      password: { minLength: 12, allowWeakHashing: true },
      organizations: { teamsEnabled: false, creation: 'verified' },
    },
  })
})
afterAll(() => t.stop())

test('/ok, /livez and /readyz return 200 on a ready node', async () => {
  const { health } = t.client().api
  expect(await health.ok()).toEqual({ ok: true })
  expect(await health.livez()).toEqual({ ok: true })
  const checks = { serving: 'ok', database: 'ok', migrations: 'ok', writes: 'ok', signingKeys: 'ok' }
  expect(await health.readyz()).toEqual({ ok: true, checks })
})

test('the settings for hosted pages are exactly the settings that the pages need', async () => {
  expect((await t.client().request('/hosted/settings')).json).toEqual({
    name: 'gatehouse',
    brand: {
      ...{ version: expect.stringMatching(/^[0-9a-f]{16}$/), isNamed: false, logo: null, logoDark: null, icon: null },
      ...{ background: 'arches', links: {}, poweredBy: false },
    },
    emailPasswordEnabled: true,
    signUpEnabled: false,
    emailVerificationRequired: false,
    passwordMinLength: 12,
    passwordMaxLength: 128,
    passwordResetEnabled: true,
    passkeysEnabled: true,
    passkeyOffer: 'silently',
    mailSignInEnabled: false,
    mailSignUpEnabled: false,
    addressFirst: false,
    userNames: { mode: 'off', minLength: 3, maxLength: 30, changeableBy: 'user' },
    changeEmailEnabled: true,
    deleteUserEnabled: true,
    deleteUserVerification: false,
    socialProviders: [],
    socialSignUpEnabled: false,
    socialAutoRedirect: false,
    userFields: [],
    organizationsEnabled: true,
    teamsEnabled: false,
    organizationCreation: 'verified',
  })
})

test('a node with a pending migration is not ready and counts the pending migrations', async () => {
  await migrateDown(t.app.database, migrations)
  const answer = await t.client().request('/readyz')
  await migrateUp(t.app.database, migrations, () => new Date())
  expect([answer.status, answer.json]).toEqual([
    503,
    { code: 'NOT_READY', message: 'Not ready', issues: [{ path: 'migrations', message: '1 pending' }] },
  ])
  expect((await t.client().request('/readyz')).status).toBe(200)
})

testOnBoth('a node without signing keys is not ready', async () => {
  const node = await t.node()
  const { knex } = t.app.core.db
  const keys: Record<string, unknown>[] = await knex('signing_key')
  await knex('signing_key').delete()
  const { status, json } = await node.client().request('/readyz')
  await knex('signing_key').insert(keys)
  await node.stop()
  expect([status, json['issues']]).toEqual([503, [{ path: 'signingKeys', message: 'none' }]])
})

testOnBoth('a node that shuts down is alive but not ready', async () => {
  const node = await t.node()
  node.app.health.drain()
  const { status, json } = await node.client().request('/readyz')
  expect([status, json['issues']]).toEqual([503, [{ path: 'serving', message: 'shutting down' }]])
  expect((await node.client().request('/livez')).status).toBe(200)
  await node.stop()
})

testOnBoth('a node without a database is alive but not ready, and its response shows no details', async () => {
  const node = await t.node()
  waitBriefly(node.app.core.db, 300)
  await node.app.database.destroy()
  const { status, json } = await node.client().request('/readyz')
  expect(status).toBe(503)
  expect(json['issues']).toContainEqual({ path: 'database', message: 'failed' })
  expect((await node.client().request('/livez')).json).toEqual({ ok: true })
  await node.stop()
})
