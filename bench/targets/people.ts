/** Many users with sessions, organizations, applications and events, written straight into a server's database. */
import type { Knex } from 'knex'
import { settle, withDatabase } from './database.ts'

export interface Size {
  readonly users: number
  readonly events: number
}

/** Rows of one statement. */
const batch = 50_000
const month = 30 * 86_400_000

/** Scatters numbers over 32 bits, each onto one of its own: ids that are in no order. */
const id = (kind: string, i = 'i') => `'${kind}' || (((${i}) * 2654435761) % 4294967296)`

/** Values of columns as SQL over `i`, in tables of the layout. Every user has a session, every tenth an organization, every hundredth an application. */
const layout = (isSqlite: boolean, { users, events }: Size): readonly (readonly [string, number, Record<string, string>])[] => {
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
    ...["'team'", "'team-' || i", "'name' || i", 'cast(i as text)'].map(
      (term) => ['organization_search', organizations, { term, organization_id: id('o') }] as const,
    ),
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
        // Below all that is sealed: readers of events pass them over.
        ...{ position: '-i', hash: "''" },
      },
    ],
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

/** Writes them in the layout of the migrations; PostgreSQL has analysed the tables then, SQLite has not, as in use. */
export const fillPeople = (databaseUrl: string, size: Size): Promise<void> =>
  withDatabase(databaseUrl, async (db) => {
    const isSqlite = databaseUrl.startsWith('sqlite:')
    for (const [table, rows, columns] of layout(isSqlite, size)) await write(db, isSqlite, table, rows, columns)
    await settle(db, databaseUrl)
  })
