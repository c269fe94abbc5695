import type { Db, Tx } from '../../core/database.ts'
import { deleteSome } from '../../core/sweep.ts'
import { int, nullable, oneOf, type Row, table, text, time } from '../../core/table.ts'

const columns = {
  id: text,
  kind: oneOf('verification', 'reset'),
  address: text,
  url: nullable(text),
  language: nullable(int),
  createdAt: time,
  /** Where it was asked. */
  network: text,
  /** The browser it was asked with; worth nothing without our signature in its cookie. */
  deviceId: nullable(text),
}
const requests = table('mail_request', columns)
export type MailRequest = Row<typeof columns>

export const insertRequest = (tx: Tx, row: MailRequest) => requests.insert(tx, row)
export const listRequests = (db: Db, limit: number) => requests.list(db, {}, { orderBy: 'createdAt', limit })
/** Takes a request; false when another node took it first. */
export const takeRequest = async (tx: Tx, id: string) => (await requests.delete(tx, { id })) === 1
/** Deletes at most `limit` requests made before `before`; returns how many. */
export const deleteOldRequests = (tx: Tx, before: Date, limit: number): Promise<number> =>
  deleteSome(tx, requests.name, ['id'], (rows) => rows.where('created_at', '<', before), limit)
