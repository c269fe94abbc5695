/** Changes that an administrator of PostgreSQL makes while gatehouse runs, and foreign objects in its database. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import knex from 'knex'
import { afterEach, expect, inject, test, vi } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { isUnavailable, openDatabase } from '../../../src/core/db/database.ts'
import { migrateUp } from '../../../src/core/db/migrate.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { environmentOf, runCommand } from '../../support/binary.ts'
import { createDatabase, createDatabaseWithKeys, dialect, isPooled } from '../../support/database.ts'

// The PgBouncer of the tests has a single user.
const onPostgres = test.runIf(dialect === 'postgres' && !isPooled)
const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** Runs statements as the superuser, in `database` or in the test's own database. */
const asSuperuser = async (statements: readonly string[], database = 'postgres') => {
  const url = Object.assign(new URL(inject('pgUrl')), { pathname: `/${database}` })
  const direct = knex({ client: 'pg', connection: url.href, pool: { min: 0, max: 1 } })
  try {
    for (const sql of statements) await direct.raw(sql)
  } finally {
    await direct.destroy()
  }
}

/** A daemon whose role may read and write every table and owns none. `fill` replaces %D and %R by database and role. */
const asOrdinaryRole = async () => {
  const lines: string[] = []
  const database = await createDatabaseWithKeys()
  const url = new URL(database.url)
  const [name, role] = [url.pathname.slice(1), `role_${randomBytes(6).toString('hex')}`]
  const fill = (sql: string) => sql.replaceAll('%D', name).replaceAll('%R', role)
  const run = (statements: readonly string[], place = name) => asSuperuser(statements.map(fill), place)
  await run(['create role %R login', 'grant select, insert, update, delete on all tables in schema public to %R'])
  await run(['grant usage on all sequences in schema public to %R'])
  const drop = async () => {
    await database.drop()
    await asSuperuser([`drop role ${role}`])
  }
  url.username = role
  const t = await testApp({ database: { ...database, url: url.href, drop }, onLog: (line) => lines.push(line) })
  stops.push(() => t.stop())
  return { t, run, lines }
}
const signUp = (t: TestApp, email: string) => t.client().post('/sign-up/email', { name: 'Ann', email, password })
const disconnect =
  "select pg_terminate_backend(pid) from pg_stat_activity where datname = '%D' and usename = '%R' and pid <> pg_backend_pid()"

onPostgres.each([
  ['revokes the right to log in', ['alter role %R nologin', disconnect], ['alter role %R login']],
  [
    'refuses all connections to the database',
    ['alter database %D allow_connections false', disconnect],
    ['alter database %D allow_connections true'],
  ],
  ['ends all connections of the role', ['alter role %R connection limit 0', disconnect], ['alter role %R connection limit -1']],
])(
  'people get 503 instead of a server error while an administrator %s, and are served again afterwards',
  async (_what, breaking, mending) => {
    const { t, run, lines } = await asOrdinaryRole()
    await run(breaking, 'postgres')
    const refused = await signUp(t, 'early@example.com')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    await run(mending, 'postgres')
    await vi.waitFor(async () => expect((await signUp(t, 'late@example.com')).status).toBe(200), 20_000)
    expect(lines.filter((line) => line.includes('unhandled error'))).toEqual([])
  },
)

onPostgres('people get 503 while a right on a table is revoked, and the log says what to grant', async () => {
  const { t, run, lines } = await asOrdinaryRole()
  await run(['revoke insert on account from %R'])
  expect((await signUp(t, 'early@example.com')).status).toBe(503)
  const line = lines.find((one) => one.includes('database unavailable')) ?? '{}'
  expect(JSON.parse(line).problem).toMatch(/may not do.*account/)
  await run(['grant insert on account to %R'])
  expect((await signUp(t, 'late@example.com')).status).toBe(200)
})

onPostgres('no request fails with a server error while connections are ended at random', async () => {
  const { t, run } = await asOrdinaryRole()
  let isOver = false
  const statuses = new Set<number>()
  const people = Array.from({ length: 4 }, async (_, person) => {
    for (let at = 0; !isOver; at += 1) statuses.add((await signUp(t, `p${person}-${at}@example.com`)).status)
  })
  for (let round = 0; round < 40; round += 1)
    await run([
      "select pg_terminate_backend(pid) from (select pid from pg_stat_activity where datname = '%D' and usename = '%R' order by random() limit 2) as chosen",
    ])
  isOver = true
  await Promise.all(people)
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
})

