import { type Principal, systemPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { type Db, lockName, lockNames, type Tx } from '../../core/db/database.ts'
import { anyState, type IfMatch } from '../../core/etag.ts'
import type { Memberships } from '../../organizations/index.ts'
import { billingErrors } from '../errors.ts'
import { lockCustomer } from '../state/store/entities.ts'
import { linkEvents } from './events.ts'
import type { LinkRow, OwnedSnapshot } from './store.ts'
import * as store from './store.ts'

export type { OwnedSnapshot }

/** The new owner of a customer. Exactly one of the two ids is set; the other is null. */
export interface Owner {
  readonly userId: string | null
  readonly organizationId: string | null
}

/** The owner of a customer and the reason for the link. All fields are null if the customer is not linked. */
export interface CustomerLink extends Owner {
  readonly customerId: string
  readonly linkedBy: LinkRow['linkedBy'] | null
  readonly linkedAt: Date | null
}

interface LinkedOwner extends Owner {
  readonly linkedBy: LinkRow['linkedBy']
}

/** A customer whose stored link differs from the link that it should have. */
export interface OutdatedLink {
  readonly customerId: string
  readonly is: LinkedOwner | null
  readonly should: LinkedOwner | null
}

/** The data that decide which user or organization owns a customer. */
export interface CustomerIdentity {
  readonly id: string
  /** The customer's email address in lower case. Null if it has none. */
  readonly email: string | null
  readonly externalId: string | null
}

/**
 * Links the platform's customers to users and organizations: first by external id, else by an email address that a user has verified. A
 * customer that matches neither is unlinked.
 */
export interface Links {
  /**
   * Snapshots of the customers of a user, and of the organization that the user acts for. It takes one query, because every token needs
   * these snapshots.
   */
  snapshotsOf(
    db: Db,
    owner: { readonly userId: string | null; readonly organizationId: string | null },
  ): Promise<readonly OwnedSnapshot[]>
  /** Snapshots of the customers that would be linked to a user who verifies this email address. */
  claimableSnapshots(db: Db, email: string): Promise<readonly OwnedSnapshot[]>
  /**
   * Decides who owns each of these customers, and changes the wrong links. The caller has locked the customers. Returns the number of
   * changed links.
   */
  relink(tx: Tx, customers: readonly CustomerIdentity[]): Promise<number>
  /** Number of links that `relink` would change. */
  countOutdated(db: Db, customers: readonly CustomerIdentity[]): Promise<number>
  /**
   * The changes that `relink` would make. Each names the present owner of a customer and the right one. Null in place of an owner means
   * that the customer is unlinked.
   */
  listOutdated(db: Db, customers: readonly CustomerIdentity[]): Promise<readonly OutdatedLink[]>
  /**
   * Called after a user has verified an email address. Links the customers with this address to the user, except customers that are
   * linked by an operator, by an external id, or by an address that they still have.
   */
  onVerified(tx: Tx, user: { readonly id: string; readonly email: string }): Promise<void>
  /**
   * Called when a user or organization is deleted. Links its customers to another owner that matches, or unlinks them. The caller has
   * locked the row of the deleted user or organization.
   */
  release(tx: Tx, owner: { readonly id: string }): Promise<void>
  /** The link of a customer. Throws CUSTOMER_NOT_FOUND. */
  get(customerId: string): Promise<CustomerLink>
  /**
   * Links a customer to an owner that an operator chose. Later external ids and email addresses do not change this link. Throws
   * CUSTOMER_NOT_FOUND and HOLDER_NOT_FOUND.
   */
  link(principal: Principal, customerId: string, owner: Owner, ifMatch?: IfMatch<CustomerLink>): Promise<CustomerLink>
  /**
   * Removes a link that an operator made. Afterwards external id and email address decide about the customer's owner again. A link that
   * no operator made is not changed. Throws CUSTOMER_NOT_FOUND.
   */
  unlink(principal: Principal, customerId: string, ifMatch?: IfMatch<CustomerLink>): Promise<CustomerLink>
}

/** Number of customers that are linked or unlinked in one batch. */
const manyAtOnce = 500

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'events'> {
  readonly memberships: Pick<Memberships, 'idOf'>
}

const hasOwner = (link: LinkRow | undefined): link is LinkRow =>
  link !== undefined && (link.userId !== null || link.organizationId !== null)

type Link = Omit<LinkRow, 'customerId' | 'linkedAt'>

/** The link that a customer should have, or undefined if it should be unlinked. */
const decide = (
  link: LinkRow | undefined,
  { email }: CustomerIdentity,
  { external, verifiedUserId }: store.OwnerMatches,
): Link | undefined => {
  if (hasOwner(link) && link.linkedBy === 'operator') return link
  if (external !== undefined) return { ...external, linkedBy: 'external_id', email: null }
  // A link made by email address stays if the customer still has that address, or if no user has verified the customer's current address.
  if (hasOwner(link) && link.linkedBy === 'email' && (link.email === email || verifiedUserId === undefined)) return link
  return verifiedUserId === undefined ? undefined : { userId: verifiedUserId, organizationId: null, linkedBy: 'email', email }
}

const toOwner = (link: Link | undefined): LinkedOwner | null =>
  link === undefined || (link.userId ?? link.organizationId) === null
    ? null
    : { userId: link.userId, organizationId: link.organizationId, linkedBy: link.linkedBy }

const isSame = (a: Link | undefined, b: Link | undefined): boolean =>
  a?.userId === b?.userId && a?.organizationId === b?.organizationId && a?.linkedBy === b?.linkedBy && a?.email === b?.email

const viewOf = (customerId: string, link: LinkRow | undefined): CustomerLink =>
  hasOwner(link)
    ? { customerId, userId: link.userId, organizationId: link.organizationId, linkedBy: link.linkedBy, linkedAt: link.linkedAt }
    : { customerId, userId: null, organizationId: null, linkedBy: null, linkedAt: null }

export const createLinks = ({ db, transact, clock, random, events, memberships }: Deps): Links => {
  const requireIdentity = async (reader: Db, customerId: string) => {
    const identity = await store.findIdentity(reader, customerId)
    if (identity === undefined) throw billingErrors.error('CUSTOMER_NOT_FOUND')
    return identity
  }
  // The name of the lock for an email address. A delivery about an address and a user's verification of that address run one after the
  // other, so that the later one sees what the earlier one committed.
  const lockOf = (email: string) => `billing-address:${email}`
  const lockAddress = (tx: Tx, email: string) => lockName(tx, lockOf(email))

  const ownersOf = async (tx: Tx, customer: Omit<CustomerIdentity, 'id'>): Promise<store.OwnerMatches> => {
    const [found = { external: undefined, verifiedUserId: undefined }] = await store.findOwners(tx, [customer], { lock: true })
    return found
  }

  /** The customers whose link has to change, each with the present link and the right link. */
  const outdatedOf = async (db: Db, customers: readonly CustomerIdentity[], lock: boolean) => {
    if (customers.length === 0) return []
    const stored = await store.listLinks(
      db,
      customers.map(({ id }) => id),
    )
    const links = new Map(stored.map((link) => [link.customerId, link]))
    const owners = await store.findOwners(db, customers, { lock })
    return customers.flatMap((customer, i) => {
      const link = links.get(customer.id)
      const next = decide(link, customer, owners[i] ?? { external: undefined, verifiedUserId: undefined })
      return isSame(link, next) ? [] : [{ customerId: customer.id, link, next }]
    })
  }
  const recordLinked = (
    tx: Tx,
    principal: Principal,
    subject: string,
    { userId, organizationId, linkedBy }: Pick<Link, 'userId' | 'organizationId' | 'linkedBy'>,
  ) => events.record(tx, principal, linkEvents['customer.linked'], { subject, organizationId, data: { userId, linkedBy } })

  const recordUnlinked = (tx: Tx, principal: Principal, subject: string, { userId, organizationId }: Link) =>
    events.record(tx, principal, linkEvents['customer.unlinked'], { subject, organizationId, data: { userId } })

  /** Stores the right links of these customers, and records each change as an event. */
  const save = async (
    tx: Tx,
    changes: readonly { readonly customerId: string; readonly link: Link | undefined; readonly next: Link | undefined }[],
  ): Promise<void> => {
    const linked = changes.flatMap(({ customerId, next }) => (next === undefined ? [] : [{ ...next, customerId }]))
    if (linked.length > 0) {
      const linkedAt = clock.now()
      await store.upsertLinks(
        tx,
        linked.map((row) => ({ ...row, linkedAt })),
      )
    }
    for (const { customerId, link, next } of changes) {
      const principal = systemPrincipal(random.requestId())
      if (next === undefined) await store.deleteLink(tx, customerId)
      if (next === undefined && link !== undefined && (link.userId ?? link.organizationId) !== null)
        await recordUnlinked(tx, principal, customerId, link)
      if (next !== undefined && !isSame(link && { ...link, email: next.email }, next))
        await recordLinked(tx, principal, customerId, next)
    }
  }

  return {
    snapshotsOf: store.snapshotsOf,
    claimableSnapshots: store.claimableSnapshots,
    relink: async (tx, customers) => {
      // All email addresses are locked before any customer, and in sorted order, so that transactions do not deadlock.
      await lockNames(tx, [...new Set(customers.flatMap(({ email }) => email ?? []))].map(lockOf))
      const outdated = await outdatedOf(tx, customers, true)
      await save(tx, outdated)
      return outdated.length
    },
    countOutdated: async (db, customers) => {
      let count = 0
      for (let at = 0; at < customers.length; at += manyAtOnce)
        count += (await outdatedOf(db, customers.slice(at, at + manyAtOnce), false)).length
      return count
    },
    listOutdated: async (db, customers) => {
      const outdated = await outdatedOf(db, customers, false)
      return outdated.map(({ customerId, link, next }) => ({ customerId, is: toOwner(link), should: toOwner(next) }))
    },
    onVerified: async (tx, { id: userId, email }) => {
      await lockAddress(tx, email)
      const link = { userId, organizationId: null, linkedBy: 'email', email } as const
      for (const customerId of await store.lockCustomersAt(tx, email))
        if (await store.claimLink(tx, { ...link, customerId, linkedAt: clock.now() }))
          await recordLinked(tx, systemPrincipal(random.requestId()), customerId, link)
    },
    release: async (tx, { id }) => {
      for (const customer of await store.lockCustomersOf(tx, id)) {
        // Under the lock the link is read again, because an operator may have linked the customer to another owner meanwhile.
        const link = await store.lockLinkTo(tx, customer.id, id)
        if (link === undefined) continue
        const { external, verifiedUserId } = await ownersOf(tx, customer)
        const others = {
          external: external?.userId === id || external?.organizationId === id ? undefined : external,
          verifiedUserId: verifiedUserId === id ? undefined : verifiedUserId,
        }
        await save(tx, [{ customerId: customer.id, link, next: decide(undefined, customer, others) }])
      }
    },
    get: async (customerId) => {
      await requireIdentity(db, customerId)
      return viewOf(customerId, await store.findLink(db, customerId))
    },
    link: (principal, customerId, { userId, organizationId: named }, ifMatch = anyState) =>
      transact(async (tx) => {
        const organizationId = named === null ? null : await memberships.idOf(tx, named)
        await lockCustomer(tx, customerId)
        await requireIdentity(tx, customerId)
        ifMatch(viewOf(customerId, await store.findLink(tx, customerId)))
        const match = { externalId: userId ?? organizationId, email: null }
        const { external } = await ownersOf(tx, match)
        if (external?.userId !== userId || external.organizationId !== organizationId)
          throw billingErrors.error('HOLDER_NOT_FOUND')
        const row: LinkRow = { customerId, userId, organizationId, linkedBy: 'operator', email: null, linkedAt: clock.now() }
        await store.upsertLinks(tx, [row])
        await recordLinked(tx, principal, customerId, row)
        return viewOf(customerId, row)
      }),
    unlink: (principal, customerId, ifMatch = anyState) =>
      transact(async (tx) => {
        await lockCustomer(tx, customerId)
        const customer = await requireIdentity(tx, customerId)
        if (customer.email !== null) await lockAddress(tx, customer.email)
        const before = await store.findLink(tx, customerId)
        ifMatch(viewOf(customerId, before))
        if (!hasOwner(before) || before.linkedBy !== 'operator') return viewOf(customerId, before)
        await recordUnlinked(tx, principal, customerId, before)
        const next = decide(undefined, customer, await ownersOf(tx, customer))
        await (next === undefined ? store.deleteLink(tx, customerId) : save(tx, [{ customerId, link: undefined, next }]))
        return viewOf(customerId, await store.findLink(tx, customerId))
      }),
  }
}
