import type { Knex } from 'knex'
import { type UserRow, users } from '../../src/identity/users/table.ts'

/** One valid row for each of many tables, as the database takes it: names of columns, and values for knex. */
export const at = new Date('2026-01-01')
export const made = { created_at: at, updated_at: at }
export const user = {
  id: 'u',
  name: '',
  email: 'u@example.com',
  email_verified: true,
  email_ever_verified: true,
  email_version: 0,
}
export const organization = { id: 'o', name: '', slug: 'o', created_at: at }
export const team = { id: 't', organization_id: 'o', name: '', created_at: at }
export const client = {
  ...{ id: 'c', client_id: 'c', name: '', redirect_urls: '[]', post_logout_redirect_urls: '[]', web_origins: '[]', type: 'web' },
  ...{ scope: '', id_token_alg: 'RS256', pkce: null, skip_consent: false, disabled: false, ...made },
}
export const invitation = {
  ...{ id: 'i', organization_id: 'o', email: 'i@example.com', role: 'member', status: 'pending', team_ids: '[]' },
  ...{ inviter_id: 'u', by_operator: false, expires_at: at, created_at: at },
}
export const session = {
  ...{ id: 's', token_hash: 's', user_id: 'u', expires_at: at, ip_address: '', user_agent: '', remember_me: true },
  ...{ amr: '[]', acr: 'x', proofs: '[]', ...made },
  ...{ active_organization_id: 'o', active_team_id: 't' },
}
export const delivery = {
  ...{ id: 'd', endpoint: 'e', webhook_id: 'w', received_at: at, headers: '{}', body: Buffer.alloc(0), body_sha256: '' },
  ...{ status: 'accepted', outcome: 'applied', issues: '[]', attempts: 1 },
}
export const task = { id: 't', kind: 'k', status: 'pending', attempts: 0, due_at: at, created_at: at }
export const apiKey = {
  ...{ id: 'k', owner_kind: 'user', user_id: 'u', organization_id: null, name: '', permissions: '[]', allowed_networks: '[]' },
  ...{ requests_per_minute: null, enabled: true, expires_at: null, created_by: 'u', ...made },
}
/** A complete user as the store takes it, with null for each optional value. */
export const userRow = (id: string, changes: Partial<UserRow> = {}): UserRow => ({
  ...users.decode({ ...user, role: 'user', ...made, id, email: `${id}@example.com` }),
  ...changes,
})
/** Valid rows, parents before children. */
export const rows: readonly (readonly [table: string, row: Record<string, unknown>])[] = [
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
  ['api_key_secret', { hash: 'h', key_id: 'k', created_at: at, created_by: 'u', expires_at: null, last_used_at: null }],
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
  ['daemon_configuration', { id: 'd', started_at: at, seen_at: at, url: 'http://localhost:3000', settings: '[]' }],
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
    'logout_notice',
    {
      ...{ id: 'n', client_id: 'c', user_id: 'u', session_id: 's', cause: 'session.ended', state: 'waiting', attempts: 0 },
      ...{ created_at: at, expires_at: at },
    },
  ],
  [
    'resource_server',
    {
      ...{ id: 'r', identifier: 'r', identifier_key: 'r', name: '', scopes: '[]', token_format: 'jwt', signing_alg: 'RS256' },
      ...{ token_ttl_seconds: 60, access: 'all', ...made },
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

/** The tables of the database. */
export const tableNames = (knex: Knex): Promise<string[]> =>
  knex.client.dialect === 'sqlite3'
    ? knex('sqlite_master').where({ type: 'table' }).pluck('name')
    : knex('pg_tables').where({ schemaname: 'public' }).pluck('tablename')
