import type { z } from 'zod'
import type { PersonPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Db } from '../../core/db/database.ts'
import type { AllowedIn, Memberships } from '../../organizations/index.ts'
import { type EntitlementRules, grantEndsOf } from '../entitlements/rules/sources.ts'
import type { Entitlements } from '../entitlements/rules.ts'
import type { EntitlementService, Owner } from '../entitlements/service.ts'
import { billingErrors } from '../errors.ts'
import type { OwnedSnapshot } from '../links/service.ts'
import type { BillingSnapshot, StateData } from '../state/snapshot.ts'
import { eventTimeOf, type Timestamped } from '../state/versions.ts'
import type { Benefits, Meters, Orders, Page, Subscriptions } from './contract/own.ts'
import * as store from './store.ts'
import { benefitView, meterView, orderView, subscriptionView, unstoredGrant, unstoredSubscription } from './views.ts'

export interface OwnPage extends Page {
  readonly organizationId?: string | undefined
}

/** Reads pages of customers' purchases from the database. */
export interface Lists {
  subscriptions(snapshots: readonly BillingSnapshot[], page: Page): Promise<z.output<typeof Subscriptions>>
  orders(snapshots: readonly BillingSnapshot[], page: Page): Promise<z.output<typeof Orders>>
  benefits(snapshots: readonly BillingSnapshot[], page: Page): Promise<z.output<typeof Benefits>>
  meters(snapshots: readonly BillingSnapshot[], page: Page): Promise<z.output<typeof Meters>>
}

/**
 * Reads the purchases of the principal, or of an organization that the principal belongs to. For an organization, each function except
 * `state` needs the permission `billing: read` in it.
 */
export interface Queries {
  state(principal: PersonPrincipal, organizationId: string | undefined): Promise<Entitlements>
  subscriptions(principal: PersonPrincipal, page: OwnPage): Promise<z.output<typeof Subscriptions>>
  orders(principal: PersonPrincipal, page: OwnPage): Promise<z.output<typeof Orders>>
  benefits(principal: PersonPrincipal, page: OwnPage): Promise<z.output<typeof Benefits>>
  meters(principal: PersonPrincipal, page: OwnPage): Promise<z.output<typeof Meters>>
}

interface Deps {
  readonly db: Db
  readonly entitlements: EntitlementService
  readonly snapshotsOf: (db: Db, owner: Owner) => Promise<readonly OwnedSnapshot[]>
  readonly memberships: Pick<Memberships, 'find'>
  readonly lists: Lists
}

const idsOf = (snapshots: readonly BillingSnapshot[]) => snapshots.map(({ customerId }) => customerId)

interface ListDeps extends Pick<Core, 'db' | 'clock'> {
  readonly config: Pick<EntitlementRules, 'grace'>
}

