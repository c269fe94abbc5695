import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import knex from 'knex'
import { afterAll, afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { isUnavailable, openDatabase } from '../../../src/core/db/database.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../../support/billing.ts'
import { environmentOf, runCommand } from '../../support/binary.ts'
import { createDatabaseWithKeys, dialect, isPooled } from '../../support/database.ts'
import { elapse } from '../../support/time.ts'
import { fillVolume, mountVolume, unmountVolume } from '../../support/volume.ts'

const lines: string[] = []
let t: TestApp
beforeEach(async () => {
  t = await testApp({ config: { billing: { secrets: [webhookSecret] } }, onLog: (line) => lines.push(line) })
})
afterEach(() => t.stop())

const run = (sql: string) => t.app.core.db.knex.raw(sql)
const nameOf = () => new URL(t.database.url).pathname.slice(1)
/** Longest time between two test writes, and time for one of them. */
const probes = { seconds: 6 }
const untilReady = (status: number) => {
  elapse(probes)
  return vi.waitFor(
    async () => {
      const answer = await t.client().request('/readyz')
      if (answer.status !== status) throw new Error(`is ${answer.status}`)
      return answer
    },
    { timeout: 20_000, interval: 20 },
  )
}
/** Returns the first answer with 503. Earlier writes may still fit into existing pages. */
const firstRefusal = async <T extends { readonly status: number }>(call: (at: number) => Promise<T>): Promise<T> => {
  for (let at = 0; at < 50; at += 1) {
    const answer = await call(at)
    if (answer.status === 503) return answer
  }
  throw new Error('nothing was refused')
}
const signUp = (email: string) => t.client().post('/sign-up/email', { name: 'Ann', email, password })

/** A connection to another database of the server, past a pooler. */
const openServer = () => knex({ client: 'pg', connection: inject('pgUrl'), pool: { min: 0, max: 1 } })

/** A failover of PostgreSQL: connections break, and new ones reach a replica. */
const failOver = () => setReadOnly('set default_transaction_read_only = on')
const failBack = () => setReadOnly('reset default_transaction_read_only')
/** Uses its own connection to the server, because connections of a pooler keep the settings they were opened with. */
const setReadOnly = async (change: string) => {
  const server = openServer()
  await server.raw(`alter database ${nameOf()} ${change}`)
  await server.raw('select pg_terminate_backend(pid) from pg_stat_activity where datname = ?', [nameOf()])
  await server.destroy()
}

/** No new page or row fits. Reads and changes that need no space still work. */
const fillUp = async () => {
  if (dialect === 'sqlite') {
    await run('PRAGMA max_page_count=1')
    for (let size = 4_000; size > 0; size = Math.floor(size / 8))
      for (let isRoom = true; isRoom; )
        await run(`insert into rate_limit (key, window_start, count) values ('${'x'.repeat(size)}' || random(), 0, 1)`).catch(
          () => {
            isRoom = false
          },
        )
    return
  }
  await run(
    "create function full_disk() returns trigger language plpgsql as $$ begin raise exception using errcode = '53100', message = 'could not extend file: No space left on device'; end $$",
  )
  for (const table of ['user', 'finding', 'billing_delivery'])
    await run(`create trigger full_disk before insert on "${table}" for each row execute function full_disk()`)
}
const makeRoom = async () => {
  if (dialect === 'sqlite') return run('PRAGMA max_page_count=1000000')
  return run('drop function full_disk() cascade')
}

test('a database with a full disk answers writes with 503 and Retry-After, serves reads, and reports the full disk in /readyz until there is room', async () => {
  const reader = await t.signedIn('reader@example.com')
  await fillUp()
  const refused = await firstRefusal((at) => signUp(`late-${at}@example.com`))
  expect([refused.status, refused.json['code'], refused.headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '5'])
  const delivery = await firstRefusal(() => post(t.url, signedDelivery(webhookSecret, eventOf('customer.created'))))
  expect([delivery.status, delivery.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await reader.request('/get-session')).status).toBe(200)
  const { json } = await untilReady(503)
  expect(json['issues']).toEqual([{ path: 'writes', message: expect.stringContaining('full') }])
  expect((await t.client().request('/livez')).status).toBe(200)
  await makeRoom()
  await untilReady(200)
  expect((await signUp('late@example.com')).status).toBe(200)
})

test.runIf(dialect === 'postgres')(
  '/readyz finds a failover and a full disk by itself, without a request that writes',
  async () => {
    expect((await untilReady(200)).json['checks']).toMatchObject({ writes: 'ok' })
    await fillUp()
    await untilReady(503)
    await makeRoom()
    await untilReady(200)
    await failOver()
    await vi.waitFor(
      async () => expect((await untilReady(503)).json['issues']).toEqual([{ path: 'writes', message: 'read-only' }]),
      20_000,
    )
    await failBack()
    await untilReady(200)
    expect((await signUp('after@example.com')).status).toBe(200)
  },
)

const takesNone = (name: string) => `alter database ${name} allow_connections false`
const takesAll = (name: string) => `alter database ${name} allow_connections true`
/** How a server stops and starts to accept connections to a database, run in another database of the server. */
const refusals = [
  ['takes no connections', () => [], () => []],
  [
    'has been renamed',
    (name: string) => [`alter database ${name} rename to ${name}_away`, takesAll(`${name}_away`)],
    (name: string) => [`alter database ${name}_away rename to ${name}`],
  ],
] as const

test.runIf(dialect === 'postgres').each(refusals)(
  'a database that %s is reported as unavailable (503 with Retry-After, /readyz 503), and works again by itself afterwards',
  async (_, begin, end) => {
    const name = nameOf()
    const ann = await t.signedIn('ann@example.com')
    const beside = openServer()
    const disconnect = () => beside.raw('select pg_terminate_backend(pid) from pg_stat_activity where datname = ?', [name])
    try {
      // Renaming a database requires that nobody uses it. The server would wait five seconds for connections that are just opened.
      await beside.raw(takesNone(name))
      await disconnect()
      for (const sql of begin(name)) await beside.raw(sql)
      lines.length = 0
      const refused = await vi.waitFor(async () => {
        const answer = await ann.request('/get-session')
        if (answer.status === 200) throw new Error('still connected')
        return answer
      }, 20_000)
      expect([refused.status, refused.json['code'], refused.headers.get('retry-after')]).toEqual([
        503,
        'SERVICE_UNAVAILABLE',
        '5',
      ])
      expect((await signUp('ben@example.com')).status).toBe(503)
      expect((await t.client().request('/readyz')).status).toBe(503)
      expect((await t.client().request('/livez')).status).toBe(200)
      expect(lines.filter((line) => line.includes('unhandled error'))).toEqual([])
    } finally {
      for (const sql of [...end(name), takesAll(name)]) await beside.raw(sql)
      await beside.destroy()
    }
    await untilReady(200)
    expect((await ann.request('/get-session')).status).toBe(200)
  },
)

// A pooler keeps its connection to the server.
test.skipIf(isPooled)('a read-only connection leaves the pool after its first failed write', async () => {
  const database = openDatabase({ ...t.database, poolMax: 1, synchronous: 'NORMAL' })
  const write = () =>
    database.transact((tx) => tx.knex('rate_limit').insert({ key: 'write', window_start: new Date(), count: 1 }))
  await database.db.knex.raw(
    dialect === 'sqlite' ? 'PRAGMA query_only=ON' : 'set session characteristics as transaction read only',
  )
  await expect(write()).rejects.toSatisfy(isUnavailable)
  await write()
  await database.destroy()
})

const mounted = dialect === 'sqlite' ? mountVolume() : undefined
afterAll(() => unmountVolume(mounted))

describe.skipIf(mounted === undefined)('SQLite on a small file system', () => {
  const directory = mounted ?? ''
  let small: TestApp
  const ready = (status: number) => {
    elapse(probes)
    return vi.waitFor(async () => expect((await small.client().request('/readyz')).status).toBe(status), 20_000)
  }
  beforeEach(async () => {
    const given = await createDatabaseWithKeys()
    const file = join(directory, 'gatehouse.db')
    copyFileSync(given.url.slice('sqlite:'.length), file)
    const drop = async () => {
      for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true })
      await given.drop()
    }
    small = await testApp({ database: { ...given, dataDir: directory, url: `sqlite:${file}`, drop } })
  })
  afterEach(() => small.stop())

  test('/readyz finds a full volume by itself, doctor reports it and exits with 3, and both recover when there is room', async () => {
    await ready(200)
    const filler = fillVolume(directory)
    await ready(503)
    const env = environmentOf(small.database)
    const told = await runCommand(['doctor'], env)
    expect([told.exitCode, told.stderr]).toEqual([3, expect.stringContaining('disk full')])
    const made = await runCommand(
      ['create-user', '--email', 'a@example.com', '--name', 'A', '--password-stdin'],
      env,
      `${password}\n`,
    )
    expect([made.exitCode, made.stderr]).toEqual([3, expect.stringContaining('make room on the disk')])
    rmSync(filler)
    await ready(200)
    expect((await runCommand(['doctor'], env)).exitCode).toBe(0)
    expect((await small.client().post('/sign-up/email', { name: 'B', email: 'b@example.com', password })).status).toBe(200)
  })
})

