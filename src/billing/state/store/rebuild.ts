import { type Db, isPostgres, listParameter, type Tx } from '../../../core/db/database.ts'
import { bytes, text, time } from '../../../core/db/table.ts'
import { type Kind, storedData } from '../rules.ts'
import type { EntityVersion } from '../versions.ts'
import { tableOf } from './entities.ts'

/** A stored delivery with its body. */
export interface DeliveryRow {
  readonly id: string
  readonly webhookId: string
  readonly receivedAt: Date
  readonly status: string
  readonly body: Buffer
}

const columns = ['id', 'webhook_id', 'received_at', 'status', 'body'] as const

const decode = (row: Record<string, unknown>): DeliveryRow => ({
  id: text.decode(row['id']),
  webhookId: text.decode(row['webhook_id']),
  receivedAt: time.decode(row['received_at']),
  status: text.decode(row['status']),
  body: bytes.decode(row['body']),
})

/** Accepted deliveries in the order of receipt, starting after the delivery `after`. */
export const listAccepted = async (
  db: Db,
  after: Pick<DeliveryRow, 'receivedAt' | 'id'> | undefined,
  limit: number,
): Promise<DeliveryRow[]> => {
  const query = db.knex('billing_delivery').where({ status: 'accepted' }).orderBy(['received_at', 'id']).limit(limit)
  if (after !== undefined) query.whereRaw('(received_at, id) > (?, ?)', [after.receivedAt, after.id])
  const rows: Record<string, unknown>[] = await query.select(columns)
  return rows.map(decode)
}

/** Locks a delivery until the transaction ends. False if the delivery is no longer accepted, for example because its content was removed. */
export const lockAccepted = async (tx: Tx, id: string): Promise<boolean> => {
  const query = tx.knex('billing_delivery').where({ id, status: 'accepted' })
  return (await (isPostgres(tx) ? query.forUpdate() : query).first('id')) !== undefined
}

export const listByIds = async (db: Db, ids: readonly string[]): Promise<DeliveryRow[]> => {
  const rows: Record<string, unknown>[] = await db.knex('billing_delivery').whereIn('id', ids).select(columns)
  return rows.map(decode)
}

export interface RawEntity {
  readonly id: string
  readonly version: string
  readonly deliveryId: string
  readonly row: Readonly<Record<string, unknown>>
}

/** Rows of a table in the order of their ids, starting after the id `after`. */
export const listEntities = async (db: Db, kind: Kind, after: string, limit: number): Promise<RawEntity[]> => {
  const rows: Record<string, unknown>[] = await db.knex(tableOf(kind)).where('id', '>', after).orderBy('id').limit(limit)
  return rows.map((row) => ({
    id: text.decode(row['id']),
    version: text.decode(row['version']),
    deliveryId: text.decode(row['delivery_id']),
    row,
  }))
}

const encode = ({ columns, data, version, deliveryId }: EntityVersion): Readonly<Record<string, unknown>> => ({
  ...columns,
  data: storedData(data),
  version,
  delivery_id: deliveryId,
})

/** True if the stored row equals the row that the version would give. */
export const isSame = ({ row }: RawEntity, version: EntityVersion): boolean =>
  Object.entries(encode(version)).every(([column, value]) =>
    typeof value === 'boolean' ? Boolean(row[column]) === value : row[column] === value,
  )

/** Rewrites a row unless its version has changed since the row was read. */
export const replaceEntity = (tx: Tx, kind: Kind, { id, version }: RawEntity, by: EntityVersion): Promise<number> =>
  tx.knex(tableOf(kind)).where({ id, version }).update(encode(by))

/** Deletes a row unless its version has changed since the row was read. */
export const deleteEntity = (tx: Tx, kind: Kind, { id, version }: RawEntity): Promise<number> =>
  tx.knex(tableOf(kind)).where({ id, version }).delete()

/** The stored versions of the entities with these ids, by id. */
export const listVersions = async (db: Db, kind: Kind, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const list = listParameter(db)
  const rows: { id: string; version: string }[] = await db
    .knex(tableOf(kind))
    .whereRaw(`id ${list.sql}`, [list.encode(ids) as string])
    .select('id', 'version')
  return new Map(rows.map(({ id, version }) => [id, version]))
}

export const listCustomerIds = async (db: Db, after: string, limit: number): Promise<string[]> =>
  db.knex('billing_customer').where('id', '>', after).orderBy('id').limit(limit).pluck('id')
