import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterEach, beforeEach, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { testOnBoth } from '../../support/both-databases.ts'
import { createMigratedDatabase } from '../../support/database.ts'
import { advance } from '../../support/time.ts'
import { codeFor, redeem, register } from '../oidc/flow.ts'

// Each test starts an instance at a wrong time, and a node at the right time, on both databases, because SQL compares the times.
let t: TestApp
let node: TestApp
const ahead = 30
const config = { oidc: { keyOverlapSeconds: 3_600, keySkewSeconds: 60 } }
beforeEach(async () => {
  advance({ days: ahead })
  t = await testApp({
    database: await createMigratedDatabase(),
    config,
  })
  await expect.poll(async () => (await t.client().request('/readyz')).status, { timeout: 20_000 }).toBe(200)
})
afterEach(async () => {
  await node.stop()
  await t.stop()
})
const correct = () => advance({ days: -ahead })
const statesOf = async () => (await node.app.oidc.keys.list()).filter(({ alg }) => alg === 'RS256').map(({ state }) => state)

testOnBoth('an instance first started with its clock ahead is ready and signs tokens once the clock is right', async () => {
  correct()
  node = await t.node()
  expect((await node.client().request('/readyz')).status).toBe(200)
  const shop = await register(t)
  const ann = await t.signedIn('ann@example.com')
  const { json } = await redeem(t, shop, await codeFor(ann, shop))
  const keys = (await node.client().request('/jwks')).json as unknown as JSONWebKeySet
  await jwtVerify(String(json['id_token']), createLocalJWKSet(keys), { currentDate: new Date() })
})

testOnBoth('signing keys created in the future can be replaced at once, and sign until the next keys do', async () => {
  correct()
  node = await t.node()
  expect(await statesOf()).toEqual(['signing'])
  await node.app.oidc.keys.rotate(systemPrincipal('test'))
  expect(await statesOf()).toEqual(['signing', 'next'])
  await expect(node.app.oidc.keys.rotate(systemPrincipal('test'))).rejects.toMatchObject({ code: 'KEY_ROTATION_IS_UNDER_WAY' })
  advance({ hours: 2 })
  expect(await statesOf()).toEqual(['retiring', 'signing'])
})

testOnBoth('signing keys scheduled by a wrong clock are replaced without waiting for their time', async () => {
  advance({ days: -ahead })
  node = await testApp({ database: await createMigratedDatabase(), config })
  advance({ days: ahead })
  await node.app.oidc.keys.rotate(systemPrincipal('test'))
  advance({ days: -ahead })
  expect(await statesOf()).toEqual(['signing', 'next'])
  const later = await node.app.oidc.keys.rotate(systemPrincipal('test'))
  advance({ hours: 2 })
  const [newest] = later.filter(({ alg }) => alg === 'RS256').toReversed()
  const now = (await node.app.oidc.keys.list()).find(({ kid }) => kid === newest?.kid)
  expect(now?.state).toBe('signing')
})

testOnBoth('tasks delayed, claimed or enqueued while the clock was ahead run once the clock is right', async () => {
  await t.app.core.transact((tx) => t.app.core.signals.wake(tx, 'queue.health.findings'))
  const { knex } = t.app.core.db
  await expect
    .poll(async () => (await knex('task').where({ kind: 'health.findings', status: 'pending' })).length, { timeout: 20_000 })
    .toBe(1)
  await t.app.jobs.stop()
  const future = new Date(Date.now() + 60_000)
  const dead = {
    kind: 'mail.send',
    status: 'running',
    due_at: future,
    lease_token: 'gone',
    attempts: 1,
    created_at: new Date(),
    payload: null,
  }
  await knex('task').insert([
    { id: 'claimed', ...dead },
    { id: 'waiting', ...dead, status: 'pending', lease_token: null, attempts: 0 },
  ])
  correct()
  node = await t.node()
  const isDue = async (id: string) => {
    const [row] = await node.app.core.db.knex('task').where({ id })
    return row === undefined || row.attempts > 1 || new Date(row.due_at).getTime() < Date.now() + 1_800_000
  }
  for (const id of ['health.findings', 'claimed', 'waiting']) await expect.poll(() => isDue(id), { timeout: 20_000 }).toBe(true)
})

testOnBoth('doctor reports records and signing keys dated ahead of the clock, and the remedy', async () => {
  await t.signedIn('future@example.com')
  correct()
  node = await t.node()
  const found = (await node.app.diagnosis.run()).filter(({ severity }) => severity !== 'ok')
  expect(found).toContainEqual(expect.objectContaining({ code: 'records-ahead', severity: 'warning' }))
  expect(found).toContainEqual(expect.objectContaining({ code: 'signing-key-ahead', remedy: 'gatehouse rotate-jwks' }))
  await node.app.oidc.keys.rotate(systemPrincipal('test'))
  const after = await node.app.diagnosis.run()
  expect(after.find(({ check }) => check === 'signing-key-age')).toMatchObject({ severity: 'ok' })
})
