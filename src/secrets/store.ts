import type { Db, Tx } from '../core/db/database.ts'
import { nullable, type Row, type SealedColumn, table, text, time } from '../core/db/table.ts'

const columns = {
  id: text,
  /** When a node last signed with this secret. Values that were signed before stay valid for their life, counted from that time. */
  lastSignedAt: time,
  /** Since when the configuration lacks this secret and no value is sealed with it. */
  removedAt: nullable(time),
}
const masterSecrets = table('master_secret', columns)
export type MasterSecretRow = Row<typeof columns>

export const listSecrets = (db: Db) => masterSecrets.list(db, {}, { orderBy: 'id' })

/** Inserts newly configured secrets as if they had been used until now. Known ones stay unchanged. */
export const insertUnknown = async (tx: Tx, ids: readonly string[], now: Date): Promise<void> => {
  const rows = ids.map((id) => masterSecrets.encode({ id, lastSignedAt: now, removedAt: null }))
  await tx.knex(masterSecrets.name).insert(rows).onConflict('id').ignore()
  await tx
    .knex(masterSecrets.name)
    .whereIn('id', [...ids])
    .whereNotNull('removed_at')
    .update({ removed_at: null })
}

/** Records that a node signs with this secret now. The stored time never moves back, whatever the clocks of nodes say. */
export const noteSigning = async (tx: Tx, id: string, now: Date): Promise<void> => {
  await tx.knex(masterSecrets.name).where({ id }).where('last_signed_at', '<', now).update({ last_signed_at: now })
}

export const noteRemoved = async (tx: Tx, ids: readonly string[], now: Date): Promise<void> => {
  await tx
    .knex(masterSecrets.name)
    .whereIn('id', [...ids])
    .update({ removed_at: now })
}

/** Selects the sealed values of a column. Hashes in the column are left out. */
const sealedIn = (db: Db, { table: name, column }: SealedColumn, shortest: number) =>
  db.knex(name).whereRaw("length(??) >= ? and substr(??, 1, 2) = '01'", [column, shortest, column])

/** The number of a column's values that each secret has sealed, by id of the secret. */
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

/** Values of a column, in the order of ids after `after`, that are sealed with another secret than `newest`. */
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

/** False if the row was deleted, or if its value was changed meanwhile. */
export const replaceSealed = async (tx: Tx, column: SealedColumn, id: string, from: string, to: string): Promise<boolean> =>
  (await tx
    .knex(column.table)
    .where({ [column.id]: id, [column.column]: from })
    .update({ [column.column]: to })) === 1
