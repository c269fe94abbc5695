import {
  type Db,
  listParameter,
  lockFreeNames,
  lockName,
  OvertakenError,
  readPrepared,
  type Tx,
  writePrepared,
  writeRaw,
} from '../../../core/database.ts'
import type { EntityVersion } from '../entities.ts'
import { catalogueKinds, type Kind, kinds, storedData } from '../rules.ts'
import type { StoredStanding } from '../standing.ts'

export const tableOf = (kind: Kind) => `billing_${kind}`

const lockOf = (customerId: string) => `billing:${customerId}`

/** Whatever is written of one customer is written by one transaction at a time. */
export const lockCustomer = (tx: Tx, customerId: string) => lockName(tx, lockOf(customerId))

/** Those of the customers it has locked; without `wait` not those whom another transaction has. */
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

/** A row as it is stored, as far as it was asked for. */
export interface StoredRow {
  readonly kind: Kind
  readonly id: string
  readonly customerId: string | null
  readonly version: string
  readonly deliveryId: string
  /** JSON. The standing of a customer, else the entity; null where only the version was asked for. */
  readonly data: string | null
  readonly email: string | null
  readonly externalId: string | null
}

const all = (kind: Kind) => `select '${kind}', id, customer_id, version, delivery_id, data, null, null from ${tableOf(kind)}`
const versionOnly = (kind: Kind, owner: string) =>
  `select '${kind}', id, ${owner}, version, delivery_id, null, null, null from ${tableOf(kind)}`
const customers = `select 'customer' as kind, id, id as customer_id, version, delivery_id, standing as data, email, external_id
from billing_customer`
const states = "select 'customer_state', id, id, version, delivery_id, data, null, null from billing_customer_state"

/** Parts of one statement, each with its list of ids; prepared once. */
const readAll = async (
  db: Db,
  name: string,
  parts: readonly (readonly [sql: string, ids: Iterable<string>])[],
): Promise<readonly StoredRow[]> => {
  const list = listParameter(db)
  const sql = parts.map(([part]) => part.replace('?', list.sql)).join('\nunion all ')
  const rows = await readPrepared(
    db,
    { name, sql },
    parts.map(([, ids]) => list.encode([...new Set(ids)])),
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

/** All that is known of some customers and says what they hold. */
export const readCustomers = (db: Db, customerIds: readonly string[]): Promise<readonly StoredRow[]> =>
  readAll(db, 'billing_customers', [
    [`${customers} where id ?`, customerIds],
    [`${states} where id ?`, customerIds],
    ...(['subscription', 'grant', 'refund'] as const).map((kind) => [`${all(kind)} where customer_id ?`, customerIds] as const),
    [`${all('order')} where customer_id ? and subscription_id is null`, customerIds],
  ])

/** Something is stored of the customers. */
const some = (kind: Kind) =>
  `select '${kind}', '', customer_id, version, delivery_id, null, null, null
from (select customer_id, version, delivery_id from ${tableOf(kind)} where customer_id ? limit 1) as known`

/**
 * What versions of entities bear on: the stored versions of these entities, the customers as they were, and of what they hold as much as
 * may change with it. However much somebody has bought, of orders only those named. Rows without an id say that something is stored.
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

/** A statement has 32,766 parameters at most (SQLite). */
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
  const places = `(${columns.map(() => '?').join(', ')})`
  const changes = columns.filter((column) => column !== 'id').map((column) => `${column} = excluded.${column}`)
  // Only the owner's lock was taken: a row that has become another customer's meanwhile is left alone, and so is all of this.
  const isMovable = movableKinds.has(kind)
  const sql = `insert into ${name} (${columns.join(', ')}) values ${rows.map(() => places).join(', ')}
on conflict (id) do update set ${changes.join(', ')} where excluded.version > ${name}.version${
    isMovable ? ` and ${name}.customer_id is not distinct from excluded.customer_id returning id` : ''
  }`
  const values = rows.flatMap((row) => Object.values(row))
  // Nearly always one: prepared once, then.
  const written =
    rows.length === 1
      ? await writePrepared(tx, { name: `${name}_upsert_${columns.length}`, sql }, values)
      : await writeRaw(tx, sql, values)
  if (isMovable && written.length < rows.length) throw new OvertakenError(`a row of ${name} was written for another customer`)
}

/** Entities that a later event may tell of another customer. */
const movableKinds: ReadonlySet<Kind> = new Set(['subscription', 'grant', 'order', 'refund'])

/** Takes rows from the customers they were read as, so that `upsertVersions` can give them to others. */
export const deleteMoved = async (tx: Tx, rows: readonly Pick<StoredRow, 'kind' | 'id' | 'version'>[]): Promise<void> => {
  for (const { kind, id, version } of rows) await tx.knex(tableOf(kind)).where({ id, version }).delete()
}

/**
 * Writes versions that are newer than what is stored, kind by kind. Of the catalogue, what is overtaken meanwhile is not written. Throws
 * `OvertakenError` where a customer's entity has become another's since it was read.
 */
export const upsertVersions = async (tx: Tx, versions: readonly EntityVersion[]): Promise<void> => {
  for (const kind of kinds) {
    const all = versions.filter((version) => version.kind === kind)
    for (let at = 0; at < all.length; at += rowsAtOnce) await upsertRows(tx, kind, all.slice(at, at + rowsAtOnce))
  }
}

/** The columns of a customer that say what they hold. */
export const standingColumns = (standing: StoredStanding | undefined) => ({
  standing: standing?.json ?? '',
  renewal_due_at: standing?.renewalDueAt ?? null,
})

const setStanding = {
  name: 'billing_standing',
  sql: 'update billing_customer set standing = ?, renewal_due_at = ? where id = ?',
}

/** Standings by customer. */
export const updateStandings = async (tx: Tx, standings: ReadonlyMap<string, StoredStanding>): Promise<void> => {
  const values = [...standings].flatMap(([id, { json, renewalDueAt }]) => [json, renewalDueAt, id])
  if (standings.size === 1) await writePrepared(tx, setStanding, values)
  else if (standings.size > 1) {
    const rows = Array.from(standings, () => '(?, ?, ?)').join(', ')
    const sql = `update billing_customer set standing = v.column1, renewal_due_at = v.column2 from (values ${rows}) as v
where billing_customer.id = v.column3`
    await writeRaw(tx, sql, values)
  }
}

/** Those of the deliveries that gave what is stored now: without them a rebuild would not come to the same. */
export const listRestedOn = async (db: Db, deliveryIds: readonly string[]): Promise<readonly string[]> => {
  const list = listParameter(db)
  const sql = kinds.map((kind) => `select delivery_id from ${tableOf(kind)} where delivery_id ${list.sql}`).join('\nunion ')
  const value = list.encode(deliveryIds)
  const rows = await readPrepared(
    db,
    { name: 'billing_rested_on', sql },
    kinds.map(() => value),
  )
  return rows.map(({ delivery_id }) => delivery_id as string)
}

/** All rows of one customer; the catalogue stays. */
export const deleteCustomer = async (tx: Tx, customerId: string): Promise<void> => {
  for (const kind of ['subscription', 'grant', 'order', 'refund'] as const)
    await tx.knex(tableOf(kind)).where({ customer_id: customerId }).delete()
  for (const kind of ['customer_state', 'customer'] as const) await tx.knex(tableOf(kind)).where({ id: customerId }).delete()
  await tx.knex('billing_link').where({ customer_id: customerId }).delete()
}
