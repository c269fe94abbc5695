/** Findings of `doctor` about tables that were changed directly in the database. */
import type { Knex } from 'knex'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { type Database, openDatabase } from '../../../src/core/db/database.ts'
import { schemaModelOf } from '../../../src/core/db/schema-model.ts'
import { environmentOf, runCommand } from '../../support/binary.ts'
import { createDatabaseWithKeys, dialect, type TestDatabase } from '../../support/database.ts'

let place: TestDatabase
let opened: Database
beforeEach(async () => {
  place = await createDatabaseWithKeys()
  opened = openDatabase({ ...place, poolMax: 1, synchronous: 'NORMAL' })
})
afterEach(async () => {
  await opened.destroy()
  await place.drop()
})
const run = async (...statements: readonly string[]) => {
  for (const sql of statements) await opened.db.knex.raw(sql)
}
/** Severity and named objects of a finding, or nothing without a finding. */
const found = async (env = environmentOf(place)) => {
  const { stdout, stderr } = await runCommand(['doctor'], env)
  return /(\w+): schema: [^:]+: (.*)$/m.exec(`${stdout}${stderr}`)?.slice(1, 3)
}

test('doctor accepts added tables, columns, indexes and views', async () => {
  await run(
    'create table notes (note text not null)',
    'alter table "user" add column crm_id varchar(20)',
    'create index crm on "user" (crm_id)',
    'create view people as select id from "user"',
  )
  expect(await found()).toBeUndefined()
})

test('a failed read of the expected schema is repeated at the next request', async () => {
  let isReady = false
  const list = {
    '1_thing': {
      up: async (knex: Knex) => {
        if (!isReady) throw new Error('no memory')
        await knex.schema.createTable('thing', (t) => void t.string('id').primary())
      },
      down: async () => undefined,
    },
  }
  await expect(schemaModelOf(list, ['1_thing'])).rejects.toThrow('no memory')
  isReady = true
  expect((await schemaModelOf(list, ['1_thing'])).columns.get('thing')).toEqual(['id'])
})

test('doctor names a missing index', async () => {
  const [index = ''] = (await schemaModelOf(migrations, Object.keys(migrations))).indexes.filter((name) => /session/.test(name))
  await run(`drop index ${index}`)
  expect(await found()).toEqual(['warning', `index ${index}`])
})

test('doctor names a missing column, and an added column that requires a value', async () => {
  await run('alter table invitation rename column email to address', 'alter table team rename to squad')
  expect(await found()).toEqual(['failed', 'column invitation.email; invitation.address not null; table team'])
})

test.runIf(dialect === 'postgres')('doctor names missing rights, a policy that hides rows and an invalid index', async () => {
  const name = new URL(place.url).pathname.slice(1)
  const role = `${name}_role`
  await run(
    `create role ${role} login`,
    `grant select, insert, update, delete on all tables in schema public to ${role}`,
    `revoke insert, delete on team from ${role}`,
    `revoke select on oauth_consent from ${role}`,
    'alter table session enable row level security',
    "update pg_index set indisvalid = false where indexrelid = 'session_user_id_index'::regclass",
  )
  const url = Object.assign(new URL(place.url), { username: role }).href
  const [severity, names] = (await found({ ...environmentOf(place), GATEHOUSE_DATABASE_URL: url })) ?? []
  expect([severity, names?.split('; ').toSorted()]).toEqual([
    'failed',
    [
      'grant insert, delete on team',
      'grant select on oauth_consent',
      ...['api_key', 'billing_customer', 'oauth_client', 'organization'].map(
        (name) => `grant usage on sequence ${name}_search_text_number_seq`,
      ),
      'grant usage on sequence task_sequence_seq',
      'grant usage on sequence user_search_text_number_seq',
      'index session_user_id_index',
      'row level security on session',
    ],
  ])
  await run(`drop owned by ${role}`, `drop role ${role}`)
})
