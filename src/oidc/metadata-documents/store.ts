import type { Db, Tx } from '../../core/db/database.ts'
import { nullable, type Row, table, text, time } from '../../core/db/table.ts'

const columns = {
  /** The id of the row of the client. */
  id: text,
  /** SHA-256 of the metadata that were read from it. */
  digest: text,
  /** The error of the last attempt; null after a success. */
  problem: nullable(text),
  /** When it was read last. */
  readAt: time,
  /** Not before then it is asked for again. */
  refreshAt: time,
  /** Until then it counts, also where it cannot be read again. */
  validUntil: time,
}
const documents = table('client_metadata_document', columns)
export type DocumentRow = Row<typeof columns>

export const findDocument = (db: Db, id: string) => documents.find(db, { id })
export const insertDocument = (tx: Tx, row: DocumentRow) => documents.insert(tx, row)
export const updateDocument = (tx: Tx, { id, ...row }: DocumentRow) => documents.updateOne(tx, { id }, row)
export const noteProblem = (tx: Tx, id: string, problem: string) => documents.updateOne(tx, { id }, { problem })

/** True for one of the requests that come when a document is due: it asks for the document, and nobody else does before `next`. */
export const claimRefresh = async (tx: Tx, id: string, now: Date, next: Date): Promise<boolean> =>
  (await tx.knex(documents.name).where({ id }).where('refresh_at', '<=', now).update({ refresh_at: next })) === 1
