import type { Secrets } from '../../../core/crypto.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { int, type Row, sealed, table, text, time } from '../../../core/db/table.ts'
import type { Watch } from '../../../core/jobs.ts'
import { parseStored, texts } from '../../../core/stored-json.ts'

const contextOf = (name: string) => `billing_endpoint.secrets.${name}`

const endpointColumns = {
  name: text,
  /** The secrets of the endpoint, newest first, as a sealed JSON list. */
  secrets: sealed(contextOf, 'name'),
  createdAt: time,
  updatedAt: time,
}
const endpoints = table('billing_endpoint', endpointColumns)
export const { sealedColumns } = endpoints
export type EndpointRow = Row<typeof endpointColumns>

/** Opens the sealed secrets of an endpoint. Returns them newest first. */
export const openSecrets = (secrets: Secrets, row: Pick<EndpointRow, 'name' | 'secrets'>): readonly string[] =>
  parseStored(texts, secrets.open(row.secrets, contextOf(row.name)))
export const sealSecrets = (secrets: Secrets, name: string, list: readonly string[]): EndpointRow['secrets'] =>
  secrets.seal(JSON.stringify(list), contextOf(name))

/**
 * Notices that endpoints or secrets have changed. The watched value changes with each of them, because a sealed value begins with a
 * random nonce.
 */
export const endpointsWatch: Watch = {
  sql: `select string_agg(name || substr(secrets, 1, 34), ' ' order by name) from ${endpoints.name}`,
}

export const listEndpoints = (db: Db) => endpoints.list(db, {}, { orderBy: 'name' })
export const findEndpoint = (db: Db, name: string) => endpoints.find(db, { name })
export const insertEndpoint = (tx: Tx, row: EndpointRow) => endpoints.insert(tx, row)
/** Stores the secrets of an endpoint. False if another transaction has changed them since `seenSecrets` was read. */
export const updateSecrets = (
  tx: Tx,
  name: string,
  seenSecrets: EndpointRow['secrets'],
  secrets: EndpointRow['secrets'],
  updatedAt: Date,
) => endpoints.updateOne(tx, { name, secrets: seenSecrets }, { secrets, updatedAt })
/** Deletes an endpoint. False if no endpoint has this name. */
export const deleteEndpoint = async (tx: Tx, name: string) => (await endpoints.delete(tx, { name })) === 1

const rejectionColumns = {
  endpoint: text,
  /** The error code with which the deliveries were refused. */
  reason: text,
  /** The network that the deliveries came from. Empty in the row that counts all networks that are not counted separately. */
  address: text,
  count: int,
  firstSeenAt: time,
  lastSeenAt: time,
}
const rejections = table('billing_rejection', rejectionColumns)
export type RejectionRow = Row<typeof rejectionColumns>

/** Adds these counts to the counts that are stored. */
export const addRejections = async (tx: Tx, rows: readonly RejectionRow[]): Promise<void> => {
  await tx
    .knex(rejections.name)
    .insert(rows.map((row) => rejections.encode(row)))
    .onConflict(['endpoint', 'reason', 'address'])
    .merge({ count: tx.knex.raw('billing_rejection.count + excluded.count'), last_seen_at: tx.knex.raw('excluded.last_seen_at') })
}

/** Deletes all rows except the `max` newest ones. */
export const trimRejections = async (tx: Tx, max: number): Promise<void> => {
  const oldest = tx.knex(rejections.name).select('last_seen_at').orderBy('last_seen_at', 'desc').offset(max).limit(1)
  await tx.knex(rejections.name).where('last_seen_at', '<=', oldest).delete()
}

export const listRejections = (db: Db, limit: number) =>
  rejections.list(db, {}, { orderBy: 'lastSeenAt', descending: true, limit })
