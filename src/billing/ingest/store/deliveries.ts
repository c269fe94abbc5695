import {
  anyOf,
  changePrepared,
  type Db,
  isPostgres,
  selectList,
  type Tx,
  writePrepared,
  writeRaw,
} from '../../../core/db/database.ts'
import { readWindow } from '../../../core/db/keyset.ts'
import { bytes, int, json, nullable, oneOf, type Row, table, text, time } from '../../../core/db/table.ts'
import { type Cursor, type PlacedRows, timeAfter } from '../../../core/page.ts'
import { listOf, objectWith, recordOf } from '../../../core/stored-json.ts'
import type { EventIssue } from '../../events/parse.ts'
import { type Outcome, outcomes } from '../../state/rules.ts'
import { deliveryStatuses } from '../rules.ts'

const columns = {
  id: text,
  endpoint: text,
  webhookId: text,
  eventType: nullable(text),
  customerId: nullable(text),
  receivedAt: time,
  /** Time of the event as sortable text. */
  eventAt: nullable(text),
  bodySha256: text,
  status: oneOf(...deliveryStatuses),
  /** The effect of the event. Null unless the event was applied. */
  outcome: nullable(oneOf(...outcomes)),
  issues: json(() => listOf(objectWith<EventIssue>({ path: 'text', expected: 'text', received: 'text' }))),
  /** How often the delivery was received. */
  attempts: int,
  appliedAt: nullable(time),
  /** Time when an operator dismissed the delivery. A quarantined delivery stays stored until it is dismissed. */
  dismissedAt: nullable(time),
  headers: json(() => recordOf((value) => typeof value === 'string')),
  /** The body of the delivery, exactly the bytes that were received. */
  body: bytes,
}
const deliveries = table('billing_delivery', columns)
const withoutBodies = deliveries.omit('headers', 'body')
export type DeliveryRow = Row<typeof columns>
export type ListedDelivery = Row<typeof withoutBodies.columns>

const select = selectList(withoutBodies.columnsOf(deliveries.name, ''))
const places = `(${deliveries.names.map(() => '?').join(', ')})`
const insertSql = (count: number) =>
  `insert into billing_delivery (${deliveries.names.join(', ')}) values ${Array(count).fill(places).join(', ')}
on conflict (endpoint, webhook_id) do nothing
returning id, exists (select 1 from billing_forgotten f where f.customer_id = billing_delivery.customer_id) as is_forgotten`

const insertOne = { name: 'billing_delivery_insert', sql: insertSql(1) }

/**
 * Inserts deliveries, except those that are already stored. Returns the ids of the inserted rows. Each id has a boolean: true if the
 * customer of the delivery was forgotten (`insertForgotten`).
 */
export const insertDeliveries = async (tx: Tx, rows: readonly DeliveryRow[]): Promise<ReadonlyMap<string, boolean>> => {
  if (rows.length === 0) return new Map()
  const values = rows.flatMap((row) => deliveries.values(row))
  const inserted =
    rows.length === 1 ? await writePrepared(tx, insertOne, values) : await writeRaw(tx, insertSql(rows.length), values)
  return new Map(inserted.map((row) => [row['id'] as string, Boolean(row['is_forgotten'])]))
}

const named = deliveries.pick('id', 'endpoint', 'webhookId', 'eventType', 'receivedAt')
export type NamedDelivery = ReturnType<typeof named.decode>

/** Type and time of the deliveries with these ids, by id. Deleted deliveries are missing in the result. */
export const listNamedDeliveries = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, NamedDelivery>> => {
  const rows: Record<string, unknown>[] = await db
    .knex(named.name)
    .whereIn('id', [...ids])
    .select(...named.names)
  return new Map(rows.map((row) => named.decode(row)).map((row) => [row.id, row]))
}

