import type { Db, Tx } from '../../../core/database.ts'
import { int, type Row, table, text, time } from '../../../core/table.ts'

const columns = {
  endpoint: text,
  /** Code of the refusal. */
  reason: text,
  /** The network it came from; empty: any, when there were too many to keep apart. */
  address: text,
  count: int,
  firstSeenAt: time,
  lastSeenAt: time,
}
const refusals = table('billing_refusal', columns)
export type Refusal = Row<typeof columns>

/** Adds to what is known of each. */
export const addRefusals = async (tx: Tx, rows: readonly Refusal[]): Promise<void> => {
  await tx
    .knex(refusals.name)
    .insert(rows.map((row) => refusals.encode(row)))
    .onConflict(['endpoint', 'reason', 'address'])
    .merge({ count: tx.knex.raw('billing_refusal.count + excluded.count'), last_seen_at: tx.knex.raw('excluded.last_seen_at') })
}

/** Keeps the `most` that were seen last. */
export const trimRefusals = async (tx: Tx, most: number): Promise<void> => {
  const oldest = tx.knex(refusals.name).select('last_seen_at').orderBy('last_seen_at', 'desc').offset(most).limit(1)
  await tx.knex(refusals.name).where('last_seen_at', '<=', oldest).delete()
}

export const listRefusals = (db: Db, limit: number) => refusals.list(db, {}, { orderBy: 'lastSeenAt', descending: true, limit })
