import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { deleteSome, type Outdated, sweep } from '../../../src/core/db/sweep.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { userOf } from '../organizations/people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const many = 1_101
const old = new Date('2020-01-01')
const at = { created_at: old, updated_at: old }

/** An old row in each table that strangers can fill. */
const rowsOf = (userId: string): Readonly<Record<string, (n: number) => Record<string, unknown>>> => ({
  rate_limit: (n) => ({ key: `k${n}`, window_start: old, count: 1 }),
  verification: (n) => ({ id: `v${n}`, identifier: `social:${n}`, value: '', expires_at: old, ...at }),
  known_device: (n) => ({ user_id: userId, key_hash: `d${n}`, last_used_at: old }),
  password_failure: (n) => ({ key: `f${n}`, user_id: null, recent: 1, consecutive: 1, last_at: old }),
  mail_request: (n) => ({ id: `m${n}`, kind: 'reset', address: `a${n}@example.com`, network: '', created_at: old }),
  oidc_artifact: (n) => ({ id: `i${n}`, kind: 'Interaction', payload: '{}', expires_at: old }),
  session: (n) => ({
    ...{ id: `s${n}`, token_hash: `h${n}`, user_id: userId, expires_at: old, ...at },
    ...{ ip_address: '', user_agent: '', remember_me: true, amr: '[]', acr: 'x', proofs: '[]' },
  }),
})

test('the sweeps delete every expired row of the tables that anonymous requests fill', async () => {
  const { id } = await userOf(await t.signedIn('ann@example.com'))
  const { knex } = t.app.core.db
  const rows = rowsOf(id)
  await t.app.jobs.stop()
  for (const [table, rowOf] of Object.entries(rows))
    await knex.batchInsert(
      table,
      Array.from({ length: many }, (_, n) => rowOf(n)),
      50,
    )
  // The sweeps ran when the first node started.
  t.clock.advance({ hours: 1 })
  const node = await t.node()
  const left = () =>
    Promise.all(
      Object.keys(rows).map(async (table) => {
        const column = { rate_limit: 'key', known_device: 'key_hash', password_failure: 'key' }[table] ?? 'id'
        const ids: string[] = await knex(table).pluck(column)
        return [table, ids.filter((one) => /^[a-z]\d+$/.test(one)).length]
      }),
    )
  const none = Object.keys(rows).map((table) => [table, 0])
  await vi.waitFor(async () => expect(await left()).toEqual(none), { timeout: 60_000, interval: 50 })
  await node.stop()
})

test('no transaction of a sweep deletes more than 500 rows', async () => {
  const { db, transact } = t.app.core
  const rowOf = rowsOf('')['rate_limit']
  await db.knex.batchInsert(
    'rate_limit',
    Array.from({ length: many }, (_, n) => rowOf?.(n) ?? {}),
    50,
  )
  const outdated: Outdated = { table: 'rate_limit', key: ['key'], choose: (rows) => rows.where('key', 'like', 'k%') }
  const deleted: number[] = []
  const total = await sweep(transact, async (tx, limit) => {
    deleted.push(await deleteSome(tx, outdated, limit))
    return deleted.at(-1) ?? 0
  })
  expect([total, deleted]).toEqual([many, [500, 500, 101]])
})
