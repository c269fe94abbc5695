import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { type BackupDirectory, createBackupDirectory } from '../../support/backup.ts'
import { type Environment, environmentOf, runCommand, slow } from '../../support/binary.ts'
import { createMigratedDatabase } from '../../support/database.ts'
import { sealAll } from '../../support/events.ts'
import { client } from '../../support/rows.ts'
import { eventRow, insertEvents } from '../audit/people.ts'
import { register } from '../oidc/flow.ts'
import { userOf } from '../organizations/people.ts'

let directory: BackupDirectory
let t: TestApp
let env: Environment
beforeEach(async () => {
  directory = createBackupDirectory()
  const backup = { directory: directory.path, withoutKeys: true }
  // Statistics have counted nothing yet. Events that are not counted yet would be kept.
  t = await testApp({ database: await createMigratedDatabase(), config: { backup, billing: { retentionDays: 30 } } })
  await t.app.jobs.stop()
  env = {
    ...environmentOf(t.database),
    ...{
      GATEHOUSE_BACKUP_DIRECTORY: directory.path,
      GATEHOUSE_BACKUP_WITHOUT_KEYS: 'true',
      GATEHOUSE_BILLING_RETENTION_DAYS: '30',
    },
  }
})
afterEach(async () => {
  await t.stop()
  directory.remove()
})

const old = new Date('2020-01-01')
const at = { created_at: old, updated_at: old }

/** Rows beyond their retention, by table, in the order of their foreign keys. */
const outlivedRows = (userId: string, clientId: string): Readonly<Record<string, Record<string, unknown>>> => ({
  rate_limit: { key: 'old', window_start: old, count: 1 },
  used_proof_of_work: { id: 'old', expires_at: old },
  verification: { id: 'old', identifier: 'social:old', value: '', expires_at: old, ...at },
  address_recovery: { id: 'old', user_id: userId, email: 'old@example.com', email_version: 1, expires_at: old },
  mail_request: { id: 'old', kind: 'reset', address: 'old@example.com', network: '', created_at: old },
  pending_sign_in: {
    ...{ id: 'old', token_hash: 'old', user_id: userId, proofs: '[]', remember_me: true, must_enrol: false },
    ...{ created_at: old, expires_at: old },
  },
  known_device: { user_id: userId, key_hash: 'old', last_used_at: old },
  mail_sign_in: { id: 'old', email: 'old@example.com', browser_hash: 'old', attempts: 0, created_at: old, expires_at: old },
  mail_code: {
    ...{ id: 'old', user_id: userId, bound_hash: 'old', code_hash: 'old', email_version: 0, attempts: 0 },
    ...{ created_at: old, expires_at: old },
  },
  remembered_browser: {
    ...{ id: 'old', user_id: userId, browser_hash: 'old', address: '', user_agent: '' },
    ...{ created_at: old, last_used_at: old, expires_at: old },
  },
  second_factor_recovery: {
    ...{ id: 'old', user_id: userId, stage: 'ready', requester: '', code_attempts: 0 },
    ...{ requested_at: old, ready_at: old, ends_at: old },
  },
  sign_in_failure: {
    ...{ id: 'old', occurred_at: old, last_at: old, attempts: 1, method: 'password', reason: 'wrong-password', code: 'X' },
    ...{ detail: '{}', address: '', network: '', user_agent: '', request_id: 'old' },
  },
  totp: { id: 'old', user_id: userId, secret: '', issuer: '', created_at: old },
  recovery_code_list: { id: 'old', user_id: userId, key: '', is_active: false, created_at: old },
  passkey_challenge: {
    ...{ challenge_hash: 'old', browser_hash: '', kind: 'authentication', user_id: null, is_conditional: false, expires_at: old },
  },
  password_failure: { key: 'old', user_id: null, recent: 1, consecutive: 1, last_at: old },
  oidc_artifact: { id: 'old', kind: 'Interaction', payload: '{}', expires_at: old },
  signing_key: {
    ...{ id: 'old', alg: 'RS256', generation: 0, public_key: '{}', private_key: '', created_at: old },
    ...{ signs_from: old, retires_at: old },
  },
  session: {
    ...{ id: 'old', token_hash: 'old', user_id: userId, expires_at: old, ...at },
    ...{ ip_address: '', user_agent: '', remember_me: true, amr: '[]', acr: 'x', proofs: '[]' },
  },
  api_key: { id: 'key', owner_kind: 'instance', name: 'key', permissions: '[]', allowed_networks: '[]', enabled: true, ...at },
  api_key_secret: { hash: 'old', key_id: 'key', created_at: old, expires_at: old },
  billing_delivery: {
    ...{ id: 'old', endpoint: 'polar', webhook_id: 'old', received_at: old, headers: '{}', body: Buffer.from('{}') },
    ...{ body_sha256: '', status: 'accepted', outcome: 'ignored', issues: '[]', attempts: 1 },
  },
  task: {
    ...{ id: 'old', kind: 'mail.send', status: 'dead', attempts: 1, due_at: old, created_at: old, expires_at: old },
  },
  image: {
    ...{ id: 'old', kind: 'brand-icon', owner_id: 'old', source_hash: '', media_type: 'image/png', width: 1, height: 1 },
    ...{ bytes: Buffer.from(''), created_at: old, used_at: old },
  },
  statistic: { day: '2020-01-01', measure: 'sign_ups', key: 'old', amount: 1 },
  activity: { period: '2020-01-01', client_id: 'old', user_id: userId, ends_on: '2020-01-01' },
  event_export: {
    ...{ id: 'old', owner: 'user:old', user_id: null, format: 'csv', filters: '{}', until: old, status: 'made' },
    ...{ chunks: 0, events: 0, bytes: 0, created_at: old, expires_at: old },
  },
  oauth_client: { ...client, id: 'old', client_id: 'old', registered_by: 'anonymous', ...at },
  logout_notice: {
    ...{ id: 'old', client_id: clientId, user_id: userId, session_id: 'old', cause: 'session.ended', state: 'delivered' },
    ...{ attempts: 1, created_at: old, expires_at: old },
  },
  backup: { id: 'old', status: 'failed', reason: 'call', started_at: old },
})

