import type { Db, Tx } from '../../core/db/database.ts'
import { nullable, type Row, table, text, time } from '../../core/db/table.ts'

const columns = {
  /** The id of the client's row. */
  id: text,
  /** The SHA-256 of the metadata in the document. */
  digest: text,
  /** The error of the last fetch; null after a success. */
  problem: nullable(text),
  /** The time of the last fetch. */
  readAt: time,
  /** The time from which the document is fetched again. */
  refreshAt: time,
  /** The time until which the document is used if it cannot be fetched again. */
  validUntil: time,
}
const documents = table('client_metadata_document', columns)
export type DocumentRow = Row<typeof columns>

export const findDocument = (db: Db, id: string) => documents.find(db, { id })
export const insertDocument = (tx: Tx, row: DocumentRow) => documents.insert(tx, row)
export const updateDocument = (tx: Tx, { id, ...row }: DocumentRow) => documents.updateOne(tx, { id }, row)
export const noteProblem = (tx: Tx, id: string, problem: string) => documents.updateOne(tx, { id }, { problem })

/**
 * Decides which of several simultaneous requests fetches a document again: returns true for one of them. All other requests get false
 * until `next`.
 */
export const claimRefresh = async (tx: Tx, id: string, now: Date, next: Date): Promise<boolean> =>
  (await tx.knex(documents.name).where({ id }).where('refresh_at', '<=', now).update({ refresh_at: next })) === 1
