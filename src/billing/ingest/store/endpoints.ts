import type { Secrets } from '../../../core/crypto.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { int, type Row, sealed, table, text, time } from '../../../core/db/table.ts'
import type { Watch } from '../../../core/jobs.ts'
import { parseStored, texts } from '../../../core/stored-json.ts'

const contextOf = (name: string) => `billing_endpoint.secrets.${name}`

const endpointColumns = {
  name: text,
  /** A sealed JSON list of secrets, newest first. */
  secrets: sealed(contextOf, 'name'),
  createdAt: time,
  updatedAt: time,
}
const endpoints = table('billing_endpoint', endpointColumns)
export const { sealedColumns } = endpoints
export type EndpointRow = Row<typeof endpointColumns>

/** The secrets of an endpoint, newest first. */
export const openSecrets = (secrets: Secrets, row: Pick<EndpointRow, 'name' | 'secrets'>): readonly string[] =>
  parseStored(texts, secrets.open(row.secrets, contextOf(row.name)))
export const sealSecrets = (secrets: Secrets, name: string, list: readonly string[]): EndpointRow['secrets'] =>
  secrets.seal(JSON.stringify(list), contextOf(name))

/** The watched value changes with every endpoint and secret, because a sealed value begins with a random nonce. */
export const endpointsWatch: Watch = {
  sql: `select string_agg(name || substr(secrets, 1, 34), ' ' order by name) from ${endpoints.name}`,
}

export const listEndpoints = (db: Db) => endpoints.list(db, {}, { orderBy: 'name' })
export const findEndpoint = (db: Db, name: string) => endpoints.find(db, { name })
export const insertEndpoint = (tx: Tx, row: EndpointRow) => endpoints.insert(tx, row)
/** False if another transaction has changed the secrets since `seenSecrets` was read. */
export const updateSecrets = (
  tx: Tx,
  name: string,
  seenSecrets: EndpointRow['secrets'],
  secrets: EndpointRow['secrets'],
  updatedAt: Date,
) => endpoints.updateOne(tx, { name, secrets: seenSecrets }, { secrets, updatedAt })
/** Deletes an endpoint. False if it does not exist. */
export const deleteEndpoint = async (tx: Tx, name: string) => (await endpoints.delete(tx, { name })) === 1

const rejectionColumns = {
  endpoint: text,
  /** The error code. */
  reason: text,
  /** The network that the deliveries came from. Empty for the networks that are counted together. */
  address: text,
  count: int,
  firstSeenAt: time,
  lastSeenAt: time,
}
const rejections = table('billing_rejection', rejectionColumns)
export type RejectionRow = Row<typeof rejectionColumns>

/** Adds the counts to the stored counts. */
export const addRejections = async (tx: Tx, rows: readonly RejectionRow[]): Promise<void> => {
  await tx
    .knex(rejections.name)
    .insert(rows.map((row) => rejections.encode(row)))
    .onConflict(['endpoint', 'reason', 'address'])
    .merge({ count: tx.knex.raw('billing_rejection.count + excluded.count'), last_seen_at: tx.knex.raw('excluded.last_seen_at') })
}

/** Keeps the `max` newest rows. */
export const trimRejections = async (tx: Tx, max: number): Promise<void> => {
  const oldest = tx.knex(rejections.name).select('last_seen_at').orderBy('last_seen_at', 'desc').offset(max).limit(1)
  await tx.knex(rejections.name).where('last_seen_at', '<=', oldest).delete()
}

export const listRejections = (db: Db, limit: number) =>
  rejections.list(db, {}, { orderBy: 'lastSeenAt', descending: true, limit })
