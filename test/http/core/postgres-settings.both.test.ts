import knex from 'knex'
import { afterEach, expect, inject, test } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { openDatabase } from '../../../src/core/db/database.ts'
import { migrateUp } from '../../../src/core/db/migrate.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { environmentOf, runCommand } from '../../support/binary.ts'
import { createDatabase, dialect } from '../../support/database.ts'

const apps: TestApp[] = []
afterEach(async () => {
  for (const app of apps.splice(0)) await app.stop()
})
const nameOf = (url: string) => new URL(url).pathname.slice(1)
const onPostgres = test.runIf(dialect === 'postgres')

onPostgres.each([
  ['DateStyle', "'German'"],
  ['DateStyle', "'SQL, DMY'"],
  ['TimeZone', "'Asia/Tokyo'"],
  ['IntervalStyle', "'iso_8601'"],
  ['standard_conforming_strings', 'off'],
  ['bytea_output', "'escape'"],
  ['transform_null_equals', 'on'],
  ['default_transaction_isolation', "'serializable'"],
  ['statement_timeout', "'1s'"],
  ['idle_session_timeout', "'2s'"],
])('a database whose %s is %s works like any other', async (name, value) => {
  const first = await testApp()
  await first.app.database.db.knex.raw(`alter database ${nameOf(first.database.url)} set ${name} = ${value}`)
  const t = await first.node()
  const before = Date.now()
  await first.signedIn('ann@example.com', "O'Neil \\ Ü")
  const [row] = await t.app.core.db.knex('user')
  expect([row.name, Math.abs(new Date(row.created_at).getTime() - before) < 60_000]).toEqual(["O'Neil \\ Ü", true])
  const show = 'show transaction_isolation'
  // Only transactions set it on the connections of a pooler, and a start refuses another default there.
  const { rows } =
    first.database.pooler === 'none' ? await t.app.core.db.knex.raw(show) : await t.app.core.transact((tx) => tx.knex.raw(show))
  expect(rows).toEqual([{ transaction_isolation: 'read committed' }])
  expect(await t.app.audit.verify()).toMatchObject({ faults: [] })
  await t.stop()
  await first.stop()
})

const words = ['Zoe', 'ab', 'Äa', 'Ab', 'aB', 'a-b', 'ISIL', 'ısıl', 'İsil']
onPostgres.each([
  ['Turkish', "locale_provider icu icu_locale 'tr-TR'"],
  ['German', "locale_provider icu icu_locale 'de-DE'"],
  ['comparison without case and accents', "locale_provider icu icu_locale 'und-u-ks-level1'"],
  ['the C library', "lc_collate 'C' lc_ctype 'C'"],
])('a database created for %s has the same lists, searches and addresses as any other', async (_language, options) => {
  const database = await createDatabase()
  const name = nameOf(database.url)
  const server = knex({ client: 'pg', connection: inject('pgUrl'), pool: { min: 0, max: 1 } })
  await server.raw(`drop database ${name}`)
  await server.raw(`create database ${name} encoding 'UTF8' template template0 ${options}`)
  await server.destroy()
  const opened = openDatabase({ ...database, poolMax: 1, synchronous: 'NORMAL' })
  await migrateUp(opened, migrations, () => new Date())
  await opened.destroy()
  const t = await testApp({ database })
  apps.push(t)
  const administrator = await signedInAs(t, 'admin', 'isil@example.com')
  for (const [at, word] of words.entries()) await t.signedIn(`i${at}@example.com`, word)
  const { rows: columns } = await t.app.core.db.knex.raw(
    "select c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_collation l on l.oid = a.attcollation where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and l.collname <> 'C'",
  )
  expect(columns).toEqual([])
  const listed = async (query: string) => {
    const { json } = await administrator.request(`/admin/list-users?${query}`)
    return (json['users'] as { name: string }[]).map((user) => user.name)
  }
  expect(await listed('sortBy=name')).toEqual([...words, 'admin'].toSorted())
  expect(await listed('searchField=name&searchOperator=contains&searchValue=isil')).toContain('ISIL')
  const again = await t.client().post('/sign-in/email', { email: 'ISIL@EXAMPLE.COM', password })
  expect(again.status).toBe(200)
})

onPostgres('a database in another encoding than UTF-8 is refused with a message', async () => {
  const t = await testApp()
  apps.push(t)
  const database = await createDatabase()
  const { knex } = t.app.core.db
  await knex.raw(`drop database ${nameOf(database.url)}`)
  await knex.raw(`create database ${nameOf(database.url)} encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0`)
  const result = await runCommand(['migrate'], environmentOf(database))
  expect([result.exitCode, result.stderr]).toEqual([3, expect.stringContaining('encoding LATIN1')])
  await database.drop()
})
