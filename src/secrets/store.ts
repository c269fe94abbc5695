import type { Db, Tx } from '../core/db/database.ts'
import { nullable, type Row, type SealedColumn, table, text, time } from '../core/db/table.ts'

const columns = {
  id: text,
  /** When a node last signed with this master secret. A value that was signed then stays valid for its lifetime, counted from this time. */
  lastSignedAt: time,
  /** Since when this master secret is not configured and seals no value. */
  removedAt: nullable(time),
}
const masterSecrets = table('master_secret', columns)
export type MasterSecretRow = Row<typeof columns>

export const listSecrets = (db: Db) => masterSecrets.list(db, {}, { orderBy: 'id' })

/** Inserts master secrets that are not stored yet, as if they had been used until now. Stored ones are not changed. */
export const insertUnknown = async (tx: Tx, ids: readonly string[], now: Date): Promise<void> => {
  const rows = ids.map((id) => masterSecrets.encode({ id, lastSignedAt: now, removedAt: null }))
  await tx.knex(masterSecrets.name).insert(rows).onConflict('id').ignore()
  await tx
    .knex(masterSecrets.name)
    .whereIn('id', [...ids])
    .whereNotNull('removed_at')
    .update({ removed_at: null })
}

/** Records that a node signs with this master secret now. The stored time never moves back, even if the clocks of nodes differ. */
export const noteSigning = async (tx: Tx, id: string, now: Date): Promise<void> => {
  await tx.knex(masterSecrets.name).where({ id }).where('last_signed_at', '<', now).update({ last_signed_at: now })
}

export const noteRemoved = async (tx: Tx, ids: readonly string[], now: Date): Promise<void> => {
  await tx
    .knex(masterSecrets.name)
    .whereIn('id', [...ids])
    .update({ removed_at: now })
}

/** A query for the sealed values of a column. The column may also contain hashes, which are left out. */
const sealedIn = (db: Db, { table: name, column }: SealedColumn, shortest: number) =>
  db.knex(name).whereRaw("length(??) >= ? and substr(??, 1, 2) = '01'", [column, shortest, column])

/** How many values of a column each master secret has sealed, by id of the master secret. */
export const countBySecret = async (
  db: Db,
  column: SealedColumn,
  shortest: number,
): Promise<readonly { readonly id: string; readonly count: number }[]> => {
  const id = db.knex.raw('substr(??, 3, 8)', [column.column])
  const rows: { id: string; count: unknown }[] = await sealedIn(db, column, shortest)
    .select({ id })
    .count({ count: '*' })
    .groupByRaw('substr(??, 3, 8)', [column.column])
  return rows.map((row) => ({ id: row.id, count: Number(row.count) }))
}

/**
 * The values of a column that are not sealed with the master secret `newest`, sorted by row id. Only rows with an id after `after` are
 * returned.
 */
export const listOutdated = async (
  db: Db,
  column: SealedColumn,
  { shortest, newest, after, limit }: { shortest: number; newest: string; after: string | undefined; limit: number },
): Promise<readonly { readonly id: string; readonly key: string; readonly value: string }[]> => {
  const query = sealedIn(db, column, shortest)
    .whereRaw('substr(??, 3, 8) <> ?', [column.column, newest])
    .orderBy(column.id)
    .limit(limit)
    .select({ id: column.id, key: column.key, value: column.column })
  return after === undefined ? query : query.where(column.id, '>', after)
}

/** Replaces a sealed value. Returns false if the row was deleted or the value was changed meanwhile. */
export const replaceSealed = async (tx: Tx, column: SealedColumn, id: string, from: string, to: string): Promise<boolean> =>
  (await tx
    .knex(column.table)
    .where({ [column.id]: id, [column.column]: from })
    .update({ [column.column]: to })) === 1
