import {
  type Db,
  listParameter,
  lockFreeNames,
  lockName,
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

const versionOnly = (kind: Kind, owner: string) =>
  `select '${kind}', id, ${owner}, version, delivery_id, null, null, null from ${tableOf(kind)} where id `
const all = (kind: Kind) => `select '${kind}', id, customer_id, version, delivery_id, data, null, null from ${tableOf(kind)}`

const ownedById = ['subscription', 'grant', 'order', 'refund', 'checkout'] as const

/** All that is known of some customers, and the versions of named entities, in one statement that is prepared once. */
const readSql = (list: string) =>
  [
    `select 'customer' as kind, id, id as customer_id, version, delivery_id, standing as data, email, external_id
from billing_customer where id ${list}`,
    `select 'customer_state', id, id, version, delivery_id, data, null, null from billing_customer_state where id ${list}`,
    ...(['subscription', 'grant', 'refund'] as const).map((kind) => `${all(kind)} where customer_id ${list}`),
    `${all('order')} where customer_id ${list} and subscription_id is null`,
    ...ownedById.map((kind) => versionOnly(kind, 'customer_id') + list),
    ...catalogueKinds.map((kind) => versionOnly(kind, 'null') + list),
  ].join('\nunion all ')
const customerParameters = 6

export const readCustomers = async (
  db: Db,
  customerIds: readonly string[],
  versions: readonly EntityVersion[] = [],
): Promise<readonly StoredRow[]> => {
  const list = listParameter(db)
  const idsOf = (kind: Kind) => list.encode(versions.flatMap((version) => (version.kind === kind ? [version.id] : [])))
  const values = [
    ...Array.from({ length: customerParameters }, () => list.encode(customerIds)),
    ...[...ownedById, ...catalogueKinds].map(idsOf),
  ]
  const rows = await readPrepared(db, { name: 'billing_customers', sql: readSql(list.sql) }, values)
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
  const sql = `insert into ${name} (${columns.join(', ')}) values ${rows.map(() => places).join(', ')}
on conflict (id) do update set ${changes.join(', ')} where excluded.version > ${name}.version`
  const values = rows.flatMap((row) => Object.values(row))
  // Nearly always one: prepared once, then.
  if (rows.length === 1) await writePrepared(tx, { name: `${name}_upsert_${columns.length}`, sql }, values)
  else await writeRaw(tx, sql, values)
}

/** Writes versions that are newer than what is stored, kind by kind; who is overtaken meanwhile writes nothing. */
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

/** All rows of one customer, and the checkouts that rest on these deliveries; the catalogue stays. */
export const deleteCustomer = async (tx: Tx, customerId: string, deliveryIds: readonly string[]): Promise<void> => {
  const list = listParameter(tx)
  await tx
    .knex(tableOf('checkout'))
    .whereRaw(`delivery_id ${list.sql}`, [list.encode(deliveryIds) as string])
    .delete()
  for (const kind of ownedById) await tx.knex(tableOf(kind)).where({ customer_id: customerId }).delete()
  for (const kind of ['customer_state', 'customer'] as const) await tx.knex(tableOf(kind)).where({ id: customerId }).delete()
  await tx.knex('billing_link').where({ customer_id: customerId }).delete()
}
