import knex from 'knex'
import { buildEvent } from '../../src/billing/simulator/build.ts'

/** SQL that maps the number `i` to a different number of 32 bits, so that ids are in no order. */
const scattered = '(i * 2654435761) % 4294967296'

const numbers = 'with recursive n(i) as (select cast(? as bigint) union all select i + 1 from n where i < ?)'
/** Number of rows that one statement inserts. */
const batch = 50_000

/**
 * Inserts deliveries directly into the database, ten for each customer, with the state that is derived from them. Sending them to the
 * daemon would take an hour.
 */
export const fillInbox = async (databaseUrl: string, deliveries: number): Promise<void> => {
  const isSqlite = databaseUrl.startsWith('sqlite:')
  const db = isSqlite
    ? knex({
        client: 'sqlite3',
        connection: { filename: databaseUrl.slice('sqlite:'.length) },
        useNullAsDefault: true,
        pool: { min: 1, max: 1 },
      })
    : knex({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 1 } })
  const { data } = buildEvent('subscription.updated', { at: new Date('2026-11-01T00:00:00Z'), customerId: 'somebody' })
  const body = JSON.stringify({ type: 'subscription.updated', data: { ...data, product: undefined } })
  const customers = Math.ceil(deliveries / 10)
  const began = Date.now() - deliveries * 1_000
  const time = isSqlite ? `(${began} + i * 1000)` : `to_timestamp(${began / 1_000} + i)`
  const bytes = isSqlite ? 'cast(? as blob)' : "convert_to(?, 'UTF8')"
  const customer = `'c' || (select ((i % ${customers} + 1) * 2654435761) % 4294967296)`
  const stamp = `'2026-11-01T00:00:00.000000Z'`
  const version = `'2026-11-01T00:00:00.000000Z|50|x'`
  try {
    for (const pragma of isSqlite ? ['busy_timeout = 60000', 'synchronous = off', 'cache_size = -1000000'] : [])
      await db.raw(`pragma ${pragma}`)
    const insert = async (rows: number, sql: string, ...values: readonly string[]) => {
      for (let from = 1; from <= rows; from += batch)
        await db.raw(`${numbers} ${sql}`, [from, Math.min(rows, from + batch - 1), ...values])
    }
    await insert(
      deliveries,
      `insert into billing_delivery (id, endpoint, webhook_id, event_type, customer_id, received_at, event_at, headers, body,
body_sha256, status, outcome, issues, attempts, applied_at)
select 'd' || (${scattered}), 'polar', 'w' || (${scattered}), 'subscription.updated', ${customer}, ${time}, ${stamp}, '{}', ${bytes},
'', 'accepted', 'applied', '[]', 1, ${time} from n`,
      body,
    )
    await insert(
      customers,
      `insert into billing_customer (id, email, external_id, is_deleted, snapshot, created_at, data, version, delivery_id)
select 'c' || (${scattered}), 'c' || i || '@example.com', null, ${isSqlite ? '0' : 'false'}, '', ${stamp}, '{}', ${version},
'd' || (${scattered}) from n`,
    )
    await insert(
      customers,
      `insert into billing_subscription (id, customer_id, created_at, data, version, delivery_id)
select 's' || (${scattered}), 'c' || (${scattered}), ${stamp}, ?, ${version}, 'd' || (${scattered}) from n`,
      JSON.stringify({ ...data, price_ids: [], product: undefined, customer: undefined }),
    )
    await db.raw('analyze')
  } finally {
    await db.destroy()
  }
}
