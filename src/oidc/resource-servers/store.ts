import type { Total } from '../../core/db/count.ts'
import { type Db, lockRow, type Tx } from '../../core/db/database.ts'
import { readCounted } from '../../core/db/keyset.ts'
import { bool, int, json, nullable, oneOf, type Row, table, text, time } from '../../core/db/table.ts'
import { type Cursor, timeAfter } from '../../core/page.ts'
import { texts } from '../../core/stored-json.ts'
import { Api, accessModes, tokenAlgs, tokenFormats } from './contract.ts'

const columns = {
  id: text,
  /** The identifier of the API. Requests name the API by it in the parameter `resource`. */
  identifier: text,
  /** The normalized spelling of the identifier, for comparisons. */
  identifierKey: text,
  name: text,
  scopes: json(() => Api.shape.scopes),
  tokenFormat: oneOf(...tokenFormats),
  signingAlg: oneOf(...tokenAlgs),
  tokenTtlSeconds: int,
  access: oneOf(...accessModes),
  createdAt: time,
  updatedAt: time,
}
const apis = table('resource_server', columns)
export type ApiRow = Row<typeof columns>

const clientColumns = {
  resourceServerId: text,
  /** The id of the client's row. */
  oauthClientId: text,
  /** The scopes that the client may request; null for all scopes of the API. */
  scopes: nullable(json(() => texts)),
  /** The audiences whose tokens the client may exchange for tokens of the API. */
  exchangeFrom: json(() => texts),
  /** True if administrators may act as users at the API through the client. */
  mayImpersonate: bool,
}
const callers = table('resource_server_client', clientColumns)
/** An application in the list of an API, with its `client_id`. */
export interface CallerRow extends Row<typeof clientColumns> {
  readonly clientId: string
}

const secretColumns = {
  id: text,
  resourceServerId: text,
  /** The value is 1 or 2, and unique among the secrets of an API, so that an API cannot have a third secret. */
  slot: int,
  /** The SHA-256 of the secret. */
  hash: text,
  /** The first characters of the secret. */
  hint: text,
  createdAt: time,
  expiresAt: nullable(time),
  /** The time at which the secret was last used. Not every use writes it. */
  lastUsedAt: nullable(time),
}
const secrets = table('resource_server_secret', secretColumns)
export type SecretRow = Row<typeof secretColumns>

export const findApi = (db: Db, where: { readonly id: string } | { readonly identifierKey: string }) => apis.find(db, where)
export const insertApi = (tx: Tx, row: ApiRow) => apis.insert(tx, row)
/** Deletes the API. The database deletes its list of applications and its secrets. */
export const deleteApi = (tx: Tx, id: string) => apis.delete(tx, { id })
export const updateApi = (tx: Tx, { id, ...changed }: Omit<ApiRow, 'identifier' | 'identifierKey' | 'createdAt'>) =>
  apis.updateOne(tx, { id }, changed)

/** Locks the API until the transaction ends. Changes of the API, its list and its secrets therefore run one after the other. */
export const lockApi = async (tx: Tx, id: string): Promise<ApiRow | undefined> => {
  await lockRow(tx, apis.name, id)
  return apis.find(tx, { id })
}

/** A page of APIs, in the order in which they were registered. */
export const pageOfApis = async (
  db: Db,
  { order, limit, after, isCounted }: Cursor,
): Promise<{ readonly rows: ApiRow[]; readonly total: Total | null }> => {
  const query = db.knex(apis.name).select(apis.names)
  const page = { columns: ['created_at', 'id'], order, limit, after: timeAfter(after), isCounted } as const
  const { rows, total } = await readCounted(db, query, page, apis.name)
  return { rows: rows.map((raw) => apis.decode(raw)), total }
}

/** The applications in the lists of these APIs, in the order of their `client_id`. */
export const listCallers = async (db: Db, ids: readonly string[]): Promise<CallerRow[]> => {
  if (ids.length === 0) return []
  const rows: Record<string, unknown>[] = await db
    .knex(callers.name)
    .join('oauth_client as c', 'c.id', `${callers.name}.oauth_client_id`)
    .whereIn('resource_server_id', [...ids])
    .select(...callers.names.map((name) => `${callers.name}.${name}`), 'c.client_id')
  const found = rows.map((raw) => ({ ...callers.decode(raw), clientId: text.decode(raw['client_id']) }))
  return found.sort((a, b) => (a.clientId < b.clientId ? -1 : 1))
}

/** Returns the ids of the rows of clients, by `client_id`. */
export const idsOfClients = async (db: Db, clientIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  if (clientIds.length === 0) return new Map()
  const rows: { id: string; client_id: string }[] = await db
    .knex('oauth_client')
    .whereIn('client_id', [...clientIds])
    .select('id', 'client_id')
  return new Map(rows.map(({ id, client_id }) => [client_id, id]))
}

/** Replaces the list of applications of an API. */
export const replaceCallers = async (tx: Tx, id: string, rows: readonly Row<typeof clientColumns>[]): Promise<void> => {
  await callers.delete(tx, { resourceServerId: id })
  if (rows.length > 0) await callers.insertAll(tx, rows)
}

/** The secrets of an API. The oldest comes first. */
export const listSecrets = (db: Db, id: string) => secrets.list(db, { resourceServerId: id }, { orderBy: 'createdAt' })
export const insertSecret = (tx: Tx, row: SecretRow) => secrets.insert(tx, row)
export const endSecret = (tx: Tx, id: string, expiresAt: Date) => secrets.updateOne(tx, { id }, { expiresAt })
/** Deletes a secret. Returns false if the API has no secret with this id. */
export const deleteSecret = async (tx: Tx, resourceServerId: string, id: string): Promise<boolean> =>
  (await secrets.delete(tx, { resourceServerId, id })) === 1

/** Stores the time at which a secret was used, unless a later time is stored. */
export const noteUse = async (tx: Tx, id: string, at: Date): Promise<void> => {
  await tx
    .knex(secrets.name)
    .where({ id })
    .where((older) => older.whereNull('last_used_at').orWhere('last_used_at', '<', at))
    .update({ last_used_at: at })
}
