import type { Knex } from 'knex'
import { type Db, isPostgres, type Tx, writePrepared, writeRaw } from '../../../core/database.ts'
import { bytes, int, json, nullable, oneOf, type Row, table, text, time } from '../../../core/table.ts'
import type { EventIssue } from '../../events/parse.ts'
import { type Effect, effects, verdicts } from '../rules.ts'

const listed = {
  id: text,
  endpoint: text,
  webhookId: text,
  eventType: nullable(text),
  customerId: nullable(text),
  receivedAt: time,
  /** When it happened, as text that sorts. */
  eventAt: nullable(text),
  bodySha256: text,
  verdict: oneOf(...verdicts),
  effect: nullable(oneOf(...effects)),
  issues: json<readonly EventIssue[]>(),
  /** How often it came. */
  attempts: int,
  appliedAt: nullable(time),
  /** When an operator gave up on it; retention spares a delivery in quarantine until then. */
  dismissedAt: nullable(time),
}
const columns = {
  ...listed,
  headers: json<Readonly<Record<string, string>>>(),
  /** Exactly as received. */
  body: bytes,
}
const deliveries = table('billing_delivery', columns)
const withoutBodies = table('billing_delivery', listed)
export type DeliveryRow = Row<typeof columns>
export type ListedDelivery = Row<typeof listed>

const select = withoutBodies.select(deliveries.name, '')
const places = `(${deliveries.names.map(() => '?').join(', ')})`
const insertSql = (count: number) =>
  `insert into billing_delivery (${deliveries.names.join(', ')}) values ${Array(count).fill(places).join(', ')}
on conflict (endpoint, webhook_id) do nothing
returning id, exists (select 1 from billing_forgotten f where f.customer_id = billing_delivery.customer_id) as is_forgotten`

const insertOne = { name: 'billing_delivery_insert', sql: insertSql(1) }

/** Those that were not there yet, by webhook id, each with whether its customer is forgotten. */
export const insertDeliveries = async (tx: Tx, rows: readonly DeliveryRow[]): Promise<ReadonlyMap<string, boolean>> => {
  if (rows.length === 0) return new Map()
  const values = rows.flatMap((row) => deliveries.values(row))
  const inserted =
    rows.length === 1 ? await writePrepared(tx, insertOne, values) : await writeRaw(tx, insertSql(rows.length), values)
  return new Map(inserted.map((row) => [row['id'] as string, Boolean(row['is_forgotten'])]))
}

export const findDelivery = (db: Db, id: string) => deliveries.find(db, { id })
/** Locked until the transaction ends: of copies that come at once one after the other is judged. */
export const findByWebhookId = async (tx: Tx, endpoint: string, webhookId: string): Promise<ListedDelivery | undefined> => {
  const query = tx.knex(deliveries.name).where({ endpoint, webhook_id: webhookId })
  const raw: Record<string, unknown> | undefined = await (isPostgres(tx) ? query.forUpdate() : query).first(tx.knex.raw(select))
  return raw === undefined ? undefined : withoutBodies.decode(raw)
}

/** Counts a delivery that came again. */
export const countAttempt = async (tx: Tx, id: string): Promise<void> => {
  await tx.knex(deliveries.name).where({ id }).increment('attempts', 1)
}

/** What a quarantined delivery has become. False when it is in quarantine no longer. */
export const updateQuarantined = (tx: Tx, id: string, patch: Partial<Omit<DeliveryRow, 'id'>>) =>
  deliveries.updateOne(tx, { id, verdict: 'quarantined' }, patch)

export const updateEffects = async (tx: Tx, ids: readonly string[], effect: Effect): Promise<void> => {
  await tx.knex(deliveries.name).whereIn('id', ids).update({ effect })
}

export interface DeliveryFilter {
  readonly verdict?: DeliveryRow['verdict'] | undefined
  readonly endpoint?: string | undefined
  readonly eventType?: string | undefined
  readonly customerId?: string | undefined
  readonly since?: Date | undefined
}

const newestFirst = (query: Knex.QueryBuilder, after: Pick<DeliveryRow, 'receivedAt' | 'id'> | undefined) =>
  (after === undefined ? query : query.whereRaw('(received_at, id) < (?, ?)', [after.receivedAt, after.id])).orderBy([
    { column: 'received_at', order: 'desc' },
    { column: 'id', order: 'desc' },
  ])

/** Newest first, from the one behind `after`; without bodies. */
export const listDeliveries = async (
  db: Db,
  { since, ...conditions }: DeliveryFilter,
  after: Pick<DeliveryRow, 'receivedAt' | 'id'> | undefined,
  limit: number,
): Promise<ListedDelivery[]> => {
  const filter: Partial<ListedDelivery> = Object.fromEntries(
    Object.entries(conditions).filter(([, value]) => value !== undefined),
  )
  const query = db.knex({ d: deliveries.name }).where(withoutBodies.encode(filter)).limit(limit)
  // Said once more, since only then the partial index over what was not accepted is used.
  if (filter.verdict !== undefined && filter.verdict !== 'accepted') query.whereRaw("verdict <> 'accepted'")
  if (since !== undefined) query.where('received_at', '>=', since)
  const rows: Record<string, unknown>[] = await newestFirst(query, after).select(db.knex.raw(withoutBodies.select('d', '')))
  return rows.map((row) => withoutBodies.decode(row))
}

/** Deliveries about a customer, or about nobody that could be told, with what they say; oldest first, behind `after`. */
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

/** Ids of deliveries received before `before` that nobody has to look at, oldest first, behind `after`. */
export const listOld = async (
  db: Db,
  before: Date,
  after: Pick<DeliveryRow, 'receivedAt' | 'id'> | undefined,
  limit: number,
): Promise<Pick<DeliveryRow, 'receivedAt' | 'id'>[]> => {
  const query = db
    .knex(deliveries.name)
    .where('received_at', '<', before)
    .whereRaw("(verdict <> 'quarantined' or dismissed_at is not null)")
    .orderBy(['received_at', 'id'])
    .limit(limit)
  if (after !== undefined) query.whereRaw('(received_at, id) > (?, ?)', [after.receivedAt, after.id])
  const rows: { id: string; received_at: unknown }[] = await query.select('id', 'received_at')
  return rows.map((row) => ({ id: row.id, receivedAt: time.decode(row.received_at) }))
}

/** Until the transaction ends nobody else changes them. */
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

const empty = { body: Buffer.alloc(0), bodySha256: '', headers: {}, issues: [], verdict: 'removed', effect: null } as const

/** Empties one delivery, or all of a customer. Number of deliveries emptied. */
export const removeContent = (tx: Tx, which: { readonly id: string } | { readonly customerId: string }) =>
  deliveries.update(tx, which, empty)

/** From now on nothing of this customer is kept. */
export const insertForgotten = async (tx: Tx, customerId: string, forgottenAt: Date): Promise<void> => {
  await tx
    .knex('billing_forgotten')
    .insert({ customer_id: customerId, forgotten_at: forgottenAt })
    .onConflict('customer_id')
    .ignore()
}
export const isForgotten = async (db: Db, customerId: string): Promise<boolean> =>
  (await db.knex('billing_forgotten').where({ customer_id: customerId }).first('customer_id')) !== undefined

/** True when a delivery was about this customer, or they were forgotten before. */
export const isHeardOf = async (db: Db, customerId: string): Promise<boolean> =>
  (await deliveries.list(db, { customerId }, { limit: 1 })).length > 0 || (await isForgotten(db, customerId))
