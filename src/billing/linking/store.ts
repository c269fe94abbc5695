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

/** Links a customer who is nobody's; whoever has got them meanwhile keeps them. */
export const claimLink = async (tx: Tx, row: LinkRow): Promise<void> => {
  const unheld = { 'billing_link.user_id': null, 'billing_link.organization_id': null }
  await tx.knex(links.name).insert(links.encode(row)).onConflict('customer_id').merge().where(unheld)
}

export const deleteLink = (tx: Tx, customerId: string) => links.delete(tx, { customerId })

export interface Holders {
  /** User or organization with the customer's external id. */
  readonly external: { readonly userId: string | null; readonly organizationId: string | null } | undefined
  /** User who has verified the customer's address. */
  readonly verifiedUserId: string | undefined
}

/** Who may be the customer; locked against deletion until the transaction ends. */
export const findHolders = async (tx: Tx, externalId: string | null, email: string | null): Promise<Holders> => {
  const lock = isPostgres(tx) ? ' for key share' : ''
  const raw = await tx
    .knex('user')
    .select('id', 'email', 'email_verified')
    .where({ id: externalId ?? '' })
    .orWhere({ email: email ?? '', email_verified: true })
    .modify((query) => void (lock !== '' && query.forKeyShare()))
  const users: { id: string; email: string; email_verified: unknown }[] = raw
  const verifiedUserId = users.find((user) => user.email === email && Boolean(user.email_verified))?.id
  if (externalId === null) return { external: undefined, verifiedUserId }
  if (users.some(({ id }) => id === externalId)) return { external: { userId: externalId, organizationId: null }, verifiedUserId }
  const organization = await tx
    .knex('organization')
    .where({ id: externalId })
    .modify((query) => void (lock !== '' && query.forKeyShare()))
    .first('id')
  const external = organization === undefined ? undefined : { userId: null, organizationId: externalId }
  return { external, verifiedUserId }
}

/** Ids of customers with this address that are nobody's; locked until the transaction ends. */
export const lockHeldCustomers = async (tx: Tx, email: string): Promise<string[]> => {
  const rows: { id: string }[] = await tx
    .knex('billing_customer as c')
    .leftJoin('billing_link as l', 'l.customer_id', 'c.id')
    .where('c.email', email)
    .whereNull('l.user_id')
    .whereNull('l.organization_id')
    .select('c.id')
    .orderBy('c.id')
    .modify((query) => void (isPostgres(tx) && query.forUpdate('c')))
  return rows.map(({ id }) => id)
}

/** Customers of one user whose address another user has verified by now. */
export const listOtherClaims = async (
  tx: Tx,
  userId: string,
): Promise<readonly { readonly customerId: string; readonly userId: string; readonly email: string }[]> => {
  const rows: { customer_id: string; id: string; email: string }[] = await tx
    .knex('billing_link as l')
    .join('billing_customer as c', 'c.id', 'l.customer_id')
    .join('user as u', 'u.email', 'c.email')
    .where('l.user_id', userId)
    .where('u.email_verified', true)
    .whereNot('u.id', userId)
    .select('l.customer_id', 'u.id', 'u.email')
    .orderBy('l.customer_id')
  return rows.map((row) => ({ customerId: row.customer_id, userId: row.id, email: row.email }))
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
  return rows.map(({ holder, id, standing }) => ({
    holder: holder as HeldStanding['holder'],
    customerId: id as string,
    standing: JSON.parse(standing as string) as Standing,
  }))
}