const prune = (...flags: readonly string[]) => runCommand(['prune', '--json', ...flags], env)

const isThere = async (table: string) => {
  const key =
    {
      rate_limit: 'key',
      statistic: 'key',
      activity: 'client_id',
      password_failure: 'key',
      known_device: 'key_hash',
      api_key_secret: 'hash',
      passkey_challenge: 'challenge_hash',
    }[table] ?? 'id'
  return (await t.app.core.db.knex(table).where(key, 'old').first(key)) !== undefined
}

test(
  'prune counts expired data by retention, asks for confirmation, deletes exactly the counted data, and is recorded',
  slow,
  async () => {
    const { id } = await userOf(await t.signedIn('ann@example.com'))
    const { clientId } = await register(t)
    const rows = outlivedRows(id, clientId)
    const tables = Object.keys(rows).filter((table) => table !== 'api_key')
    for (const [table, row] of Object.entries(rows)) await t.app.core.db.knex(table).insert(row)
    await insertEvents(
      t,
      Array.from({ length: 3 }, (_, n) => eventRow(n, old)),
    )
    await sealAll(t)
    t.clock.advance({ days: 401 })
    // This row belongs to a valid session, and is deleted with an expired one.
    const ben = await userOf(await t.signedIn('ben@example.com'))
    const session = await t.app.core.db.knex('session').where({ user_id: ben.id }).first('id')
    await t.app.core.db.knex('test_sign_in').insert({
      ...{ id: 'old', client_id: clientId, session_id: session.id, user_id: ben.id, query_hash: '', expires_at: old },
    })
    const unfinished = join(directory.path, '.gatehouse-old.jsonl.gz.partial')
    writeFileSync(unfinished, '')
    utimesSync(unfinished, old, old)

    const counted = (await prune('--dry-run')).json() as { name: string; which: string; outlived: number; deleted: number }[]
    // Their limit in number has its own test.
    expect(counted.filter(({ outlived, which }) => outlived === 0 && !which.startsWith('the oldest beyond'))).toEqual([])
    expect(counted.filter(({ deleted }) => deleted > 0)).toEqual([])
    const unasked = await prune()
    expect([unasked.exitCode, unasked.stdout]).toEqual([2, ''])
    expect(unasked.stderr).toContain('Pass --yes')
    for (const table of tables) expect([table, await isThere(table)]).toEqual([table, true])
    expect(await t.app.audit.list({ type: 'instance.pruned' }, 10)).toEqual([])

    const pruned = (await prune('--yes')).json()
    expect(pruned).toEqual(counted.map((row) => ({ ...row, deleted: row.outlived })))
    for (const table of tables) expect([table, await isThere(table)]).toEqual([table, false])
    expect(existsSync(unfinished)).toBe(false)
    expect(await t.app.core.db.knex('event').where({ subject_type: 'note' })).toEqual([])
    expect(await t.app.audit.list({ type: 'instance.pruned' }, 10)).toMatchObject([
      {
        actorKind: 'system',
        data: { found: Object.fromEntries(counted.flatMap(({ name, outlived }) => (outlived > 0 ? [[name, outlived]] : []))) },
      },
    ])

    const again = (await prune()).json() as { outlived: number }[]
    expect(again.filter(({ outlived }) => outlived > 0)).toEqual([])
    expect(await t.app.audit.list({ type: 'instance.pruned' }, 10)).toHaveLength(1)
  },
)

test('every feature with periodic deletions has a retention that prune applies too', () => {
  const swept = t.app.registered.flatMap(({ tasks = [], retentions = [] }) =>
    tasks.some(({ kind }) => /\.(sweep|retention|retire-keys)$/.test(kind)) && retentions.length === 0
      ? tasks.map(({ kind }) => kind)
      : [],
  )
  expect(swept).toEqual([])
})