export const createLists = ({ db, clock, config }: ListDeps): Lists => {
  /**
   * A page of subscriptions or grants. First come those that only a customer state contains, because no event about them has arrived.
   * Then come the stored ones. If the entry of a customer state is newer than the stored entity, its values are shown.
   */
  const listWhole = async <K extends 'subscription' | 'grant', E extends Timestamped & { readonly id: string }>(
    kind: K,
    snapshots: readonly BillingSnapshot[],
    current: ReadonlyMap<string, unknown>,
    { limit, offset }: Page,
    entriesOf: (state: StateData) => readonly E[],
    read: (entry: E) => store.Owned[K],
  ): Promise<store.PageOf<store.Owned[K]>> => {
    const customerIds = idsOf(snapshots)
    const entries = (await store.listStates(db, customerIds)).flatMap(entriesOf).filter(({ id }) => current.has(id))
    const known = await store.listKnown(db, kind, [...current.keys()])
    const unstored = entries.filter(({ id }) => !known.has(id))
    const first = unstored.slice(offset, offset + limit).map(read)
    const rest = { limit: limit - first.length, offset: Math.max(0, offset - unstored.length) }
    const { rows, total } = await store.listOwned(db, kind, customerIds, rest)
    const named = new Map(entries.map((entry) => [entry.id, entry]))
    const latest = rows.map((row) => {
      const entry = named.get(row.id)
      return entry !== undefined && eventTimeOf(entry) > eventTimeOf(row) ? { ...row, ...entry } : row
    })
    return { rows: [...first, ...latest], total: unstored.length + total }
  }

  return {
    subscriptions: async (snapshots, page) => {
      const current = new Map(snapshots.flatMap(({ subscriptions }) => subscriptions).map((one) => [one.id, one]))
      const entriesOf = (state: StateData) => state.active_subscriptions
      const { rows, total } = await listWhole('subscription', snapshots, current, page, entriesOf, unstoredSubscription)
      const productIds = rows.map((row) => current.get(row.id)?.productId ?? row.product_id)
      const products = await store.listCatalogue(db, 'product', productIds)
      const subscriptions = rows.map((row, i) =>
        subscriptionView(row, current.get(row.id), products.get(productIds[i] ?? '')?.name),
      )
      return { subscriptions, total }
    },
    orders: async (snapshots, page) => {
      const { rows, total } = await store.listOwned(db, 'order', idsOf(snapshots), page)
      return { orders: rows.map(orderView), total }
    },
    benefits: async (snapshots, page) => {
      const ends = new Map(snapshots.flatMap((snapshot) => [...grantEndsOf(snapshot, config.grace)]))
      const { rows, total } = await listWhole('grant', snapshots, ends, page, (state) => state.granted_benefits, unstoredGrant)
      const described = await store.listCatalogue(
        db,
        'benefit',
        rows.map((row) => row.benefit_id),
      )
      return {
        benefits: rows.map((row) => benefitView(row, ends.get(row.id), clock.now(), described.get(row.benefit_id)?.description)),
        total,
      }
    },
    meters: async (snapshots, { limit, offset }) => {
      const current = snapshots.flatMap(({ meters }) => meters)
      const shown = current.slice(offset, offset + limit)
      const named = await store.listCatalogue(
        db,
        'meter',
        shown.map(({ meterId }) => meterId),
      )
      return { meters: shown.map((one) => meterView(one, named.get(one.meterId)?.name)), total: current.length }
    },
  }
}

export const createQueries = ({ db, entitlements, snapshotsOf, memberships, lists }: Deps): Queries => {
  const snapshotsFor = async (
    principal: PersonPrincipal,
    organizationId: string | undefined,
    isAllowed: (membership: AllowedIn) => boolean,
  ) => {
    if (organizationId === undefined) return snapshotsOf(db, { userId: principal.user.id, organizationId: null })
    // A principal that is not a member gets the answer for an unknown organization, so that outsiders do not learn which organizations
    // exist.
    const membership = await memberships.find(db, principal, organizationId)
    if (membership === undefined || !isAllowed(membership))
      throw billingErrors.error('YOU_ARE_NOT_ALLOWED_TO_READ_THE_BILLING_OF_THIS_ORGANIZATION')
    return snapshotsOf(db, { userId: null, organizationId: membership.organizationId })
  }
  const listed =
    <T>(list: (snapshots: readonly BillingSnapshot[], page: Page) => Promise<T>) =>
    async (principal: PersonPrincipal, { organizationId, ...page }: OwnPage) => {
      const owned = await snapshotsFor(principal, organizationId, (membership) => membership.allows('billing:read'))
      return list(
        owned.map(({ snapshot }) => snapshot),
        page,
      )
    }
  return {
    state: async (principal, organizationId) => {
      const state = entitlements.of(await snapshotsFor(principal, organizationId, () => true))
      return organizationId === undefined ? { ...state, seats: null } : state
    },
    subscriptions: listed(lists.subscriptions),
    orders: listed(lists.orders),
    benefits: listed(lists.benefits),
    meters: listed(lists.meters),
  }
}
