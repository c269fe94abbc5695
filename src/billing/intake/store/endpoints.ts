import type { Db, Tx } from '../../../core/database.ts'
import { type Row, sealed, table, text, time } from '../../../core/table.ts'

export const contextOf = (name: string) => `billing_endpoint.secrets.${name}`

const columns = {
  name: text,
  /** JSON list, newest first, sealed. */
  secrets: sealed(contextOf, 'name'),
  createdAt: time,
  updatedAt: time,
}
const endpoints = table('billing_endpoint', columns)
export const { sealedColumns } = endpoints
export type EndpointRow = Row<typeof columns>

export const listEndpoints = (db: Db) => endpoints.list(db, {}, { orderBy: 'name' })
export const findEndpoint = (db: Db, name: string) => endpoints.find(db, { name })
export const insertEndpoint = (tx: Tx, row: EndpointRow) => endpoints.insert(tx, row)
/** False when another one changed it since `seenSecrets` was read. */
export const updateSecrets = (
  tx: Tx,
  name: string,
  seenSecrets: EndpointRow['secrets'],
  secrets: EndpointRow['secrets'],
  updatedAt: Date,
) => endpoints.updateOne(tx, { name, secrets: seenSecrets }, { secrets, updatedAt })
/** False when it was gone already. */
export const deleteEndpoint = async (tx: Tx, name: string) => (await endpoints.delete(tx, { name })) === 1
