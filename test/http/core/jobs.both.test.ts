import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../../../src/core/db/database.ts'
import { createJobRunner, type Job, type JobRunner } from '../../../src/core/jobs.ts'
import { createLog } from '../../../src/core/log.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { createSignals } from '../../../src/core/signals.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { hasSignals } from '../../support/database.ts'
import { haste, hurry } from '../../support/time.ts'

let t: TestApp
const nodes: { readonly runner: JobRunner; readonly database: Database }[] = []
beforeEach(async () => {
  t = await testApp()
})
afterEach(async () => {
  for (const { runner, database } of nodes.splice(0)) {
    await runner.stop()
    await database.destroy()
  }
  await t.stop()
})

/** The statements that a node sends during `work`. */
const statementsOf = async ({ app }: TestApp, work: () => Promise<unknown>) => {
  const statements: string[] = []
  const note = ({ sql }: { sql: string }) => void statements.push(sql)
  app.core.db.knex.on('query', note)
  await work()
  app.core.db.knex.off('query', note)
  return statements
}

/** The jobs of another node on the same database. */
const nodeWith = (...jobs: readonly Job[]) => {
  const signals = createSignals(systemRandom)
  const database = openDatabase({ ...t.database, poolMax: 2, synchronous: 'NORMAL' })
  const runner = createJobRunner({ jobs, database, signals, random: systemRandom, log: createLog('silent') })
  nodes.push({ runner, database })
  runner.start()
  return { signals }
}
const seen = (wanted: () => boolean) => vi.waitFor(() => expect(wanted()).toBe(true), { timeout: 60_000, interval: 10 })

test('a job runs while its watch finds work, and stops when no work is left', async () => {
  hurry()
  const { db, transact } = t.app.core
  const taken: string[] = []
  nodeWith({
    name: 'take',
    watch: { sql: "select min(key) from rate_limit where key like 'job-%'", isDue: (value) => value !== null },
    run: async () => {
      const found = await db.knex('rate_limit').where('key', 'like', 'job-%').pluck('key')
      // Only these rows, because others may have arrived meanwhile.
      await transact((tx) => tx.knex('rate_limit').whereIn('key', found).delete())
      taken.push(...found)
    },
  })
  await db.knex('rate_limit').insert({ key: 'job-1', window_start: new Date(), count: 1 })
  await seen(() => taken.length === 1)
  await db.knex('rate_limit').insert({ key: 'job-2', window_start: new Date(), count: 1 })
  await seen(() => taken.length === 2)
  expect(taken).toEqual(['job-1', 'job-2'])
})

test('a job that watches a value runs again when the value changes or its last run failed', async () => {
  hurry()
  const { db } = t.app.core
  await db.knex('rate_limit').insert({ key: 'version', window_start: new Date(), count: 1 })
  const versions: unknown[] = []
  let failures = 1
  nodeWith({
    name: 'follow',
    watch: { sql: "select count from rate_limit where key = 'version'" },
    run: async () => {
      const version: unknown = (await db.knex('rate_limit').where({ key: 'version' }).first('count'))?.count
      if (Number(version) === 2 && failures > 0) {
        failures -= 1
        throw new Error('once')
      }
      versions.push(Number(version))
    },
  })
  await seen(() => versions.includes(1))
  await db.knex('rate_limit').where({ key: 'version' }).update({ count: 2 })
  await seen(() => versions.includes(2))
  expect(failures).toBe(0)
})

test('a signal wakes a job after the commit, and not after a rollback', async () => {
  const { transact } = t.app.core
  let runs = 0
  const run = async () => {
    runs += 1
  }
  const { signals } = nodeWith({ name: 'woken', run })
  await seen(() => runs === 1)
  const failing = transact(async (tx) => {
    await signals.wake(tx, 'woken')
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  await transact((tx) => signals.wake(tx, 'woken'))
  await seen(() => runs === 2)
  expect(runs).toBe(2)
})

test.runIf(hasSignals)('a signal wakes the job of another node, even after the connection for signals has broken', async () => {
  const { db, transact } = t.app.core
  let runs = 0
  const run = async () => {
    runs += 1
  }
  nodeWith({ name: 'woken', run })
  const other = createSignals(systemRandom)
  const wakeUntilRun = async () => {
    const before = runs
    // Notifications sent before the connection exists are lost.
    await vi.waitFor(
      async () => {
        await transact((tx) => other.wake(tx, 'woken'))
        if (runs === before) throw new Error('not heard')
      },
      { timeout: 60_000, interval: 50 },
    )
  }
  await seen(() => runs === 1)
  await wakeUntilRun()
  await db.knex.raw(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'listen%'",
  )
  await wakeUntilRun()
})

test('an idle node sends at most one statement a second', async () => {
  hurry()
  // Work at the start, or once an hour, does not count as idle.
  await vi.waitFor(async () => {
    const times: number[] = []
    const sent = await statementsOf(t, async () => {
      const note = () => void times.push(performance.now())
      t.app.core.db.knex.on('query', note)
      await seen(() => times.length >= 3)
      t.app.core.db.knex.off('query', note)
    })
    expect(sent.filter((sql) => !/ as w\d/.test(sql))).toEqual([])
    const [first = 0, , third = 0] = times
    // A timer may run a millisecond early.
    expect(third - first).toBeGreaterThanOrEqual(2_000 / haste - 2)
  }, 60_000)
})

test('at the start of a node its jobs run one after the other, except jobs whose watch finds no work', async () => {
  const told: string[] = []
  const job = (name: string, watch?: NonNullable<Job['watch']>): Job => ({
    name,
    ...(watch === undefined ? { everyMs: 60_000 } : { watch }),
    run: async () => {
      told.push(`${name} begins`)
      await pause(20)
      told.push(`${name} ends`)
    },
  })
  const never = job('never', { sql: 'select 0', isDue: Boolean })
  nodeWith(never, job('first'), job('second', { sql: 'select 1', isDue: Boolean }), job('third', { sql: 'select 2' }))
  await seen(() => told.filter((text) => text === 'third ends').length > 0)
  const once = ['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends']
  expect(told.slice(0, once.length)).toEqual(once)
})

test('a slow job at the start of a node does not delay the first run of other jobs', async () => {
  const told: string[] = []
  let end: () => void = () => undefined
  const long = new Promise<void>((resolve) => {
    end = resolve
  })
  nodeWith(
    { name: 'long', everyMs: 60_000, run: () => long },
    { name: 'short', everyMs: 60_000, run: async () => told.push('ran') },
  )
  await seen(() => told.length === 1)
  end()
})

test('a node that starts again opens at most three connections, however many jobs it has', async () => {
  await t.app.jobs.stop()
  const node = await t.node()
  await vi.waitFor(async () => expect((await node.client().request('/readyz')).status).toBe(200), 60_000)
  const { used, idle } = node.app.database.pool()
  expect(used + idle).toBeLessThanOrEqual(3)
  await node.stop()
})
