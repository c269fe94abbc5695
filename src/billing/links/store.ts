import type { Knex } from 'knex'
import { anyOf, type Db, isPostgres, readPrepared, type Tx } from '../../core/db/database.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import { nullable, oneOf, type Row, table, text, time } from '../../core/db/table.ts'
import { parseStored } from '../../core/stored-json.ts'
import type { BillingSnapshot } from '../state/snapshot.ts'
import { storedSnapshot } from '../state/table.ts'

const linkColumns = {
  customerId: text,
  userId: nullable(text),
  organizationId: nullable(text),
  linkedBy: oneOf('external_id', 'email', 'operator'),
  /** Set if `linkedBy` is `email`: the email address of the customer, which the user had verified. */
  email: nullable(text),
  linkedAt: time,
}
export const links = table('billing_link', linkColumns)
/** The link of a customer to its owner. If both owner columns are null, the owner was deleted, and the customer is unlinked. */
export type LinkRow = Row<typeof linkColumns>

export const findLink = (db: Db, customerId: string) => links.find(db, { customerId })

/** If the customer is still linked to this user or organization, locks the link until the transaction ends. Returns undefined if it is not. */
export const lockLinkTo = async (tx: Tx, customerId: string, id: string): Promise<LinkRow | undefined> => {
  const query = tx
    .knex(links.name)
    .where({ customer_id: customerId })
    .where((owner) => owner.where({ user_id: id }).orWhere({ organization_id: id }))
  const raw: Record<string, unknown> | undefined = await (isPostgres(tx) ? query.forUpdate() : query).first()
  return raw === undefined ? undefined : links.decode(raw)
}

/** The stored links of these customers. */
export const listLinks = (db: Db, customerIds: readonly string[]) => links.findAll(db, 'customerId', customerIds)

export const upsertLinks = (tx: Tx, rows: readonly LinkRow[]) => links.upsertAll(tx, rows, ['customerId'])

/**
 * An SQL condition. It is true for a customer that becomes a user's own when the user verifies `address`: the customer is unlinked, or it
 * is linked by an email address that it no longer has.
 */
const claimable = (alias: string, address: string) =>
  `((${alias}.user_id is null and ${alias}.organization_id is null) or (${alias}.linked_by = 'email' and ${alias}.email <> ${address}))`

/** How each of these customers was linked to its owner. Customers without an owner are missing in the result. */
export const listLinkedBy = async (db: Db, customerIds: readonly string[]): Promise<ReadonlyMap<string, LinkRow['linkedBy']>> => {
  const rows: Record<string, unknown>[] = await db
    .knex(links.name)
    .whereIn('customer_id', [...customerIds])
    .whereRaw('coalesce(user_id, organization_id) is not null')
  return new Map(rows.map((row) => links.decode(row)).map(({ customerId, linkedBy }) => [customerId, linkedBy]))
}

/** Links a customer by a verified email address. Returns false, and changes nothing, if the present link stays (see `claimable`). */
export const claimLink = async (tx: Tx, row: LinkRow): Promise<boolean> => {
  const query = tx.knex(links.name).insert(links.encode(row)).onConflict('customer_id').merge()
  const claimed: unknown[] = await query.whereRaw(claimable(links.name, 'excluded.email')).returning('customer_id')
  return claimed.length === 1
}

export const deleteLink = (tx: Tx, customerId: string) => links.delete(tx, { customerId })

export interface OwnerMatches {
  /** The user or organization that the customer's external id names. Undefined if it names none. */
  readonly external: { readonly userId: string | null; readonly organizationId: string | null } | undefined
  /** The user who has verified the customer's email address. Undefined if nobody has. */
  readonly verifiedUserId: string | undefined
}

interface Identity {
  readonly externalId: string | null
  /** The customer's email address in lower case. Null if it has none. */
  readonly email: string | null
}

type AnyOf = ReturnType<typeof anyOf>

interface MatchingUser {
  readonly id: string
  readonly email: string
  readonly email_verified: unknown
}

/**
 * The users that match one of the customers by id or email address, and the organizations whose id is the external id of a customer. If a
 * user and an organization have the same id, only the user matches.
 */
const matching = async (db: Db, identities: readonly Identity[], lock: boolean) => {
  const externalIds = identities.flatMap(({ externalId }) => externalId ?? [])
  const emails = identities.flatMap(({ email }) => email ?? [])
  const [byId, byEmail] = [externalIds, emails].map((list) => anyOf(db, list, identities.length)) as [AnyOf, AnyOf]
  // Rows are locked in sorted order, so that two transactions cannot deadlock.
  const [locked, suffix] = lock && isPostgres(db) ? [' for key share', `${byId.name}_locked`] : ['', byId.name]
  const usersAt = `select id, email, email_verified from "user" where id ${byId.sql} or (email ${byEmail.sql} and email_verified) order by id${locked}`
  const readUsers = { name: `billing_matching_users_${suffix}`, sql: usersAt }
  const found: readonly unknown[] = await readPrepared(db, readUsers, [...byId.values, ...byEmail.values])
  const users = found as readonly MatchingUser[]
  const unknownIds = externalIds.filter((id) => !users.some((user) => user.id === id))
  if (unknownIds.length === 0) return { users, organizations: new Set<unknown>() }
  const unknown = anyOf(db, unknownIds, identities.length)
  const organizationsAt = `select id from organization where id ${unknown.sql} order by id${locked}`
  const readOrganizations = { name: `billing_matching_organizations_${suffix}`, sql: organizationsAt }
  const organizations = await readPrepared(db, readOrganizations, unknown.values)
  return { users, organizations: new Set(organizations.map(({ id }) => id)) }
}

