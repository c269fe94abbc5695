import type { Knex } from 'knex'
import { countUpTo, mostCounted, type Total, totalOf } from '../../core/db/count.ts'
import { type Db, isPostgres, type RawRow, selectList } from '../../core/db/database.ts'
import { joinOne, readPage, readWindow, type Window, windowRows } from '../../core/db/keyset.ts'
import { askedTerms } from '../../core/db/search.ts'
import { searchTexts } from '../../core/db/search-text.ts'
import { json, nullable, table, text } from '../../core/db/table.ts'
import { type Cursor, type PlacedRows, type Position, textAfter } from '../../core/page.ts'
import { type Parser, parseStored } from '../../core/stored-json.ts'
import type { PurchaseFilter } from '../entitlements/rules/sources.ts'
import { links as allLinks, type OwnedSnapshot } from '../links/store.ts'
import type { PaymentStatus } from '../state/payments.ts'
import type { BillingSnapshot, GrantFields, OrderData, StateData, SubscriptionFields } from '../state/snapshot.ts'
import { type Catalogue, storedCatalogue, storedCustomer, storedData, storedSnapshot } from '../state/table.ts'

/** The stored entities of a customer, by kind, as the last event described each. */
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

/** A page of entities of one kind that belong to these customers, newest first. */
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

/** Those of the given ids for which an entity is stored. */
export const listKnown = async (db: Db, kind: keyof Owned, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows: { id: string }[] = await db
    .knex(`billing_${kind}`)
    .whereIn('id', [...ids])
    .select('id')
  return new Set(rows.map(({ id }) => id))
}

/** For each customer, the newest stored event about the customer state. */
export const listStates = async (db: Db, customerIds: readonly string[]): Promise<readonly StateData[]> =>
  dataOf(
    storedData.customer_state,
    await db
      .knex('billing_customer_state')
      .whereIn('id', [...customerIds])
      .orderBy('id')
      .select('data'),
  )

/** Products, by id. */
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
  /** The time of creation as sortable text. */
  createdAt: text,
  /** The time when the renewal was due, as sortable text. */
  renewalDueAt: nullable(text),
  data: json(() => storedCustomer),
})
const texts = searchTexts(customers.name)
const links = allLinks.pick('userId', 'organizationId', 'linkedBy', 'linkedAt').optional()

/** The names of customers, by customer id. If a customer has no name, its email address is used. */
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

/** The names of the users and organizations that own customers, by the id of the owner. */
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

/**
 * A page of customers with a renewal that was due before `before` (sortable text). A page continues after a position, which consists of
 * the due time and the customer's id.
 */
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
  /** The customer's email address in lower case. */
  readonly email?: string | undefined
  readonly externalId?: string | undefined
  readonly isUnlinked?: boolean | undefined
  readonly payment?: PaymentStatus | undefined
  /** Words to search in the customer's name and email address. */
  readonly search?: string | undefined
  /** The currency of the customer's active subscriptions, in lower case. */
  readonly currency?: string | undefined
  readonly purchases?: PurchaseFilter | undefined
}

/** With more ids the SQL condition would be slow. So the database then reads all rows, and only `meets` selects customers. */
const mostIds = 100

const withIds = (query: Knex.QueryBuilder, db: Db, alias: string, { ids }: PurchaseFilter) => {
  query.where(`${alias}.snapshot`, '<>', '')
  const holds = `${isPostgres(db) ? 'strpos' : 'instr'}(${alias}.snapshot, ?) > 0`
  for (const list of ids)
    if (list.length <= mostIds)
      query.whereRaw(
        `(${list.map(() => holds).join(' or ') || '1 = 0'})`,
        list.map((id) => JSON.stringify(id)),
      )
}

const purchasesIn = (customerId: string, snapshot: unknown, organizationId: unknown): OwnedSnapshot => ({
  ...{ owner: organizationId === null ? 'user' : 'organization', customerId },
  snapshot: parseStored(storedSnapshot, text.decode(snapshot)),
})

const placeOf = ({ createdAt, id }: Pick<CustomerRow, 'createdAt' | 'id'>): Position => ({ value: createdAt, id })
const isLinked = 'coalesce(l.user_id, l.organization_id) is not null'

export type CustomerOwner = { readonly userId: string } | { readonly organizationId: string }

/** The customers of an owner, newest first. The query starts with the owner's links, because an owner has only few of them. */
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

/**
 * A page of customers in the order in which the platform created them. Of the given filters, one that has an index selects the rows; the
 * others are checked on these rows.
 */
