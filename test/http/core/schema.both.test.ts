/** Constraints of the tables, for every writer. */
import { globSync, readFileSync } from 'node:fs'
import type { Knex } from 'knex'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/core/db/database.ts'
import { createMigratedDatabase, dialect, type TestDatabase } from '../../support/database.ts'
import { rows } from '../../support/rows.ts'

let place: TestDatabase
let knex: Knex
let database: Database
beforeAll(async () => {
  place = await createMigratedDatabase()
  database = openDatabase({ ...place, poolMax: 2, synchronous: 'NORMAL' })
  knex = database.db.knex
})
afterAll(async () => {
  await database.destroy()
  await place.drop()
})

const tables = async (): Promise<readonly string[]> =>
  dialect === 'sqlite'
    ? knex('sqlite_master').where({ type: 'table' }).whereNot('name', 'like', 'sqlite%').orderBy('name').pluck('name')
    : knex('information_schema.tables').whereRaw('table_schema = current_schema()').orderBy('table_name').pluck('table_name')

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly maxLength: number | null
}

const columns = async (): Promise<readonly Column[]> => {
  const found: Column[] = []
  for (const table of await tables())
    for (const [name, { type, maxLength }] of Object.entries(await knex(table).columnInfo()))
      found.push({ table, name, type, maxLength: maxLength === null ? null : Number(maxLength) })
  return found
}

/** Every column that a store reads with `oneOf`. */
const enumerated: readonly string[] = [
  'api_key.owner_kind',
  'applied_object.kind',
  'backup.reason',
  'backup.status',
  'billing_delivery.outcome',
  'billing_delivery.status',
  'billing_link.linked_by',
  'event_export.error',
  'event_export.format',
  'event_export.status',
  'image.kind',
  'image.media_type',
  'invitation.status',
  'logout_notice.state',
  'mail_request.kind',
  'oauth_client.id_token_alg',
  'oauth_client.pkce',
  'oauth_client.registered_by',
  'oauth_client.require_acr',
  'oauth_client.review',
  'oauth_client.type',
  'oauth_client.unknown_scopes',
  'passkey_challenge.kind',
  'resource_server.access',
  'resource_server.signing_alg',
  'resource_server.token_format',
  'second_factor_recovery.stage',
  'task.status',
]

/** Runs `work` with the rows inserted, and rolls them back. */
const withRows = (work: (trx: Knex.Transaction) => Promise<void>): Promise<void> =>
  knex
    .transaction(async (trx) => {
      for (const [table, row] of rows) await trx(table).insert(row)
      await work(trx)
      throw new Error('taken back')
    })
    .catch((error: Error) => expect(error.message).toBe('taken back'))

describe('enumerated columns', () => {
  test.for(enumerated)('the database refuses an unknown value of %s', async (name) => {
    const [table = '', column = ''] = name.split('.')
    const message = await knex
      .transaction(async (trx) => {
        for (const [parent, row] of rows) await trx(parent).insert(row)
        await trx(table).update({ [column]: 'unknown' })
      })
      .catch((error: Error) => error.message)
    expect(message).toMatch(/check constraint/i)
  })

  test('every column that a store reads with oneOf is in the table of this test', () => {
    const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const stores = globSync('src/**/{store/*,store,*-store}.ts').map((path) => readFileSync(path, 'utf8'))
    const read = stores.flatMap((text) => [...text.matchAll(/(\w+): (?:nullable\()?oneOf\(/g)].map(([, key = '']) => snake(key)))
    expect([...new Set(read)].sort()).toEqual([...new Set(enumerated.map((name) => name.split('.')[1]))].sort())
  })
})

describe('foreign keys', () => {
  test('a session loses its active organization and team once the organization is deleted', () =>
    withRows(async (trx) => {
      await trx('organization').where({ id: 'o' }).delete()
      expect(await trx('session').first('id', 'active_organization_id', 'active_team_id')).toEqual({
        id: 's',
        active_organization_id: null,
        active_team_id: null,
      })
      expect(await trx('invitation')).toEqual([])
    }))

  test('a session keeps its organization and loses its team once the team is deleted', () =>
    withRows(async (trx) => {
      await trx('team').where({ id: 't' }).delete()
      expect(await trx('session').first('active_organization_id', 'active_team_id')).toEqual({
        active_organization_id: 'o',
        active_team_id: null,
      })
    }))

  test('mailed links are deleted with their user, and invitations stay after their inviter is deleted', () =>
    withRows(async (trx) => {
      await trx('user').where({ id: 'u' }).delete()
      expect(await trx('verification')).toEqual([])
      expect(await trx('invitation').first('inviter_id')).toEqual({ inviter_id: null })
    }))

  test('a billing delivery cannot be deleted while a purchase refers to it', async () => {
    const deletion = knex.transaction(async (trx) => {
      for (const [table, row] of rows) await trx(table).insert(row)
      await trx('billing_delivery').where({ id: 'd' }).delete()
    })
    await expect(deletion).rejects.toThrow(/foreign key constraint/i)
  })
})

test('every time column is a timestamp, or text of 27 characters for times of the billing platform', async () => {
  // These columns contain the origin of a token, not a time.
  const origins = ['rotated_from', 'exchanged_from', 'exchange_from']
  const times = (await columns()).filter(({ name }) => /_(at|until|from|start|time)$/.test(name) && !origins.includes(name))
  const own = times.filter(({ type }) => /^(datetime|timestamp with time zone)$/.test(type))
  const others = times.filter((column) => !own.includes(column))
  expect(own.length).toBeGreaterThan(40)
  expect(
    others.filter(({ table, type, maxLength }) => !/^billing_/.test(table) || !/char/.test(type) || maxLength !== 27),
  ).toEqual([])
})

test('every column of an email address has room for 254 characters', async () => {
  const addresses = (await columns()).filter(
    ({ table, name }) => /^(email|to_address)$/.test(name) || `${table}.${name}` === 'mail_request.address',
  )
  expect(addresses.length).toBeGreaterThan(5)
  expect(addresses.filter(({ maxLength }) => maxLength !== 254)).toEqual([])
})
