import type { JWK } from 'jose'
import type { Db, Tx } from '../../core/db/database.ts'
import type { Outdated } from '../../core/db/sweep.ts'
import { int, json, nullable, type Row, sealed, table, text, time } from '../../core/db/table.ts'
import { objectWith } from '../../core/stored-json.ts'

export const contextOf = (kid: string) => `signing_key.private_key.${kid}`

const columns = {
  /** The thumbprint of the key (RFC 7638). It is also the key's `kid`. */
  id: text,
  alg: text,
  generation: int,
  publicKey: json(() => objectWith<JWK>({})),
  /** The private JWK, sealed. */
  privateKey: sealed(contextOf),
  createdAt: time,
  signsFrom: time,
  retiresAt: nullable(time),
}
const keys = table('signing_key', columns)
export const { sealedColumns } = keys
export type KeyRow = Row<typeof columns>

export const listKeys = (db: Db) => keys.list(db, {}, { orderBy: 'generation' })

/** Inserts a key. Returns false if another node has inserted a key of this algorithm and generation before. */
export const insertKey = async (tx: Tx, row: KeyRow): Promise<boolean> => {
  const inserted: unknown[] = await tx
    .knex(keys.name)
    .insert(keys.encode(row))
    .onConflict(['alg', 'generation'])
    .ignore()
    .returning('id')
  return inserted.length === 1
}

/** Sets the time until which a key is published. Returns false if the time was set before. */
export const retireKey = (tx: Tx, id: string, retiresAt: Date) => keys.updateOne(tx, { id, retiresAt: null }, { retiresAt })

/** Ends the publication of a key now, even if a later end was set. Returns false if the publication has ended already. */
export const withdrawKey = async (tx: Tx, id: string, now: Date): Promise<boolean> =>
  (await tx
    .knex(keys.name)
    .where({ id })
    .where((rows) => rows.whereNull('retires_at').orWhere('retires_at', '>', now))
    .update({ retires_at: now })) === 1

/** Selects keys whose publication ended before the given time. */
export const retiredKeys = (before: Date): Outdated => ({
  table: keys.name,
  key: ['id'],
  choose: (rows) => rows.where('retires_at', '<', before),
})
