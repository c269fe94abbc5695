import type { Db, Tx } from '../../core/db/database.ts'
import { type Row, sealed, table, text, time } from '../../core/db/table.ts'

export const contextOf = (id: string) => `subject_key.key.${id}`

const columns = {
  /** What the key is used for. */
  id: text,
  /**
   * 32 random bytes in base64, sealed. They must never change, because applications have stored subject identifiers that are derived from
   * them.
   */
  key: sealed(contextOf),
  createdAt: time,
}
const keys = table('subject_key', columns)
export const { sealedColumns } = keys
export type SubjectKeyRow = Row<typeof columns>

export const findSubjectKey = (db: Db, id: string) => keys.find(db, { id })

/** Inserts the key. Does nothing if another node has inserted it first. */
export const insertSubjectKey = async (tx: Tx, row: SubjectKeyRow): Promise<void> => {
  await tx.knex(keys.name).insert(keys.encode(row)).onConflict('id').ignore()
}
