import type { Knex } from 'knex'
import { countUpTo } from '../../core/db/count.ts'
import { type Db, type RawRow, selectList } from '../../core/db/database.ts'
import { joinOne, readPage, readWindow } from '../../core/db/keyset.ts'
import { json, nullable, table, text } from '../../core/db/table.ts'
import { type Cursor, type PlacedRows, type Position, textAfter } from '../../core/page.ts'
import { type Parser, parseStored } from '../../core/stored-json.ts'
import { links as allLinks } from '../links/store.ts'
import type { BillingSnapshot, GrantFields, OrderData, StateData, SubscriptionFields } from '../state/snapshot.ts'
import { type Catalogue, storedCatalogue, storedCustomer, storedData, storedSnapshot } from '../state/table.ts'

/** Entities of customers, as last received. */
export interface Owned {
  readonly subscription: SubscriptionFields
  readonly grant: GrantFields
  readonly order: OrderData
}

export interface PageOf<D> {
  readonly rows: readonly D[]
  readonly total: number
}

const dataOf = <D>(parser: Parser<D>, rows: readonly { readonly data: string }[]) =>
  rows.map(({ data }) => parseStored(parser, data))

/** A page of what these customers have of one kind, newest first. */
export const listOwned = async <K extends keyof Owned>(
  db: Db,
  kind: K,
  customerIds: readonly string[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<PageOf<Owned[K]>> => {
  const ofCustomers = () => db.knex(`billing_${kind}`).whereIn('customer_id', [...customerIds])
  const [rows, counted] = await Promise.all([
    ofCustomers()
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(limit)
      .offset(offset)
      .select('data') as Promise<{ data: string }[]>,
    ofCustomers().count({ total: '*' }) as Promise<{ total: unknown }[]>,
  ])
  return { rows: dataOf<Owned[K]>(storedData[kind], rows), total: Number(counted[0]?.total ?? 0) }
}

/** Which of these ids are stored. */
export const listKnown = async (db: Db, kind: keyof Owned, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows: { id: string }[] = await db
    .knex(`billing_${kind}`)
    .whereIn('id', [...ids])
    .select('id')
  return new Set(rows.map(({ id }) => id))
}

/** The newest customer state event of each customer. */
export const listStates = async (db: Db, customerIds: readonly string[]): Promise<readonly StateData[]> =>
  dataOf(
    storedData.customer_state,
    await db
      .knex('billing_customer_state')
      .whereIn('id', [...customerIds])
      .orderBy('id')
      .select('data'),
  )

/** What is sold, by id. */
export const listCatalogue = async <K extends keyof Catalogue>(
  db: Db,
  kind: K,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Catalogue[K]>> => {
  const rows: { id: string; data: string }[] = await db
    .knex(`billing_${kind}`)
    .whereIn('id', [...new Set(ids)])
    .select('id', 'data')
  return new Map(rows.map(({ id, data }) => [id, parseStored<Catalogue[K]>(storedCatalogue[kind], data)]))
}

const customers = table('billing_customer', {
  id: text,
  email: nullable(text),
  externalId: nullable(text),
  /** Sortable time. */
  createdAt: text,
  /** Sortable time. */
  renewalDueAt: nullable(text),
  data: json(() => storedCustomer),
})
const links = allLinks.pick('userId', 'organizationId', 'linkedBy', 'linkedAt').optional()

/** Names of customers by id; their address where they have no name. */
export const listCustomerNames = async (db: Db, ids: readonly string[]) =>
  (await customers.findAll(db, 'id', ids)).map(({ id, email, data }) => ({ id, name: data.name ?? email ?? id }))

export type CustomerRow = ReturnType<typeof customers.decode> & { readonly link: ReturnType<typeof links.decode> }

const decodeCustomer = (row: Readonly<Record<string, unknown>>): CustomerRow => ({
  ...customers.decode(row, 'c_'),
  link: links.decode(row, 'l_'),
})
const withLinks = (db: Db): Knex.QueryBuilder =>
  db
    .knex('billing_customer as c')
    .leftJoin('billing_link as l', 'l.customer_id', 'c.id')
    .select(db.knex.raw(selectList([...customers.columnsOf('c', 'c_'), ...links.columnsOf('l', 'l_')])))

/** Names of the users and organizations of links, by id. */
export const listOwnerNames = async (
  { knex }: Db,
  links: readonly { readonly userId: string | null; readonly organizationId: string | null }[],
): Promise<ReadonlyMap<string, string>> => {
  const named = async (table: 'user' | 'organization', ids: readonly string[]): Promise<{ id: string; name: string }[]> =>
    ids.length === 0 ? [] : knex(table).whereIn('id', ids).select('id', 'name')
  const found = await Promise.all([
    named('user', [...new Set(links.flatMap(({ userId }) => userId ?? []))]),
    named('organization', [...new Set(links.flatMap(({ organizationId }) => organizationId ?? []))]),
  ])
  return new Map(found.flat().map(({ id, name }) => [id, name]))
}

export const findCustomer = async (
  db: Db,
  id: string,
): Promise<(CustomerRow & { readonly snapshot: BillingSnapshot }) | undefined> => {
  const row: Record<string, unknown> | undefined = await withLinks(db).where('c.id', id).select('c.snapshot').first()
  return row === undefined
    ? undefined
    : { ...decodeCustomer(row), snapshot: parseStored(storedSnapshot, text.decode(row['snapshot'])) }
}

/** Customers with a renewal that was due before a sortable time. The place of a customer in the list is that time and its id. */
export const pageOfOverdue = async (
  db: Db,
  before: string,
  { order, limit, after }: Cursor,
): Promise<readonly { readonly id: string; readonly renewalDueAt: string; readonly snapshot: BillingSnapshot }[]> => {
  const query = db.knex('billing_customer').where('renewal_due_at', '<', before).select('id', 'renewal_due_at', 'snapshot')
  const rows: { id: string; renewal_due_at: string; snapshot: string }[] = await readPage(query, {
    ...{ columns: ['renewal_due_at', 'id'], order, limit },
    after: textAfter(after),
  })
  return rows.map(({ id, renewal_due_at, snapshot }) => ({
    ...{ id, renewalDueAt: renewal_due_at },
    snapshot: parseStored(storedSnapshot, snapshot),
  }))
}

export const countOverdue = (db: Db, before: string, most: number): Promise<number> =>
  countUpTo(db, db.knex('billing_customer').where('renewal_due_at', '<', before), most)

export interface CustomerFilter {
  /** Lower-cased. */
  readonly email?: string | undefined
  readonly externalId?: string | undefined
  readonly isUnlinked?: boolean | undefined
}

const placeOf = ({ createdAt, id }: Pick<CustomerRow, 'createdAt' | 'id'>): Position => ({ value: createdAt, id })
const isLinked = 'coalesce(l.user_id, l.organization_id) is not null'

export type CustomerOwner = { readonly userId: string } | { readonly organizationId: string }

/** The customers of one owner, newest first. Found by the link: an owner has few. */
export const listCustomersOf = async (db: Db, owner: CustomerOwner, limit: number): Promise<CustomerRow[]> => {
  const rows: RawRow[] = await withLinks(db)
    .where('userId' in owner ? { 'l.user_id': owner.userId } : { 'l.organization_id': owner.organizationId })
    .orderBy([
      { column: 'c.created_at', order: 'desc' },
      { column: 'c.id', order: 'desc' },
    ])
    .limit(limit)
  return rows.map(decodeCustomer)
}

/** One page of customers in the order in which the platform made them. */
export const pageOfCustomers = async (
  db: Db,
  { email, externalId, isUnlinked }: CustomerFilter,
  { order, limit, after }: Cursor,
): Promise<PlacedRows<CustomerRow>> => {
  const keyset = { order, limit, after: textAfter(after) }
  if (isUnlinked === undefined && (email === undefined || externalId === undefined)) {
    const query = withLinks(db)
    if (email !== undefined) query.where('c.email', email)
    if (externalId !== undefined) query.where('c.external_id', externalId)
    const rows: RawRow[] = await readPage(query, { ...keyset, columns: ['c.created_at', 'c.id'] })
    return { found: rows.map(decodeCustomer).map((row) => ({ row, position: placeOf(row) })), lookedTo: undefined }
  }
  const { rows, lookedTo } = await readWindow(db, {
    ...{ ...keyset, from: 'billing_customer', columns: ['created_at', 'id'], select: ['created_at', 'id'] },
    where: (query) => {
      if (externalId !== undefined) query.where('x.external_id', externalId)
      else if (email !== undefined) query.where('x.email', email)
    },
    rest: (query) => {
      joinOne(query, db, { table: 'billing_customer', as: 'k', key: 'id', of: 'c.id' })
      joinOne(query, db, { table: 'billing_link', as: 'l', key: 'customer_id', of: 'c.id', left: true })
      query.select(db.knex.raw(selectList([...customers.columnsOf('k', 'c_'), ...links.columnsOf('l', 'l_')])))
      if (externalId !== undefined && email !== undefined) query.where('k.email', email)
      if (isUnlinked !== undefined) query.whereRaw(isUnlinked ? `not (${isLinked})` : isLinked)
    },
  })
  const found = rows.map(decodeCustomer).map((row) => ({ row, position: placeOf(row) }))
  return { found, lookedTo: lookedTo && { value: String(lookedTo['created_at']), id: String(lookedTo['id']) } }
}
