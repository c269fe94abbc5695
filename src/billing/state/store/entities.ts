import {
  anyOf,
  type Db,
  listParameter,
  lockFreeNames,
  lockName,
  OvertakenError,
  readPrepared,
  type Tx,
  writePrepared,
  writeRaw,
} from '../../../core/db/database.ts'
import { type Parser, parseStored } from '../../../core/stored-json.ts'
import { catalogueKinds, type Kind, kinds, storedData } from '../rules.ts'
import type { BillingSnapshot, DataOf, StoredSnapshot } from '../snapshot.ts'
import { storedData as stored, storedSnapshot } from '../table.ts'
import type { EntityVersion } from '../versions.ts'

export const tableOf = (kind: Kind) => `billing_${kind}`

const lockOf = (customerId: string) => `billing:${customerId}`

/** Locks a customer until the transaction ends, so that only one transaction at a time writes the customer's rows. */
export const lockCustomer = (tx: Tx, customerId: string) => lockName(tx, lockOf(customerId))

/**
 * Locks customers until the transaction ends, and returns the ids of those that it has locked. If `wait` is false, it skips customers
 * that another transaction has locked.
 */
export const lockCustomers = async (
  tx: Tx,
  customerIds: readonly string[],
  { wait }: { readonly wait: boolean },
): Promise<ReadonlySet<string>> => {
  if (wait) {
    for (const id of customerIds.toSorted()) await lockCustomer(tx, id)
    return new Set(customerIds)
  }
  const locked = new Set(await lockFreeNames(tx, customerIds.map(lockOf)))
  return new Set(customerIds.filter((id) => locked.has(lockOf(id))))
}

/** The stored row of an entity. `data`, `email` and `externalId` are null if the statement does not select them. */
export interface StoredRow {
  readonly kind: Kind
  readonly id: string
  readonly customerId: string | null
  readonly version: string
  readonly deliveryId: string
  /** In the row of a customer: the snapshot as JSON. In any other row: the entity as JSON. Null if the statement selects only the version. */
  readonly data: string | null
  readonly email: string | null
  readonly externalId: string | null
}

const isDerivedFrom = (kind: Kind): kind is keyof DataOf => kind in stored

const parsedOrNone = <T>(parser: Parser<T>, json: string): T | undefined => {
  try {
    return parseStored(parser, json)
  } catch {
    return undefined
  }
}

/**
 * Parses the entity in a row. Undefined if the stored JSON does not match the schema. A row that does not match is ignored until a
 * rebuild, or the next event about the entity, replaces it.
 */
export const dataOfRow = ({ kind, data }: Pick<StoredRow, 'kind' | 'data'>): DataOf[keyof DataOf] | undefined => {
  if (!isDerivedFrom(kind)) throw new Error(`nothing is derived from the data of a ${kind}`)
  return parsedOrNone<DataOf[keyof DataOf]>(stored[kind], data ?? '')
}

/**
 * Parses a stored snapshot. Undefined if the JSON does not match the schema, for example after an update of gatehouse. Then the caller
 * derives the snapshot again.
 */
export const snapshotIn = (json: string): BillingSnapshot | undefined => parsedOrNone(storedSnapshot, json)

const all = (kind: Kind) => `select '${kind}', id, customer_id, version, delivery_id, data, null, null from ${tableOf(kind)}`
const versionOnly = (kind: Kind, owner: string) =>
  `select '${kind}', id, ${owner}, version, delivery_id, null, null, null from ${tableOf(kind)}`
const customers = `select 'customer' as kind, id, id as customer_id, version, delivery_id, snapshot as data, email, external_id
from billing_customer`
const states = "select 'customer_state', id, id, version, delivery_id, data, null, null from billing_customer_state"

/** Reads the rows of several selects with one prepared statement (`union all`). Each select has a list of ids as its parameter. */
const readAll = async (
  db: Db,
  name: string,
  parts: readonly (readonly [sql: string, ids: Iterable<string>])[],
): Promise<readonly StoredRow[]> => {
  const lists = parts.map(([, ids]) => [...new Set(ids)])
  const longest = Math.max(...lists.map(({ length }) => length))
  const given = lists.map((list) => anyOf(db, list, longest))
  const sql = parts.map(([part], i) => part.replace('?', given[i]?.sql ?? '')).join('\nunion all ')
  const read = { name: `${name}_${given[0]?.name}`, sql }
  const rows = await readPrepared(
    db,
    read,
    given.flatMap(({ values }) => values),
  )
  return rows.map((row) => ({
    kind: row['kind'] as StoredRow['kind'],
    id: row['id'] as string,
    customerId: row['customer_id'] as string | null,
    version: row['version'] as string,
    deliveryId: row['delivery_id'] as string,
    data: row['data'] as string | null,
    email: row['email'] as string | null,
    externalId: row['external_id'] as string | null,
  }))
}

