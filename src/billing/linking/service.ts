import type { SystemCaller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import { type Db, lockName, type Transact, type Tx } from '../../core/database.ts'
import { billingErrors } from '../errors.ts'
import { lockCustomer } from '../projection/store/entities.ts'
import type { HeldStanding, LinkRow } from './store.ts'
import * as store from './store.ts'

export type { HeldStanding }

export type Holder =
  | { readonly userId: string; readonly organizationId: null }
  | { readonly userId: null; readonly organizationId: string }

/** What says who a customer is. */
export interface CustomerIdentity {
  readonly id: string
  /** Lower-cased. */
  readonly email: string | null
  readonly externalId: string | null
}

/** Whose the platform's customers are: by external id, else by verified address, else nobody's yet. */
export interface Linking {
  /** Everything that was bought by or for somebody: one query, on the way of every token. */
  standingsOf(
    db: Db,
    who: { readonly userId: string | null; readonly organizationId: string | null },
  ): Promise<readonly HeldStanding[]>
  /** What becomes the user's who verifies this address: nobody else has proven it. */
  heldStandings(db: Db, email: string): Promise<readonly HeldStanding[]>
  /** Decides anew whose customers are; returns how many links that changed. The caller has locked the customers. */
  settle(tx: Tx, customers: readonly CustomerIdentity[]): Promise<number>
  /** How many links `settle` would change. */
  countUnsettled(db: Db, customers: readonly CustomerIdentity[]): Promise<number>
  /** Gives customers with this address to the user who has verified it, unless somebody has them by a better claim. */
  onVerified(tx: Tx, user: { readonly id: string; readonly email: string }): Promise<void>
  /** Before a user or organization is deleted, whose row is locked: what others have a claim to becomes theirs, the rest nobody's. */
  release(tx: Tx, owner: { readonly id: string }): Promise<void>
  /** An operator's word, which outlasts external ids and addresses. Throws CUSTOMER_NOT_FOUND and HOLDER_NOT_FOUND. */
  link(caller: SystemCaller, customerId: string, holder: Holder): Promise<LinkRow>
}

interface Deps {
  readonly transact: Transact
  readonly clock: Clock
}

const hasHolder = (link: LinkRow | undefined): link is LinkRow =>
  link !== undefined && (link.userId !== null || link.organizationId !== null)

type Link = Omit<LinkRow, 'customerId' | 'linkedAt'>

/** The link a customer should have; undefined: none. */
const decide = (
  link: LinkRow | undefined,
  { email }: CustomerIdentity,
  { external, verifiedUserId }: store.Holders,
): Link | undefined => {
  if (hasHolder(link) && link.linkedBy === 'operator') return link
  if (external !== undefined) return { ...external, linkedBy: 'external_id', email: null }
  // A buyer keeps a purchase after giving its address up, and after moving it to an address that nobody has proven.
  if (hasHolder(link) && link.linkedBy === 'email' && (link.email === email || verifiedUserId === undefined)) return link
  return verifiedUserId === undefined ? undefined : { userId: verifiedUserId, organizationId: null, linkedBy: 'email', email }
}

const isSame = (a: Link | undefined, b: Link | undefined): boolean =>
  a?.userId === b?.userId && a?.organizationId === b?.organizationId && a?.linkedBy === b?.linkedBy && a?.email === b?.email

export const createLinking = ({ transact, clock }: Deps): Linking => {
  // A delivery and a verification of one address come one after the other: neither misses what the other is about to commit.
  const lockAddress = (tx: Tx, email: string) => lockName(tx, `billing-address:${email}`)

  const linksOf = async (db: Db, customer: CustomerIdentity, lock: boolean) => {
    const link = await store.findLink(db, customer.id)
    return { link, next: decide(link, customer, await store.findHolders(db, customer, { lock })) }
  }
  const save = (tx: Tx, customerId: string, next: Link | undefined): Promise<unknown> =>
    next === undefined ? store.deleteLink(tx, customerId) : store.upsertLink(tx, { ...next, customerId, linkedAt: clock.now() })

  return {
    standingsOf: store.standingsOf,
    heldStandings: store.heldStandings,
    settle: async (tx, customers) => {
      // All addresses before anything else, and in order: no two wait in a ring.
      for (const email of new Set(customers.flatMap(({ email }) => email ?? []).sort())) await lockAddress(tx, email)
      let changed = 0
      for (const customer of customers) {
        const { link, next } = await linksOf(tx, customer, true)
        if (isSame(link, next)) continue
        await save(tx, customer.id, next)
        changed += 1
      }
      return changed
    },
    countUnsettled: async (db, customers) => {
      let count = 0
      for (const customer of customers) {
        const { link, next } = await linksOf(db, customer, false)
        if (!isSame(link, next)) count += 1
      }
      return count
    },
    onVerified: async (tx, { id: userId, email }) => {
      await lockAddress(tx, email)
      for (const customerId of await store.lockCustomersAt(tx, email))
        await store.claimLink(tx, {
          ...{ customerId, userId, organizationId: null },
          ...{ linkedBy: 'email', email, linkedAt: clock.now() },
        })
    },
    release: async (tx, { id }) => {
      for (const customer of await store.lockCustomersOf(tx, id)) {
        const { external, verifiedUserId } = await store.findHolders(tx, customer, { lock: true })
        const others = {
          external: external?.userId === id || external?.organizationId === id ? undefined : external,
          verifiedUserId: verifiedUserId === id ? undefined : verifiedUserId,
        }
        await save(tx, customer.id, decide(undefined, customer, others))
      }
    },
    link: (_caller, customerId, { userId, organizationId }) =>
      transact(async (tx) => {
        await lockCustomer(tx, customerId)
        if (!(await store.hasCustomer(tx, customerId))) throw billingErrors.refuse('CUSTOMER_NOT_FOUND')
        const holder = { externalId: userId ?? organizationId, email: null }
        const { external } = await store.findHolders(tx, holder, { lock: true })
        if (external?.userId !== userId || external.organizationId !== organizationId)
          throw billingErrors.refuse('HOLDER_NOT_FOUND')
        const row: LinkRow = { customerId, userId, organizationId, linkedBy: 'operator', email: null, linkedAt: clock.now() }
        await store.upsertLink(tx, row)
        return row
      }),
  }
}