/**
 * For each customer, in order, the user or organization that matches. With `lock`, the matching users and organizations cannot be deleted
 * until the transaction ends.
 */
export const findOwners = async (
  db: Db,
  identities: readonly Identity[],
  { lock }: { readonly lock: boolean },
): Promise<readonly OwnerMatches[]> => {
  const { users, organizations } = await matching(db, identities, lock)
  return identities.map(({ externalId, email }) => {
    const verifiedUserId = users.find((user) => user.email === email && Boolean(user.email_verified))?.id
    const isUser = users.some(({ id }) => id === externalId)
    const isOrganization = organizations.has(externalId)
    if (isUser) return { external: { userId: externalId, organizationId: null }, verifiedUserId }
    return { external: isOrganization ? { userId: null, organizationId: externalId } : undefined, verifiedUserId }
  })
}

/** Reads the selected rows of `billing_customer` and locks them until the transaction ends. */
const lockCustomers = async (tx: Tx, query: Knex.QueryBuilder): Promise<readonly (Identity & { readonly id: string })[]> => {
  const rows: { id: string; email: string | null; external_id: string | null }[] = await query
    .orderBy('c.id')
    .select('c.id', 'c.email', 'c.external_id')
    .modify((all) => void (isPostgres(tx) && all.forUpdate('c')))
  return rows.map(({ id, email, external_id }) => ({ id, email, externalId: external_id }))
}

/** External id and email address of a customer, as the platform sent them. Undefined for an unknown customer. */
export const findIdentity = async (db: Db, id: string): Promise<(Identity & { readonly id: string }) | undefined> => {
  const row: { email: string | null; external_id: string | null } | undefined = await db
    .knex('billing_customer')
    .where({ id })
    .first('email', 'external_id')
  return row && { id, email: row.email, externalId: row.external_id }
}

/** Locks the customers with this email address until the transaction ends. Returns their ids. */
export const lockCustomersAt = async (tx: Tx, email: string): Promise<readonly string[]> =>
  (await lockCustomers(tx, tx.knex('billing_customer as c').where('c.email', email))).map(({ id }) => id)

/** Locks the customers of a user or organization until the transaction ends. Returns them. */
export const lockCustomersOf = (tx: Tx, id: string) => {
  const linked = tx.knex('billing_link').where({ user_id: id }).orWhere({ organization_id: id }).select('customer_id')
  return lockCustomers(tx, tx.knex('billing_customer as c').whereIn('c.id', linked))
}

/** The snapshot of a customer, together with the kind of its owner: the user, or the organization that the user acts for. */
export interface OwnedSnapshot {
  readonly owner: 'user' | 'organization'
  readonly customerId: string
  readonly snapshot: BillingSnapshot
}

const ofOwner = 'from billing_link l join billing_customer c on c.id = l.customer_id where'

/**
 * The SQL of `snapshotsOf`. It checks the membership, because a user who was removed from the organization no longer acts for it, even if
 * the session or token still names the organization.
 */
const snapshots = {
  name: 'billing_snapshots',
  sql: `select 'user' as owner, c.id, c.snapshot ${ofOwner} l.user_id = ?
union all select 'organization', c.id, c.snapshot ${ofOwner} l.organization_id = ?
and exists (select 1 from member m where m.organization_id = l.organization_id and m.user_id = ?)`,
}
const organizationSnapshots = {
  name: 'billing_organization_snapshots',
  sql: `select 'organization' as owner, c.id, c.snapshot ${ofOwner} l.organization_id = ?`,
}

const toSnapshot = ({ owner, id, snapshot }: Readonly<Record<string, unknown>>): OwnedSnapshot => ({
  owner: owner as OwnedSnapshot['owner'],
  customerId: id as string,
  snapshot: parseStored(storedSnapshot, text.decode(snapshot)),
})

/**
 * Snapshots of the customers of a user, and of the organization if the user is a member. If no user is given, only the snapshots of the
 * organization. It takes one query, because every token needs these snapshots.
 */
export const snapshotsOf = async (
  db: Db,
  { userId, organizationId }: { readonly userId: string | null; readonly organizationId: string | null },
): Promise<readonly OwnedSnapshot[]> => {
  const rows =
    userId === null
      ? await readPrepared(db, organizationSnapshots, [organizationId])
      : await readPrepared(db, snapshots, [userId, organizationId, userId])
  return rows.map(toSnapshot)
}

/** Snapshots of the customers that would be linked to a user who verifies this email address. */
export const claimableSnapshots = async (db: Db, email: string): Promise<readonly OwnedSnapshot[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex('billing_customer as c')
    .leftJoin('billing_link as l', 'l.customer_id', 'c.id')
    .where('c.email', email)
    .whereRaw(claimable('l', 'c.email'))
    .orderBy('c.id')
    .select('c.id', 'c.snapshot')
  return rows.map((row) => toSnapshot({ ...row, owner: 'user' }))
}

export const ownLinks = personalRows(links, {
  name: 'billingCustomers',
  key: 'customer_id',
  fields: ['customerId', 'linkedBy', 'email', 'linkedAt'],
})
