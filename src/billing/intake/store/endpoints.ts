import type { Db, Tx } from '../../../core/database.ts'
import { type Row, table, text, time } from '../../../core/table.ts'

const columns = {
  name: text,
  /** JSON list, newest first, sealed. */
  secrets: text,
  createdAt: time,
  updatedAt: time,
}
const endpoints = table('billing_endpoint', columns)
export type EndpointRow = Row<typeof columns>

export const listEndpoints = (db: Db) => endpoints.list(db, {}, { orderBy: 'name' })
export const findEndpoint = (db: Db, name: string) => endpoints.find(db, { name })
export const insertEndpoint = (tx: Tx, row: EndpointRow) => endpoints.insert(tx, row)
/** False when another one changed it since `seenSecrets` was read. */
export const updateSecrets = (tx: Tx, name: string, seenSecrets: string, secrets: string, updatedAt: Date) =>
  endpoints.updateOne(tx, { name, secrets: seenSecrets }, { secrets, updatedAt })
/** False when it was gone already. */
export const deleteEndpoint = async (tx: Tx, name: string) => (await endpoints.delete(tx, { name })) === 1