onPostgres('a transaction whose connection is ended between two statements reports the database as unavailable', async () => {
  const { t, run } = await asOrdinaryRole()
  const work = t.app.core.transact(async (tx) => {
    await tx.knex.raw('select 1')
    await run([disconnect], 'postgres')
    await pause(300)
    await tx.knex.raw('select 1')
  })
  await expect(work).rejects.toSatisfy(isUnavailable)
})

/** An empty database created for a locale. Builds of PostgreSQL may lack some locales. */
const emptyFor = async (options: string) => {
  const database = await createDatabase()
  const name = new URL(database.url).pathname.slice(1)
  await asSuperuser([`drop database ${name}`, `create database ${name} encoding 'UTF8' template template0 ${options}`])
  return { database, name }
}
const columnsElsewhere =
  "select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_collation l on l.oid = a.attcollation where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and l.collname <> 'C' order by 1"

onPostgres('a migration keeps tables and columns that an administrator has added, whoever owns them', async () => {
  const { database, name } = await emptyFor('')
  const role = `role_${randomBytes(6).toString('hex')}`
  stops.push(
    () => asSuperuser([`drop role ${role}`]),
    () => database.drop(),
  )
  await asSuperuser(
    ['create table notes (id int, note text)', `create role ${role} login`, `grant create on schema public to ${role}`],
    name,
  )
  const url = Object.assign(new URL(database.url), { username: role }).href
  const opened = openDatabase({ ...database, url, poolMax: 1, synchronous: 'NORMAL' })
  const [first, ...others] = Object.entries(migrations)
  await migrateUp(opened, Object.fromEntries([first ?? []]), () => new Date())
  await opened.db.knex.raw('create table export (word varchar(10))')
  await opened.db.knex.raw('alter table "user" add column crm text')
  await migrateUp(opened, Object.fromEntries([first ?? [], ...others]), () => new Date())
  const { rows } = await opened.db.knex.raw<{ rows: { name: string }[] }>(columnsElsewhere)
  await opened.destroy()
  expect(rows.map((row) => row.name)).toEqual(['export.word', 'notes.note', 'user.crm'])
})

onPostgres('a policy that hides rows makes reads, changes and backups fail, and never shows a part as the whole', async () => {
  const { t, run } = await asOrdinaryRole()
  await signUp(t, 'ann@example.com')
  await run(['alter table "user" enable row level security'])
  const signIn = () => t.client().post('/sign-in/email', { email: 'ann@example.com', password })
  expect((await signIn()).status).toBe(503)
  const env = environmentOf(t.database)
  for (const command of [['list-users'], ['backup', '--to', join(t.database.dataDir, 'b'), '--without-keys']]) {
    const { exitCode, stderr } = await runCommand(command, env)
    expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/row-level security.*user/)])
  }
  await run(['alter table "user" disable row level security'])
  expect((await signIn()).status).toBe(200)
})

onPostgres('a view that blocks a migration and a trigger that refuses rows are named as the cause', async () => {
  const database = await createDatabaseWithKeys()
  stops.push(() => database.drop())
  const name = new URL(database.url).pathname.slice(1)
  await asSuperuser(
    [
      'create view found as select * from billing_customer_search_text',
      "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no people today'; end $$",
      'create trigger refuse before insert on "user" for each row execute function refuse()',
    ],
    name,
  )
  const env = environmentOf(database)
  const undo = () => runCommand(['migrate', '--down', '--yes'], env)
  let down = await undo()
  while (down.exitCode === 0) down = await undo()
  expect([down.exitCode, down.stderr]).toEqual([3, expect.stringMatching(/added to the tables of gatehouse, such as a view/)])
  expect(await runCommand(['migrate'], env)).toMatchObject({ exitCode: 0 })
  const created = await runCommand(['create-user', '--email', 'ann@example.com', '--name', 'Ann', '--send-link'], env)
  expect([created.exitCode, created.stderr]).toEqual([3, expect.stringMatching(/A trigger.*no people today/)])
})
