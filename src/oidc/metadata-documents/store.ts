import type { Db, Tx } from '../../core/db/database.ts'
import { nullable, type Row, table, text, time } from '../../core/db/table.ts'

const columns = {
  /** Id of the client's row. */
  id: text,
  /** SHA-256 of the metadata of the document. */
  digest: text,
  /** Error of the last fetch; null after a success. */
  problem: nullable(text),
  /** Time of the last fetch. */
  readAt: time,
  /** Time from which it is fetched again. */
  refreshAt: time,
  /** End of its use when it cannot be fetched again. */
  validUntil: time,
}
const documents = table('client_metadata_document', columns)
export type DocumentRow = Row<typeof columns>

export const findDocument = (db: Db, id: string) => documents.find(db, { id })
export const insertDocument = (tx: Tx, row: DocumentRow) => documents.insert(tx, row)
export const updateDocument = (tx: Tx, { id, ...row }: DocumentRow) => documents.updateOne(tx, { id }, row)
export const noteProblem = (tx: Tx, id: string, problem: string) => documents.updateOne(tx, { id }, { problem })

/** True for one of several requests at the time when a document is due: this request fetches the document, and no other does before `next`. */
export const claimRefresh = async (tx: Tx, id: string, now: Date, next: Date): Promise<boolean> =>
  (await tx.knex(documents.name).where({ id }).where('refresh_at', '<=', now).update({ refresh_at: next })) === 1