/** Reads all rows from which the snapshots of these customers are derived. */
export const readCustomers = (db: Db, customerIds: readonly string[]): Promise<readonly StoredRow[]> =>
  readAll(db, 'billing_customers', [
    [`${customers} where id ?`, customerIds],
    [`${states} where id ?`, customerIds],
    ...(['subscription', 'grant', 'refund'] as const).map((kind) => [`${all(kind)} where customer_id ?`, customerIds] as const),
    [`${all('order')} where customer_id ? and subscription_id is null`, customerIds],
  ])

/** A select that returns one row with an empty id for each customer that has any entity of this kind. */
const some = (kind: Kind) =>
  `select '${kind}', '', customer_id, version, delivery_id, null, null, null
from (select customer_id, version, delivery_id from ${tableOf(kind)} where customer_id ? limit 1) as known`

/**
 * Reads the rows that new versions affect: the stored versions of the same entities, the customers with their snapshots, and entities
 * whose part of the snapshot may change. An order is read only if a new version names it, because a customer may have many orders. Also
 * returns rows with an empty id (see `some`).
 */
export const readNamed = (db: Db, customerIds: readonly string[], versions: readonly EntityVersion[]) => {
  const of = (...names: readonly Kind[]) => versions.filter(({ kind }) => names.includes(kind))
  const idsOf = (...names: readonly Kind[]) => of(...names).map(({ id }) => id)
  const ownersOf = (...names: readonly Kind[]) => of(...names).flatMap(({ customerId }) => customerId ?? [])
  const named = (column: 'order_id' | 'subscription_id', ...names: readonly Kind[]) =>
    of(...names).flatMap(({ data }) => (data as { readonly [key in typeof column]: string | null })[column] ?? [])
  const orderIds = [...idsOf('order'), ...named('order_id', 'refund')]
  const snapshots = ownersOf('customer_state')
  return readAll(db, 'billing_named', [
    [`${customers} where id ?`, customerIds],
    [`${states} where id ?`, ownersOf('customer_state', 'subscription', 'grant', 'refund')],
    [`${all('subscription')} where customer_id ?`, ownersOf('customer_state', 'subscription')],
    [
      `${versionOnly('subscription', 'customer_id')} where id ?`,
      [...idsOf('subscription'), ...named('subscription_id', 'grant')],
    ],
    [`${all('grant')} where customer_id ?`, snapshots],
    [`${all('grant')} where id ?`, idsOf('grant')],
    [`${all('grant')} where order_id ?`, named('order_id', 'refund')],
    [`${all('order')} where id ?`, orderIds],
    [`${all('refund')} where customer_id ?`, snapshots],
    [`${all('refund')} where id ?`, idsOf('refund')],
    [`${all('refund')} where order_id ?`, [...orderIds, ...named('order_id', 'grant')]],
    ...catalogueKinds.map((kind) => [`${versionOnly(kind, 'null')} where id ?`, idsOf(kind)] as const),
    ...(['subscription', 'grant', 'order'] as const).map((kind) => [some(kind), customerIds] as const),
  ])
}

/** Number of rows that one statement writes. SQLite allows 32,766 parameters in a statement. */
const rowsAtOnce = 1_000

const upsertRows = async (tx: Tx, kind: Kind, versions: readonly EntityVersion[]): Promise<void> => {
  const rows = versions.map(({ id, columns, data, version, deliveryId }) => ({
    id,
    ...columns,
    data: storedData(data),
    version,
    delivery_id: deliveryId,
  }))
  const [name, columns] = [tableOf(kind), Object.keys(rows[0] ?? {})]
  const placeholders = `(${columns.map(() => '?').join(', ')})`
  const changes = columns.filter((column) => column !== 'id').map((column) => `${column} = excluded.${column}`)
  // This transaction has locked only the new customer of an entity. If another transaction has moved the row to a third customer since it
  // was read, the row is not written.
  const isMovable = movableKinds.has(kind)
  const sql = `insert into ${name} (${columns.join(', ')}) values ${rows.map(() => placeholders).join(', ')}
on conflict (id) do update set ${changes.join(', ')} where excluded.version > ${name}.version${
    isMovable ? ` and ${name}.customer_id is not distinct from excluded.customer_id returning id` : ''
  }`
  const values = rows.flatMap((row) => Object.values(row))
  const written =
    rows.length === 1
      ? await writePrepared(tx, { name: `${name}_upsert_${columns.length}`, sql }, values)
      : await writeRaw(tx, sql, values)
  if (isMovable && written.length < rows.length) throw new OvertakenError(`a row of ${name} was written for another customer`)
}