export const findDelivery = (db: Db, id: string) => deliveries.find(db, { id })
/** The newest delivery at any of these endpoints that has this `webhook-id`. */
export const findSentAs = async (db: Db, endpoints: readonly string[], webhookId: string): Promise<DeliveryRow | undefined> => {
  const query = db
    .knex(deliveries.name)
    .whereIn('endpoint', [...endpoints])
    .where({ webhook_id: webhookId })
  const raw: Record<string, unknown> | undefined = await query.orderBy('received_at', 'desc').first(...deliveries.names)
  return raw === undefined ? undefined : deliveries.decode(raw)
}
/** Finds a delivery and locks it until the transaction ends, so that simultaneous copies of a delivery are handled one after the other. */
export const findByWebhookId = async (tx: Tx, endpoint: string, webhookId: string): Promise<ListedDelivery | undefined> => {
  const query = tx.knex(deliveries.name).where({ endpoint, webhook_id: webhookId })
  const raw: Record<string, unknown> | undefined = await (isPostgres(tx) ? query.forUpdate() : query).first(tx.knex.raw(select))
  return raw === undefined ? undefined : withoutBodies.decode(raw)
}

export const countAttempt = async (tx: Tx, id: string): Promise<void> => {
  await tx.knex(deliveries.name).where({ id }).increment('attempts', 1)
}

/** Changes a delivery if it is quarantined. Returns false if it is not. */
export const updateQuarantined = (tx: Tx, id: string, patch: Partial<Omit<DeliveryRow, 'id'>>) =>
  deliveries.updateOne(tx, { id, status: 'quarantined' }, patch)

export const updateOutcomes = async (tx: Tx, ids: readonly string[], outcome: Outcome): Promise<void> => {
  const { sql, values, name } = anyOf(tx, ids)
  const update = { name: `billing_delivery_outcomes_${name}`, sql: `update billing_delivery set outcome = ? where id ${sql}` }
  await changePrepared(tx, update, [outcome, ...values])
}

export interface DeliveryFilter {
  readonly status?: DeliveryRow['status'] | undefined
  readonly endpoint?: string | undefined
  readonly eventType?: string | undefined
  readonly customerId?: string | undefined
  readonly since?: Date | undefined
}

const placeOf = ({ id, receivedAt }: Pick<DeliveryRow, 'id' | 'receivedAt'>) => ({ value: receivedAt.getTime(), id })

/**
 * A page of deliveries without bodies, in the order of receipt. One filter is chosen whose index has this order: the customer, else a
 * rare status, else the type. The other filters are checked on the rows of that index.
 */
export const pageOfDeliveries = async (
  db: Db,
  { status, endpoint, eventType, customerId, since }: DeliveryFilter,
  { order, limit, after, isCounted }: Cursor,
): Promise<PlacedRows<ListedDelivery>> => {
  const all: readonly (readonly [keyof DeliveryFilter, Partial<ListedDelivery> | undefined])[] = [
    ['customerId', customerId === undefined ? undefined : { customerId }],
    ['status', status === undefined ? undefined : { status }],
    ['eventType', eventType === undefined ? undefined : { eventType }],
    ['endpoint', endpoint === undefined ? undefined : { endpoint }],
  ]
  const given = all.flatMap(([name, condition]) => (condition === undefined ? [] : [{ name, condition }]))
  const indexed = given.find(({ name }) => name !== 'endpoint' && (name !== 'status' || status !== 'accepted'))
  const asked = given.filter((one) => one !== indexed)
  const encoded = (condition: Partial<ListedDelivery>, alias: string) =>
    Object.fromEntries(Object.entries(deliveries.encode(condition)).map(([name, value]) => [`${alias}.${name}`, value]))
  const { rows, lookedTo, total } = await readWindow(db, {
    isCounted,
    ...{
      from: deliveries.name,
      select: withoutBodies.names,
      columns: ['received_at', 'id'],
      order,
      limit,
      after: timeAfter(after),
    },
    where: (query) => {
      if (indexed !== undefined) query.where(encoded(indexed.condition, 'x'))
      // The statement repeats the condition of the partial index, so that the database can use the index.
      if (indexed?.name === 'status') query.whereRaw("x.status <> 'accepted'")
      if (since !== undefined) query.where('x.received_at', '>=', since)
    },
    rest:
      asked.length === 0
        ? undefined
        : (query) => {
            for (const { condition } of asked) query.where(encoded(condition, 'c'))
          },
  })
  const found = rows.map((raw) => withoutBodies.decode(raw)).map((row) => ({ row, position: placeOf(row) }))
  return { found, lookedTo: lookedTo && placeOf(withoutBodies.decode(lookedTo)), total }
}

