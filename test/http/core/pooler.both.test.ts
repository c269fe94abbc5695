import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { type Database, openDatabase, readPrepared } from '../../../src/core/db/database.ts'
import { migrateUp } from '../../../src/core/db/migrate.ts'
import { environmentOf, runCommand, slow } from '../../support/binary.ts'
import { createDatabase, dialect, type TestDatabase } from '../../support/database.ts'
import { type PgBouncer, pgBouncerFile, startPgBouncer } from '../../support/pgbouncer.ts'

const isPossible = dialect === 'postgres' && pgBouncerFile() !== undefined
const ignored = 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout'

let place: TestDatabase
let strict: PgBouncer
let lenient: PgBouncer
let sessions: PgBouncer
beforeAll(async () => {
  if (!isPossible) return
  place = await createDatabase()
  const server = inject('pgUrl')
  strict = await startPgBouncer(server)
  lenient = await startPgBouncer(server, { ignore_startup_parameters: ignored })
  sessions = await startPgBouncer(server, { ignore_startup_parameters: ignored, pool_mode: 'session', default_pool_size: '20' })
})
afterAll(async () => {
  for (const started of [strict, lenient, sessions]) await started?.stop()
  await place?.drop()
})

const through = ({ url }: { readonly url: string }): string => {
  const address = new URL(url)
  address.pathname = new URL(place.url).pathname
  return address.href
}
const withDatabase = async <T>(url: string, pooler: 'none' | 'transaction', work: (database: Database) => Promise<T>) => {
  const database = openDatabase({ url, pooler, poolMax: 10, synchronous: 'NORMAL' })
  try {
    return await work(database)
  } finally {
    await database.destroy()
  }
}
const direct = () => {
  const address = new URL(inject('pgUrl'))
  address.pathname = new URL(place.url).pathname
  return address.href
}
const environment = (url: string, pooler: 'none' | 'transaction') => environmentOf({ ...place, url, pooler })
const advice = expect.stringContaining('Set GATEHOUSE_DATABASE_POOLER=transaction')

test.runIf(isPossible)('several processes that migrate through a pooler at once run each migration once', slow, async () => {
  const url = through(strict)
  const ran = await Promise.all(
    [1, 2, 3].map(() => withDatabase(url, 'transaction', (database) => migrateUp(database, migrations, () => new Date()))),
  )
  expect(ran.flat().sort()).toEqual(Object.keys(migrations).sort())
})

test.runIf(isPossible)('serve stops at an undeclared connection pooler and says what to set', slow, async () => {
  for (const pooler of [strict, lenient]) {
    const answer = await runCommand(['serve', '--port', '0'], environment(through(pooler), 'none'))
    expect([answer.exitCode, answer.stderr]).toEqual([3, advice])
  }
})

test.runIf(isPossible).each([
  ['DateStyle', "'German'"],
  ['standard_conforming_strings', 'off'],
  ['default_transaction_isolation', "'serializable'"],
])('a start through a pooler whose connections have another %s fails and names the setting', slow, async (name, value) => {
  const database = await createDatabase()
  const { pathname } = new URL(database.url)
  await withDatabase(direct(), 'none', ({ db }) => db.knex.raw(`alter database ${pathname.slice(1)} set ${name} = ${value}`))
  const url = Object.assign(new URL(strict.url), { pathname }).href
  const answer = await runCommand(['migrate'], environment(url, 'transaction'))
  expect([answer.exitCode, answer.stderr]).toEqual([3, expect.stringMatching(`${name} .*pooler.*alter role <user> set ${name}`)])
  await database.drop()
})

test.runIf(isPossible)('a row policy that hides rows makes a transaction through a pooler fail', async () => {
  await withDatabase(through(strict), 'transaction', async (database) => {
    const role = `role_${place.url.slice(-8)}`
    await withDatabase(direct(), 'none', async ({ db }) => {
      await db.knex.raw(`create table hidden (id int); alter table hidden enable row level security; create role ${role}`)
      await db.knex.raw(`grant select on hidden to ${role}`)
    })
    const read = database.transact(async (tx) => {
      await tx.knex.raw(`set local role ${role}`)
      await tx.knex('hidden')
    })
    await expect(read).rejects.toMatchObject({ code: '42501' })
    await withDatabase(direct(), 'none', ({ db }) => db.knex.raw(`drop table hidden; drop role ${role}`))
  })
})

test.runIf(isPossible)('doctor detects an undeclared pooler and says what to set', slow, async () => {
  for (const pooler of [strict, lenient]) {
    const answer = await runCommand(['doctor'], environment(through(pooler), 'none'))
    expect([answer.exitCode, answer.stderr]).toEqual([3, advice])
  }
})

test.runIf(isPossible)(
  'doctor reports a pooler that drops time limits, and a declared pooler that does not exist',
  slow,
  async () => {
    const checkOf = async (url: string, pooler: 'none' | 'transaction') => {
      const { stderr, stdout } = await runCommand(['doctor', '--json'], environment(url, pooler))
      return `${stdout}${stderr}`
    }
    expect(await checkOf(through(strict), 'transaction')).toContain('alter role')
    expect(await checkOf(direct(), 'transaction')).toContain('no pooler is there')
    const plain = await checkOf(direct(), 'none')
    expect([plain.includes('alter role'), plain.includes('no pooler')]).toEqual([false, false])
  },
)

test.runIf(isPossible)('a pooler is distinguished from PostgreSQL, and transaction pooling from session pooling', async () => {
  const found = (url: string) => withDatabase(url, 'none', (database) => database.pooling())
  expect([await found(direct()), await found(through(sessions)), await found(through(lenient))]).toEqual([
    'none',
    'session',
    'transaction',
  ])
})

test.runIf(isPossible)('simultaneous statements of many clients do not mix on the connections of a pooler', async () => {
  const url = through(strict)
  const read = (database: Database, value: number) =>
    readPrepared(database.db, { name: 'pooler.test', sql: 'select ?::int as value' }, [value])
  await withDatabase(url, 'transaction', (one) =>
    withDatabase(url, 'transaction', async (other) => {
      const values = Array.from({ length: 100 }, (_, value) => value)
      const rows = await Promise.all(values.map((value) => read(value % 2 === 0 ? one : other, value)))
      expect(rows.map(([row]) => row?.['value'])).toEqual(values)
    }),
  )
})

test.runIf(isPossible)('time limits apply to each transaction through a pooler, and end with it', async () => {
  const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
  const sql = `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`
  await withDatabase(through(strict), 'transaction', async (database) => {
    const inside = await database.transact(async (tx) => (await tx.knex.raw(sql)).rows[0])
    const outside = (await database.db.knex.raw(sql)).rows[0]
    const filling = await database.fill(async (tx) => (await tx.knex.raw(sql)).rows[0])
    const none = Object.fromEntries(names.map((name) => [name, '0']))
    expect(inside).toEqual({ statement_timeout: '8s', lock_timeout: '5s', idle_in_transaction_session_timeout: '30s' })
    expect([outside, filling]).toEqual([none, none])
  })
})

test.runIf(isPossible)(
  'a transaction that waits too long for a lock fails through a pooler as without a pooler',
  slow,
  async () => {
    await withDatabase(through(strict), 'transaction', async (database) => {
      const lock = 'select pg_advisory_xact_lock(7)'
      const failed = await database.transact(async (tx) => {
        await tx.knex.raw(lock)
        return database.transact((second) => second.knex.raw(lock)).catch((error: { code?: string }) => error.code)
      })
      expect(failed).toBe('55P03')
    })
  },
)
