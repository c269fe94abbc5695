import { anyOf, type Db, readPrepared } from '../../core/db/database.ts'
import { parseStored } from '../../core/stored-json.ts'
import type { OwnedSnapshot } from '../links/store.ts'
import { storedSnapshot } from '../state/table.ts'

/** A customer with its owner. `userId` and `organizationId` are both null if the customer has no owner. */
export interface CustomerOwner {
  readonly customerId: string
  readonly userId: string | null
  readonly organizationId: string | null
}

/** Customers with their owners, for ids that sort after `after`, in the order of the customers' ids. */
export const listCustomers = async ({ knex }: Db, after: string, limit: number): Promise<readonly CustomerOwner[]> => {
  const rows: { id: string; user_id: string | null; organization_id: string | null }[] = await knex('billing_customer as c')
    .leftJoin('billing_link as l', 'l.customer_id', 'c.id')
    .where('c.id', '>', after)
    .orderBy('c.id')
    .limit(limit)
    .select('c.id', 'l.user_id', 'l.organization_id')
  return rows.map(({ id, user_id, organization_id }) => ({ customerId: id, userId: user_id, organizationId: organization_id }))
}

const column = { user: 'user_id', organization: 'organization_id' } as const
type OwnerKind = keyof typeof column

/** For each owner, the customer with the smallest id. */
export const listFirstCustomers = async (db: Db, kind: OwnerKind, ownerIds: readonly string[]): Promise<ReadonlySet<string>> => {
  const name = column[kind]
  const owners = anyOf(db, ownerIds)
  const sql = `select min(l.customer_id) as first from billing_link l where l.${name} ${owners.sql} group by l.${name}`
  const rows = await readPrepared(db, { name: `billing_first_customers_${name}_${owners.name}`, sql }, owners.values)
  return new Set(rows.map(({ first }) => first as string))
}

/** The snapshots of all customers of these owners, grouped by owner. */
export const listSnapshotsOf = async (
  db: Db,
  kind: OwnerKind,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, readonly OwnedSnapshot[]>> => {
  const name = column[kind]
  const owners = anyOf(db, ownerIds)
  const sql = `select l.${name} as owner_id, c.id, c.snapshot from billing_link l join billing_customer c on c.id = l.customer_id
where l.${name} ${owners.sql} order by c.id`
  const rows = await readPrepared(db, { name: `billing_snapshots_of_${name}_${owners.name}`, sql }, owners.values)
  return Map.groupBy(
    rows.map((row) => ({ ownerId: row['owner_id'] as string, owner: kind, ...snapshotIn(row) })),
    ({ ownerId }) => ownerId,
  )
}

/** Snapshots of customers without an owner. */
export const listSnapshots = async (db: Db, customerIds: readonly string[]): Promise<readonly OwnedSnapshot[]> => {
  const customers = anyOf(db, customerIds)
  const sql = `select id, snapshot from billing_customer where id ${customers.sql} order by id`
  const rows = await readPrepared(db, { name: `billing_snapshots_by_id_${customers.name}`, sql }, customers.values)
  return rows.map((row) => ({ owner: 'user' as const, ...snapshotIn(row) }))
}

const snapshotIn = (row: Readonly<Record<string, unknown>>) => ({
  customerId: row['id'] as string,
  snapshot: parseStored(storedSnapshot, row['snapshot'] as string),
})
