/** Inserts many users with sessions, organizations, applications and events directly into a server's database. */
import type { Knex } from 'knex'
import { settle, withDatabase } from './database.ts'

export interface Size {
  readonly users: number
  readonly events: number
}

type Part = readonly [table: string, rows: number, columns: Record<string, string>]

/** Number of rows that one statement inserts. */
const batch = 50_000
const month = 30 * 86_400_000

/** SQL that maps the number `i` to a different number of 32 bits, so that ids are in no order. */
const id = (kind: string, i = 'i') => `'${kind}' || (((${i}) * 2654435761) % 4294967296)`

/**
 * Every tenth user is a customer, and half of the customers are linked. Each customer has ten deliveries. Every fiftieth delivery is
 * quarantined.
 */
const billing = (isSqlite: boolean, users: number, at: (rows: number) => string): readonly Part[] => {
  const customers = Math.ceil(users / 10)
  const of = `i % ${customers} + 1`
  const stamp = "'2026-11-01T00:00:00.' || substr(cast(1000000 + i % 1000000 as text), 2) || 'Z'"
  const customerText = "'  member  name  m' || i || '@example.com'"
  const data = `'{"name":"Member Name","created_at":"2026-11-01T00:00:00Z","deleted_at":null}'`
  return [
    [
      'billing_delivery',
      users,
      {
        ...{
          id: id('d'),
          endpoint: "'polar'",
          webhook_id: id('w'),
          customer_id: id('k', of),
          headers: "'{}'",
          body_sha256: "''",
        },
        ...{ event_type: "case when i % 100 = 1 then 'order.refunded' else 'subscription.updated' end", event_at: stamp },
        ...{ status: "case when i % 50 = 0 then 'quarantined' else 'accepted' end", outcome: "'applied'", issues: "'[]'" },
        ...{
          attempts: '1',
          received_at: at(users),
          applied_at: at(users),
          body: isSqlite ? "cast('{}' as blob)" : "'{}'::bytea",
        },
      },
    ],
    [
      'billing_customer',
      customers,
      {
        ...{ id: id('k'), email: "'m' || i || '@example.com'", external_id: id('x'), is_deleted: isSqlite ? '0' : 'false' },
        ...{
          snapshot: "''",
          search_text: customerText,
          created_at: stamp,
          version: "''",
          delivery_id: id('d'),
          data,
        },
      },
    ],
    // Triggers of PostgreSQL are switched off while the rows are inserted, so the numbers that they would count are inserted here.
    ...(isSqlite
      ? []
      : [['billing_customer_search_text', customers, { billing_customer_id: id('k'), text: customerText }] as const]),
    [
      'billing_link',
      Math.ceil(customers / 2),
      { customer_id: id('k', 'i * 2'), user_id: id('u'), linked_by: "'operator'", linked_at: at(users) },
    ],
  ]
}

/**
 * Values of the columns of each table as SQL over `i`. Every user has a session, every tenth an organization, and every hundredth an
 * application.
 */