export const pageOfCustomers = async (
  db: Db,
  { email, externalId, payment, currency, isUnlinked, search, purchases }: CustomerFilter,
  { order, limit, after }: Cursor,
): Promise<PlacedRows<CustomerRow>> => {
  const keyset = { order, limit, after: textAfter(after) }
  const given = Object.entries({ external_id: externalId, email, payment_status: payment, recurring_currency: currency })
  const equal = given.flatMap(([column, value]) => (value === undefined ? [] : [[column, value] as const]))
  const [first] = equal
  const others = equal.filter((one) => one !== first)
  if (isUnlinked === undefined && search === undefined && purchases === undefined && others.length === 0) {
    const query = withLinks(db)
    if (first !== undefined) query.where(`c.${first[0]}`, first[1])
    const rows: RawRow[] = await readPage(query, { ...keyset, columns: ['c.created_at', 'c.id'] })
    return { found: rows.map(decodeCustomer).map((row) => ({ row, position: placeOf(row) })), lookedTo: undefined }
  }
  const window: Window = {
    ...{ ...keyset, from: 'billing_customer', columns: ['created_at', 'id'], select: ['created_at', 'id'] },
    where: (query) => {
      if (first !== undefined) query.where(`x.${first[0]}`, first[1])
    },
    rest: (query) => {
      joinOne(query, db, { table: 'billing_customer', as: 'k', key: 'id', of: 'c.id' })
      joinOne(query, db, { table: 'billing_link', as: 'l', key: 'customer_id', of: 'c.id', left: true })
      query.select(db.knex.raw(selectList([...customers.columnsOf('k', 'c_'), ...links.columnsOf('l', 'l_')])))
      for (const [column, value] of others) query.where(`k.${column}`, value)
      if (isUnlinked !== undefined) query.whereRaw(isUnlinked ? `not (${isLinked})` : isLinked)
      if (purchases !== undefined) withIds(query.select('k.snapshot'), db, 'k', purchases)
    },
  }
  const { rows, lookedTo } =
    search === undefined ? await readWindow(db, window) : await texts.readMatching(db, window, askedTerms(search), 'whole')
  const placed = lookedTo && { value: String(lookedTo['created_at']), id: String(lookedTo['id']) }
  const entryOf = (row: CustomerRow) => ({ row, position: placeOf(row) })
  if (purchases === undefined) return { found: rows.map(decodeCustomer).map(entryOf), lookedTo: placed }
  const found = rows.map((raw) => ({ row: decodeCustomer(raw), snapshot: raw['snapshot'] }))
  const last = rows.length === limit ? found.at(-1)?.row : undefined
  return {
    found: found.flatMap(({ row, snapshot }) =>
      purchases.meets(purchasesIn(row.id, snapshot, row.link.organizationId)) ? [entryOf(row)] : [],
    ),
    // The filter removes rows from the page. So the position for the next page is that of the last row that was examined, not of the last
    // row that was returned.
    lookedTo: placed ?? (last && placeOf(last)),
  }
}

/** Counts the customers whose purchases meet a condition. Examines at most 10,001 customers, all of which have one of the condition's ids. */
const totalByPurchases = async (rows: Knex.QueryBuilder, purchases: PurchaseFilter): Promise<Total> => {
  let [count, looked, after] = [0, 0, '']
  while (looked <= mostCounted) {
    const query = rows.clone().where('c.id', '>', after).orderBy('c.id').limit(windowRows)
    const found: RawRow[] = await query.select('c.id', 'c.snapshot', 'l.organization_id')
    for (const { id, snapshot, organization_id } of found)
      if (purchases.meets(purchasesIn(String(id), snapshot, organization_id))) count += 1
    if (found.length < windowRows) return { count, isExact: true }
    looked += found.length
    after = String(found.at(-1)?.['id'])
  }
  return { count, isExact: false }
}

/** The number of customers that match the filter. */
export const totalOfCustomers = (db: Db, filter: CustomerFilter): Promise<Total> => {
  const { email, externalId, payment, currency, isUnlinked, search, purchases } = filter
  const equal = { email, external_id: externalId, payment_status: payment, recurring_currency: currency }
  const filtered = (query: Knex.QueryBuilder) => {
    for (const [column, value] of Object.entries(equal)) if (value !== undefined) query.where(`c.${column}`, value)
    if (isUnlinked !== undefined || purchases !== undefined) query.leftJoin('billing_link as l', 'l.customer_id', 'c.id')
    if (isUnlinked !== undefined) query.whereRaw(isUnlinked ? `not (${isLinked})` : isLinked)
    if (purchases !== undefined) withIds(query, db, 'c', purchases)
    return query
  }
  if (search !== undefined)
    return texts.total(db, askedTerms(search), (query) => {
      joinOne(query, db, { table: 'billing_customer', as: 'c', key: 'id', of: 't.billing_customer_id' })
      filtered(query)
    })
  if (purchases !== undefined) return totalByPurchases(filtered(db.knex('billing_customer as c')), purchases)
  const isWhole = Object.values(filter).every((value) => value === undefined)
  return totalOf(db, filtered(db.knex('billing_customer as c')), isWhole ? 'billing_customer' : undefined)
}

/** The purchases of these customers, by customer id. */
export const listSnapshots = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, BillingSnapshot>> => {
  const rows: { id: string; snapshot: string }[] = await db
    .knex(customers.name)
    .whereIn('id', [...ids])
    .select('id', 'snapshot')
  return new Map(
    rows.flatMap(({ id, snapshot }) => (snapshot === '' ? [] : [[id, parseStored(storedSnapshot, snapshot)] as const])),
  )
}

export interface PaymentTotals {
  readonly statuses: ReadonlyMap<string, number>
  /** For each currency, the price of all active subscriptions for one year. */
  readonly currencies: readonly { readonly currency: string; readonly customers: number; readonly yearly: number }[]
}

/** Numbers of customers and amounts, summed over all customers. Each sum is read from an index of its own. */
export const sumPayments = async ({ knex }: Db): Promise<PaymentTotals> => {
  const counted = { customers: knex.raw('count(*)') }
  const statuses: { status: string; customers: unknown }[] = await knex(customers.name)
    .whereNotNull('payment_status')
    .groupBy('payment_status')
    .select({ status: 'payment_status', ...counted })
  const currencies: { currency: string; customers: unknown; yearly: unknown }[] = await knex(customers.name)
    .whereNotNull('recurring_currency')
    .groupBy('recurring_currency')
    .orderBy('recurring_currency')
    .select({ currency: 'recurring_currency', ...counted, yearly: knex.raw('sum(recurring_yearly)') })
  return {
    statuses: new Map(statuses.map(({ status, customers: number }) => [status, Number(number)])),
    currencies: currencies.map(({ currency, customers: number, yearly }) => ({
      ...{ currency, customers: Number(number), yearly: Number(yearly) },
    })),
  }
}