test.runIf(dialect === 'postgres')('doctor and commands on a read-only replica exit with 3 and name the setting', async () => {
  await failOver()
  const env = environmentOf(t.database)
  const [doctor, create] = [
    await runCommand(['doctor', '--json'], env),
    await runCommand(['create-user', '--email', 'a@example.com', '--name', 'A', '--password-stdin'], env, `${password}\n`),
  ]
  expect([doctor.exitCode, doctor.stderr]).toEqual([3, expect.stringMatching(/read-only.*GATEHOUSE_DATABASE_URL/)])
  expect([create.exitCode, create.stderr]).toEqual([3, expect.stringMatching(/read-only.*GATEHOUSE_DATABASE_URL/)])
  await failBack()
})

test('a cryptographic error is not mistaken for a database error, although certificates have similar codes', () => {
  for (const code of ['ERR_OSSL_BAD_DECRYPT', 'ERR_CRYPTO_INVALID_KEYLEN', 'CERT_HAS_EXPIRED'])
    expect(isUnavailable(Object.assign(new Error('for the test'), { code })), code).toBe(false)
})

test('a full disk, a read-only database or an I/O error counts as an unavailable database; a wrong statement or a violated constraint does not', () => {
  const codes = ['25006', '53100', '53200', '58030', 'SQLITE_FULL', 'SQLITE_READONLY', 'SQLITE_IOERR', 'SQLITE_CANTOPEN']
  expect(codes.filter((code) => !isUnavailable({ code }))).toEqual([])
  const faults = ['23505', '42P01', '22021', '25P02', 'SQLITE_CONSTRAINT', 'SQLITE_ERROR', 'SQLITE_MISMATCH']
  expect(faults.filter((code) => isUnavailable({ code }))).toEqual([])
})