const layout = (isSqlite: boolean, { users, events }: Size): readonly Part[] => {
  const moment = (ms: string) => (isSqlite ? `(${ms})` : `to_timestamp((${ms}) / 1000.0)`)
  const began = Date.now() - month
  const bool = (condition: string) => (isSqlite ? `(case when ${condition} then 1 else 0 end)` : `(${condition})`)
  const at = (rows: number) => moment(`${began} + i * ${Math.max(1, Math.floor((month - 3_600_000) / rows))}`)
  const soon = moment(String(Date.now() + month))
  const address = `'198.51.' || ((i / 100) % 100) || '.' || (i % 100)`
  const slots = (of: string) => ({ created_at: at(of === 'users' ? users : events) })
  const organizations = Math.ceil(users / 10)
  const domain = `'@example' || (i % 1000) || '.com'`
  const terms = ["'member'", "'m' || i", `'m' || i || ${domain}`, domain, "'example' || (i % 1000)", "'com'", "'name' || i"]
  const teamTerms = ["'team'", "'team-' || i", "'name' || i", 'cast(i as text)']
  const textOf = (all: readonly string[]) => all.map((term) => `'  ' || ${term}`).join(' || ')
  return [
    [
      'user',
      users,
      {
        ...{ id: id('u'), name: "'Member Name' || i", email: `'m' || i || ${domain}`, email_verified: bool('i % 3 = 0') },
        ...{
          email_ever_verified: bool('i % 3 = 0'),
          email_version: '0',
          role: "case when i % 1000 = 0 then 'support' else 'user' end",
        },
        ...{ ...slots('users'), updated_at: at(users), banned_at: `case when i % 500 = 0 then ${at(users)} end` },
      },
    ],
    ...terms.map((term) => ['user_search', users, { term, user_id: id('u') }] as const),
    ['user_search_text', users, { text: textOf(terms), user_id: id('u') }],
    [
      'session',
      users,
      {
        ...{
          id: id('s'),
          token_hash: "'h' || i",
          user_id: id('u'),
          expires_at: soon,
          created_at: at(users),
          updated_at: at(users),
        },
        ...{ ip_address: address, user_agent: "'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0'", remember_me: bool('i > 0') },
        ...{ amr: `'["pwd"]'`, acr: "''", proofs: "'[]'" },
      },
    ],
    [
      'organization',
      organizations,
      { id: id('o'), name: "'Team Name' || i", slug: "'team-' || i", created_at: at(organizations) },
    ],
    ...teamTerms.map((term) => ['organization_search', organizations, { term, organization_id: id('o') }] as const),
    ['organization_search_text', organizations, { text: textOf(teamTerms), organization_id: id('o') }],
    [
      'member',
      users,
      {
        ...{ id: id('m'), organization_id: id('o', `i % ${organizations} + 1`), user_id: id('u'), role: "'member'" },
        created_at: at(users),
      },
    ],
    [
      'oauth_client',
      Math.ceil(users / 100),
      {
        ...{
          id: id('c'),
          client_id: id('c'),
          name: "'Application ' || i",
          name_key: "'application ' || i",
          type: "'web'",
          scope: "'openid'",
        },
        ...{ redirect_urls: "'[]'", post_logout_redirect_urls: "'[]'", web_origins: "'[]'", id_token_alg: "'RS256'" },
        ...{ skip_consent: bool('i < 0'), disabled: bool('i % 50 = 0'), created_at: at(users), updated_at: at(users) },
      },
    ],
    [
      'event',
      events,
      {
        ...{
          id: id('e'),
          type: "case when i % 4 = 0 then 'session.started' when i % 997 = 0 then 'user.created' else 'session.ended' end",
        },
        ...{ occurred_at: at(events), actor_kind: "'user'", actor_id: id('u', `i % ${users} + 1`), subject_type: "'user'" },
        ...{ subject_id: id('u', `i % ${users} + 1`), address, user_agent: "''", request_id: id('r'), data: "'{}'" },
        // Positions after the head of the chain. Sealing, readers and retention ignore these events.
        ...{ position: '1000000000000 + i', hash: "''" },
      },
    ],
    ...billing(isSqlite, users, at),
  ]
}

const write = async (db: Knex, isSqlite: boolean, table: string, rows: number, columns: Record<string, string>) => {
  const names = Object.keys(columns).join(', ')
  const values = Object.values(columns).join(', ')
  for (let from = 1; from <= rows; from += batch) {
    const to = Math.min(rows, from + batch - 1)
    const numbers = isSqlite
      ? `(with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to}) select i from n)`
      : `(select generate_series(${from}::bigint, ${to}::bigint) as i)`
    await db.raw(`insert into "${table}" (${names}) select ${values} from ${numbers} as n`.replaceAll('?', '\\?'))
  }
}

/**
 * Drops the indexes of a table that are no constraints, and returns the statements that make them again. Building an index from all rows
 * at once takes a tenth of the time.
 */
const dropIndexes = async (db: Knex, isSqlite: boolean, table: string): Promise<readonly string[]> => {
  const found: { name: string; sql: string }[] = isSqlite
    ? await db('sqlite_master').where({ type: 'index', tbl_name: table }).whereNotNull('sql').select('name', 'sql')
    : await db('pg_indexes')
        .where({ schemaname: 'public', tablename: table })
        .whereNotIn('indexname', db('pg_constraint').select('conname'))
        .select({ name: 'indexname', sql: 'indexdef' })
  for (const { name } of found) await db.raw('drop index ??', [name])
  return found.map(({ sql }) => sql)
}

/** Settings that skip constraint checks and safety against a crash. The rows are valid, and the database is thrown away after the benchmark. */
const hurried = (isSqlite: boolean): readonly string[] =>
  isSqlite
    ? ['pragma journal_mode = off', 'pragma cache_size = -2000000']
    : ['set session_replication_role = replica', "set maintenance_work_mem = '1GB'"]

/**
 * Inserts the rows in the layout of the migrations, while no server uses the database. Afterwards PostgreSQL has analysed the tables and
 * SQLite has not, as in normal use.
 */
export const fillPeople = (databaseUrl: string, size: Size): Promise<void> =>
  withDatabase(databaseUrl, async (db) => {
    const isSqlite = databaseUrl.startsWith('sqlite:')
    for (const setting of hurried(isSqlite)) await db.raw(setting)
    const parts = layout(isSqlite, size)
    for (const table of new Set(parts.map(([name]) => name))) {
      const indexes = await dropIndexes(db, isSqlite, table)
      for (const [name, rows, columns] of parts) if (name === table) await write(db, isSqlite, table, rows, columns)
      for (const sql of indexes) await db.raw(sql)
    }
    if (isSqlite) await db.raw('pragma journal_mode = wal')
    await settle(db, databaseUrl)
  })
