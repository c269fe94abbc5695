import type { Knex } from 'knex'
import { type Db, isPostgres, readPrepared, type Tx } from '../../core/database.ts'
import { nullable, oneOf, type Row, table, text, time } from '../../core/table.ts'
import type { Standing } from '../projection/standing.ts'

const linkColumns = {
  customerId: text,
  userId: nullable(text),
  organizationId: nullable(text),
  linkedBy: oneOf('external_id', 'email', 'operator'),
  /** The customer's address that the user had verified, of a link by email. */
  email: nullable(text),
  linkedAt: time,
}
const links = table('billing_link', linkColumns)
/** Whose a customer is. Without user and organization: of somebody who is gone, and so nobody's. */
export type LinkRow = Row<typeof linkColumns>

export const findLink = (db: Db, customerId: string) => links.find(db, { customerId })

export const upsertLink = async (tx: Tx, row: LinkRow): Promise<void> => {
  await tx.knex(links.name).insert(links.encode(row)).onConflict('customer_id').merge()
}

/** What whoever proves `address` may have: linked to nobody, or by an address that the customer no longer has. */
const claimable = (alias: string, address: string) =>
  `((${alias}.user_id is null and ${alias}.organization_id is null) or (${alias}.linked_by = 'email' and ${alias}.email <> ${address}))`

/** Links a customer by an address, unless somebody has the customer by a better claim. */
export const claimLink = async (tx: Tx, row: LinkRow): Promise<void> => {
  const query = tx.knex(links.name).insert(links.encode(row)).onConflict('customer_id').merge()
  await query.whereRaw(claimable(links.name, 'excluded.email'))
}

export const deleteLink = (tx: Tx, customerId: string) => links.delete(tx, { customerId })

export interface Holders {
  /** User or organization with the customer's external id. */
  readonly external: { readonly userId: string | null; readonly organizationId: string | null } | undefined
  /** User who has verified the customer's address. */
  readonly verifiedUserId: string | undefined
}

interface Claims {
  readonly externalId: string | null
  /** Lower-cased. */
  readonly email: string | null
}

/** Who may be the customer; with `lock` in a transaction, and not deleted before that ends. */
export const findHolders = async (
  db: Db,
  { externalId, email }: Claims,
  { lock }: { readonly lock: boolean },
): Promise<Holders> => {
  const locked = (query: Knex.QueryBuilder) => void (lock && isPostgres(db) && query.forKeyShare())
  const raw = await db
    .knex('user')
    .select('id', 'email', 'email_verified')
    .where({ id: externalId ?? '' })
    .orWhere({ email: email ?? '', email_verified: true })
    .modify(locked)
  const users: { id: string; email: string; email_verified: unknown }[] = raw
  const verifiedUserId = users.find((user) => user.email === email && Boolean(user.email_verified))?.id
  if (externalId === null) return { external: undefined, verifiedUserId }
  if (users.some(({ id }) => id === externalId)) return { external: { userId: externalId, organizationId: null }, verifiedUserId }
  const organization = await db.knex('organization').where({ id: externalId }).modify(locked).first('id')
  const external = organization === undefined ? undefined : { userId: null, organizationId: externalId }
  return { external, verifiedUserId }
}

/** Rows of `billing_customer`, which no other transaction links until this one ends. */
const lockCustomers = async (tx: Tx, query: Knex.QueryBuilder): Promise<readonly (Claims & { readonly id: string })[]> => {
  const rows: { id: string; email: string | null; external_id: string | null }[] = await query
    .orderBy('c.id')
    .select('c.id', 'c.email', 'c.external_id')
    .modify((all) => void (isPostgres(tx) && all.forUpdate('c')))
  return rows.map(({ id, email, external_id }) => ({ id, email, externalId: external_id }))
}

/** Ids of customers with this address; locked until the transaction ends. */
export const lockCustomersAt = async (tx: Tx, email: string): Promise<readonly string[]> =>
  (await lockCustomers(tx, tx.knex('billing_customer as c').where('c.email', email))).map(({ id }) => id)

/** Customers of a user or organization; locked until the transaction ends. */
export const lockCustomersOf = (tx: Tx, id: string) => {
  const linked = tx.knex('billing_link').where({ user_id: id }).orWhere({ organization_id: id }).select('customer_id')
  return lockCustomers(tx, tx.knex('billing_customer as c').whereIn('c.id', linked))
}

export const hasCustomer = async (db: Db, id: string): Promise<boolean> =>
  (await db.knex('billing_customer').where({ id }).first('id')) !== undefined

/** What one customer who is this user, or the organization they act for, holds. */
export interface HeldStanding {
  readonly holder: 'user' | 'organization'
  readonly customerId: string
  readonly standing: Standing
}

const ofHolder = 'from billing_link l join billing_customer c on c.id = l.customer_id where'

/** A member who was removed no longer acts for the organization, whatever they signed in for. */
const standings = {
  name: 'billing_standings',
  sql: `select 'user' as holder, c.id, c.standing ${ofHolder} l.user_id = ?
union all select 'organization', c.id, c.standing ${ofHolder} l.organization_id = ?
and exists (select 1 from member m where m.organization_id = l.organization_id and m.user_id = ?)`,
}
const organizationStandings = {
  name: 'billing_organization_standings',
  sql: `select 'organization' as holder, c.id, c.standing ${ofHolder} l.organization_id = ?`,
}

const toStanding = ({ holder, id, standing }: Readonly<Record<string, unknown>>): HeldStanding => ({
  holder: holder as HeldStanding['holder'],
  customerId: id as string,
  standing: JSON.parse(standing as string) as Standing,
})

/**
 * Everything that was bought by or for a user and the organization they act for, if they belong to it; without a user, for the
 * organization. One query, on the way of every token.
 */
export const standingsOf = async (
  db: Db,
  { userId, organizationId }: { readonly userId: string | null; readonly organizationId: string | null },
): Promise<readonly HeldStanding[]> => {
  const rows =
    userId === null
      ? await readPrepared(db, organizationStandings, [organizationId])
      : await readPrepared(db, standings, [userId, organizationId, userId])
  return rows.map(toStanding)
}

/** What customers hold who become the user's who verifies this address. */
export const heldStandings = async (db: Db, email: string): Promise<readonly HeldStanding[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex('billing_customer as c')
    .leftJoin('billing_link as l', 'l.customer_id', 'c.id')
    .where('c.email', email)
    .whereRaw(claimable('l', 'c.email'))
    .orderBy('c.id')
    .select('c.id', 'c.standing')
  return rows.map((row) => toStanding({ ...row, holder: 'user' }))
}
