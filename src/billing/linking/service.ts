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
  /** What was bought with this address and is nobody's, until a user verifies it. */
  heldStandings(db: Db, email: string): Promise<readonly HeldStanding[]>
  /** Decides anew whose customers are. The caller has locked them. */
  settle(tx: Tx, customers: readonly CustomerIdentity[]): Promise<void>
  /** Gives what was bought with this address, and is nobody's, to the user who has verified it. */
  onVerified(tx: Tx, user: { readonly id: string; readonly email: string }): Promise<void>
  /** Before a user is deleted: what others have a claim to becomes theirs, the rest nobody's. */
  release(tx: Tx, user: { readonly id: string }): Promise<void>
  /** An operator's word, which outlasts external ids and addresses. Throws CUSTOMER_NOT_FOUND and HOLDER_NOT_FOUND. */
  link(caller: SystemCaller, customerId: string, holder: Holder): Promise<LinkRow>
}

interface Deps {
  readonly transact: Transact
  readonly clock: Clock
}

const hasHolder = (link: LinkRow | undefined): link is LinkRow =>
  link !== undefined && (link.userId !== null || link.organizationId !== null)

/** The link a customer should have; undefined: none. */
const decide = (
  link: LinkRow | undefined,
  { email }: CustomerIdentity,
  { external, verifiedUserId }: store.Holders,
): Omit<LinkRow, 'customerId' | 'linkedAt'> | undefined => {
  if (hasHolder(link) && link.linkedBy === 'operator') return link
  if (external !== undefined) return { ...external, linkedBy: 'external_id', email: null }
  // Who has bought with an address keeps that when they give the address up, and whoever has it next gets nothing of theirs.
  if (hasHolder(link) && link.linkedBy === 'email' && link.email === email) return link
  return verifiedUserId === undefined ? undefined : { userId: verifiedUserId, organizationId: null, linkedBy: 'email', email }
}

export const createLinking = ({ transact, clock }: Deps): Linking => {
  // A delivery and a verification of one address come one after the other: neither misses what the other is about to commit.
  const lockAddress = (tx: Tx, email: string) => lockName(tx, `billing-address:${email}`)

  return {
    standingsOf: store.standingsOf,
    heldStandings: store.heldStandings,
    settle: async (tx, customers) => {
      // All addresses before anything else, and in order: no two wait in a ring.
      for (const email of new Set(customers.flatMap(({ email }) => email ?? []).sort())) await lockAddress(tx, email)
      for (const customer of customers) {
        const { id: customerId, email, externalId } = customer
        const link = await store.findLink(tx, customerId)
        const next = decide(link, customer, await store.findHolders(tx, externalId, email))
        if (next === link) continue
        if (next === undefined) await store.deleteLink(tx, customerId)
        else if (link?.userId !== next.userId || link.organizationId !== next.organizationId || link.linkedBy !== next.linkedBy)
          await store.upsertLink(tx, { ...next, customerId, linkedAt: clock.now() })
      }
    },
    onVerified: async (tx, { id: userId, email }) => {
      await lockAddress(tx, email)
      for (const customerId of await store.lockHeldCustomers(tx, email))
        await store.claimLink(tx, {
          ...{ customerId, userId, organizationId: null },
          ...{ linkedBy: 'email', email, linkedAt: clock.now() },
        })
    },
    release: async (tx, { id }) => {
      for (const { customerId, userId, email } of await store.listOtherClaims(tx, id))
        await store.upsertLink(tx, {
          ...{ customerId, userId, organizationId: null },
          ...{ linkedBy: 'email', email, linkedAt: clock.now() },
        })
    },
    link: (_caller, customerId, { userId, organizationId }) =>
      transact(async (tx) => {
        await lockCustomer(tx, customerId)
        if (!(await store.hasCustomer(tx, customerId))) throw billingErrors.refuse('CUSTOMER_NOT_FOUND')
        const { external } = await store.findHolders(tx, userId ?? organizationId, null)
        if (external?.userId !== userId || external.organizationId !== organizationId)
          throw billingErrors.refuse('HOLDER_NOT_FOUND')
        const row: LinkRow = { customerId, userId, organizationId, linkedBy: 'operator', email: null, linkedAt: clock.now() }
        await store.upsertLink(tx, row)
        return row
      }),
  }
}
