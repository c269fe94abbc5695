/** What the tables refuse, whoever writes into them. */
import { globSync, readFileSync } from 'node:fs'
import type { Knex } from 'knex'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/core/db/database.ts'
import { createMigratedDatabase, dialect, type TestDatabase } from '../../support/database.ts'

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

const at = new Date('2026-01-01')
const made = { created_at: at, updated_at: at }
const user = { id: 'u', name: '', email: 'u@example.com', email_verified: true, email_ever_verified: true, email_version: 0 }
const organization = { id: 'o', name: '', slug: 'o', created_at: at }
const team = { id: 't', organization_id: 'o', name: '', created_at: at }
const client = {
  ...{ id: 'c', client_id: 'c', name: '', redirect_urls: '[]', post_logout_redirect_urls: '[]', web_origins: '[]', type: 'web' },
  ...{ scope: '', id_token_alg: 'RS256', pkce: null, skip_consent: false, disabled: false, ...made },
}
const invitation = {
  ...{ id: 'i', organization_id: 'o', email: 'i@example.com', role: 'member', status: 'pending', team_ids: '[]' },
  ...{ inviter_id: 'u', by_operator: false, expires_at: at, created_at: at },
}
const session = {
  ...{ id: 's', token_hash: 's', user_id: 'u', expires_at: at, ip_address: '', user_agent: '', remember_me: true },
  ...{ amr: '[]', acr: 'x', proofs: '[]', ...made },
  ...{ active_organization_id: 'o', active_team_id: 't' },
}
const delivery = {
  ...{ id: 'd', endpoint: 'e', webhook_id: 'w', received_at: at, headers: '{}', body: Buffer.alloc(0), body_sha256: '' },
  ...{ status: 'accepted', outcome: 'applied', issues: '[]', attempts: 1 },
}
const task = { id: 't', kind: 'k', status: 'pending', attempts: 0, due_at: at, created_at: at }
const apiKey = {
  ...{ id: 'k', owner_kind: 'user', user_id: 'u', organization_id: null, name: '', permissions: '[]', allowed_networks: '[]' },
  ...{ requests_per_minute: null, enabled: true, expires_at: null, created_by: 'u', ...made },
}
/** Rows that are accepted, parents first. */
const rows: readonly (readonly [table: string, row: Record<string, unknown>])[] = [
  ['user', { ...user, role: 'user', ...made }],
  ['organization', organization],
  ['team', team],
  ['session', session],
  ['invitation', invitation],
  ['verification', { id: 'v', identifier: 'v', value: '', user_id: 'u', expires_at: at, ...made }],
  ['oauth_client', client],
  [
    'passkey_challenge',
    { challenge_hash: 'c', browser_hash: 'b', kind: 'registration', user_id: 'u', is_conditional: false, expires_at: at },
  ],
  ['task', task],
  ['mail_request', { id: 'r', kind: 'reset', address: '', network: '', created_at: at }],
  ['api_key', apiKey],
  ['api_key_secret', { hash: 'h', key_id: 'k', created_at: at, expires_at: null, last_used_at: null }],
  ['billing_delivery', delivery],
  ['billing_product', { id: 'p', data: '{}', version: '', delivery_id: 'd' }],
  ['billing_link', { customer_id: 'c', linked_by: 'email', linked_at: at }],
  [
    'applied_object',
    { kind: 'client', key: 'k', object_id: 'c', source: 's', is_made: true, is_declared: true, form: '{}', applied_at: at },
  ],
  [
    'second_factor_recovery',
    { id: 's', user_id: 'u', stage: 'ready', requester: '', requested_at: at, ready_at: at, code_attempts: 0 },
  ],
  ['backup', { id: 'b', status: 'made', reason: 'call', started_at: at }],
  [
    'event_export',
    {
      ...{
        id: 'e',
        owner: 'user:u',
        user_id: 'u',
        format: 'csv',
        filters: '{}',
        until: at,
        status: 'failed',
        error: 'too-large',
      },
      ...{ chunks: 0, events: 0, bytes: 0, created_at: at, expires_at: at },
    },
  ],
  [
    'image',
    {
      ...{ id: 'i', kind: 'user-picture', owner_id: 'u', source_hash: '', media_type: 'image/webp', width: 1, height: 1 },
      ...{ bytes: Buffer.alloc(1), created_at: at },
    },
  ],
]

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
  'mail_request.kind',
  'oauth_client.id_token_alg',
  'oauth_client.pkce',
  'oauth_client.require_acr',
  'oauth_client.type',
  'passkey_challenge.kind',
  'second_factor_recovery.stage',
  'task.status',
]

/** Runs `work` with the rows in place and takes them back. */
const withRows = (work: (trx: Knex.Transaction) => Promise<void>): Promise<void> =>
  knex
    .transaction(async (trx) => {
      for (const [table, row] of rows) await trx(table).insert(row)
      await work(trx)
      throw new Error('taken back')
    })
    .catch((error: Error) => expect(error.message).toBe('taken back'))

describe('enumerated columns', () => {
  test.for(enumerated)('the database refuses a value of %s that the code does not know', async (name) => {
    const [table = '', column = ''] = name.split('.')
    const message = await knex
      .transaction(async (trx) => {
        for (const [parent, row] of rows) await trx(parent).insert(row)
        await trx(table).update({ [column]: 'unknown' })
      })
      .catch((error: Error) => error.message)
    expect(message).toMatch(/check constraint/i)
  })

  test('every column that a store reads with oneOf is tested', () => {
    const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const stores = globSync('src/**/{store/*,store,*-store}.ts').map((path) => readFileSync(path, 'utf8'))
    const read = stores.flatMap((text) => [...text.matchAll(/(\w+): (?:nullable\()?oneOf\(/g)].map(([, key = '']) => snake(key)))
    expect([...new Set(read)].sort()).toEqual([...new Set(enumerated.map((name) => name.split('.')[1]))].sort())
  })
})

describe('foreign keys', () => {
  test('a session acts for no organization and no team once the organization is deleted', () =>
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

  test('mailed links are deleted with their user, and invitations stay without their inviter', () =>
    withRows(async (trx) => {
      await trx('user').where({ id: 'u' }).delete()
      expect(await trx('verification')).toEqual([])
      expect(await trx('invitation').first('inviter_id')).toEqual({ inviter_id: null })
    }))

  test('a delivery cannot be deleted while an entity refers to it', async () => {
    const deletion = knex.transaction(async (trx) => {
      for (const [table, row] of rows) await trx(table).insert(row)
      await trx('billing_delivery').where({ id: 'd' }).delete()
    })
    await expect(deletion).rejects.toThrow(/foreign key constraint/i)
  })
})

test('every time column is a timestamp, or text of 27 characters for times of the billing platform', async () => {
  const times = (await columns()).filter(({ name }) => /_(at|until|from|start|time)$/.test(name) && name !== 'rotated_from')
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