/** Kinds of entities that a later event may move from one customer to another. */
const movableKinds: ReadonlySet<Kind> = new Set(['subscription', 'grant', 'order', 'refund'])

/** Deletes rows of entities that have moved to another customer. Then `upsertVersions` inserts the rows for the new customer. */
export const deleteMoved = async (tx: Tx, rows: readonly Pick<StoredRow, 'kind' | 'id' | 'version'>[]): Promise<void> => {
  for (const { kind, id, version } of rows) await tx.knex(tableOf(kind)).where({ id, version }).delete()
}

/**
 * Writes versions that are newer than the stored ones, one kind after the other. For entities without a customer, such as products: skips
 * a version if another transaction has stored a newer version meanwhile. Throws `OvertakenError` if an entity has moved to another
 * customer since it was read.
 */
export const upsertVersions = async (tx: Tx, versions: readonly EntityVersion[]): Promise<void> => {
  for (const kind of kinds) {
    const all = versions.filter((version) => version.kind === kind)
    for (let at = 0; at < all.length; at += rowsAtOnce) await upsertRows(tx, kind, all.slice(at, at + rowsAtOnce))
  }
}

/** The columns that contain the snapshot in the row of a customer. */
export const snapshotColumns = (snapshot: StoredSnapshot | undefined) => ({
  snapshot: snapshot?.json ?? '',
  renewal_due_at: snapshot?.renewalDueAt ?? null,
  payment_status: snapshot?.payment.status ?? null,
  recurring_currency: snapshot?.payment.currency ?? null,
  recurring_yearly: snapshot?.payment.yearly ?? null,
})

const setSnapshot = {
  name: 'billing_snapshot',
  sql: `update billing_customer set snapshot = ?, renewal_due_at = ?, payment_status = ?, recurring_currency = ?, recurring_yearly = ?
where id = ?`,
}

/** Writes the snapshots of customers, given by customer id. */
export const writeSnapshots = async (tx: Tx, snapshots: ReadonlyMap<string, StoredSnapshot>): Promise<void> => {
  const values = [...snapshots].flatMap(([id, { json, renewalDueAt, payment }]) => [
    ...[json, renewalDueAt, payment.status, payment.currency, payment.yearly, id],
  ])
  if (snapshots.size === 1) await writePrepared(tx, setSnapshot, values)
  else if (snapshots.size > 1) {
    const rows = Array.from(snapshots, () => '(?, ?, ?, ?, ?, ?)').join(', ')
    const sql = `update billing_customer set snapshot = v.column1, renewal_due_at = v.column2, payment_status = v.column3,
recurring_currency = v.column4, recurring_yearly = cast(v.column5 as bigint) from (values ${rows}) as v
where billing_customer.id = v.column6`
    await writeRaw(tx, sql, values)
  }
}

/** Returns those of the given deliveries that a stored version came from. A rebuild needs them. */
export const listReferenced = async (db: Db, deliveryIds: readonly string[]): Promise<readonly string[]> => {
  const list = listParameter(db)
  const sql = kinds.map((kind) => `select delivery_id from ${tableOf(kind)} where delivery_id ${list.sql}`).join('\nunion ')
  const value = list.encode(deliveryIds)
  const rows = await readPrepared(
    db,
    { name: 'billing_referenced', sql },
    kinds.map(() => value),
  )
  return rows.map(({ delivery_id }) => delivery_id as string)
}

/** Deletes all rows of a customer. Entities without a customer, such as products, stay. */
export const deleteCustomer = async (tx: Tx, customerId: string): Promise<void> => {
  for (const kind of ['subscription', 'grant', 'order', 'refund'] as const)
    await tx.knex(tableOf(kind)).where({ customer_id: customerId }).delete()
  for (const kind of ['customer_state', 'customer'] as const) await tx.knex(tableOf(kind)).where({ id: customerId }).delete()
  await tx.knex('billing_link').where({ customer_id: customerId }).delete()
}