/**
 * Bodies of the deliveries about a customer. With null: bodies of deliveries that name no known customer. Oldest first, starting after
 * the id `after`.
 */
export const listBodies = async (
  db: Db,
  customerId: string | null,
  after: Pick<DeliveryRow, 'receivedAt' | 'id'> | undefined,
  limit: number,
): Promise<Pick<DeliveryRow, 'receivedAt' | 'id' | 'body'>[]> => {
  const query = db.knex(deliveries.name).where({ customer_id: customerId }).orderBy(['received_at', 'id']).limit(limit)
  if (after !== undefined) query.whereRaw('(received_at, id) > (?, ?)', [after.receivedAt, after.id])
  const rows: { id: string; received_at: unknown; body: unknown }[] = await query.select('id', 'received_at', 'body')
  return rows.map((row) => ({ id: row.id, receivedAt: time.decode(row.received_at), body: bytes.decode(row.body) }))
}

/** Deliveries that were received before `before` and are not in quarantine. Oldest first, starting after the id `after`. */
export const listOld = async (
  db: Db,
  before: Date,
  after: Pick<DeliveryRow, 'receivedAt' | 'id'> | undefined,
  limit: number,
): Promise<Pick<DeliveryRow, 'receivedAt' | 'id'>[]> => {
  const query = db
    .knex(deliveries.name)
    .where('received_at', '<', before)
    .whereRaw("(status <> 'quarantined' or dismissed_at is not null)")
    .orderBy(['received_at', 'id'])
    .limit(limit)
  if (after !== undefined) query.whereRaw('(received_at, id) > (?, ?)', [after.receivedAt, after.id])
  const rows: { id: string; received_at: unknown }[] = await query.select('id', 'received_at')
  return rows.map((row) => ({ id: row.id, receivedAt: time.decode(row.received_at) }))
}

/** Locks deliveries until the transaction ends. */
export const lockDeliveries = async (tx: Tx, ids: readonly string[]): Promise<void> => {
  if (isPostgres(tx)) await tx.knex(deliveries.name).whereIn('id', ids).orderBy('id').forUpdate().select('id')
}

export const deleteDeliveries = async (tx: Tx, ids: readonly string[]): Promise<number> =>
  ids.length === 0
    ? 0
    : tx
        .knex(deliveries.name)
        .whereIn('id', [...ids])
        .delete()

const empty = { body: Buffer.alloc(0), bodySha256: '', headers: {}, issues: [], status: 'removed', outcome: null } as const

/** Deletes the content of one delivery, or of all deliveries about a customer. Returns the number of changed deliveries. */
export const removeContent = (tx: Tx, which: { readonly id: string } | { readonly customerId: string }) =>
  deliveries.update(tx, which, empty)

/** Records that the customer was forgotten. Deliveries about this customer that arrive later are stored without content. */
export const insertForgotten = async (tx: Tx, customerId: string, forgottenAt: Date): Promise<void> => {
  await tx
    .knex('billing_forgotten')
    .insert({ customer_id: customerId, forgotten_at: forgottenAt })
    .onConflict('customer_id')
    .ignore()
}
export const isForgotten = async (db: Db, customerId: string): Promise<boolean> =>
  (await db.knex('billing_forgotten').where({ customer_id: customerId }).first('customer_id')) !== undefined

/** True for a customer with a stored delivery, even if the content of the delivery was removed. */
export const isKnownCustomer = async (db: Db, customerId: string): Promise<boolean> =>
  (await deliveries.list(db, { customerId }, { limit: 1 })).length > 0 || (await isForgotten(db, customerId))
