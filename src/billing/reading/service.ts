import type { z } from 'zod'
import type { UserCaller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../core/database.ts'
import type { Memberships } from '../../organizations/index.ts'
import { type EntitlementRules, grantEndsOf } from '../entitlements/rules/held.ts'
import type { Entitlements } from '../entitlements/rules.ts'
import type { EntitlementService, Holder } from '../entitlements/service.ts'
import { billingErrors } from '../errors.ts'
import type { HeldStanding } from '../linking/service.ts'
import type { Standing, StateData } from '../projection/standing.ts'
import { type Stamped, stampOf } from '../projection/versions.ts'
import type { Benefits, Meters, Orders, Page, Subscriptions } from './contract/own.ts'
import * as store from './store.ts'
import { benefitView, meterView, orderView, subscriptionView, unstoredGrant, unstoredSubscription } from './views.ts'

export interface OwnPage extends Page {
  readonly organizationId?: string | undefined
}

/** What customers have, page by page. Nothing is asked of the platform. */
export interface Lists {
  subscriptions(standings: readonly Standing[], page: Page): Promise<z.output<typeof Subscriptions>>
  orders(standings: readonly Standing[], page: Page): Promise<z.output<typeof Orders>>
  benefits(standings: readonly Standing[], page: Page): Promise<z.output<typeof Benefits>>
  meters(standings: readonly Standing[], page: Page): Promise<z.output<typeof Meters>>
}

/** The same for who is asking, or for an organization they belong to; all but `state` needs `billing: read` there. */
export interface Reading {
  state(caller: UserCaller, organizationId: string | undefined): Promise<Entitlements>
  subscriptions(caller: UserCaller, page: OwnPage): Promise<z.output<typeof Subscriptions>>
  orders(caller: UserCaller, page: OwnPage): Promise<z.output<typeof Orders>>
  benefits(caller: UserCaller, page: OwnPage): Promise<z.output<typeof Benefits>>
  meters(caller: UserCaller, page: OwnPage): Promise<z.output<typeof Meters>>
}

interface Deps {
  readonly db: Db
  readonly entitlements: EntitlementService
  readonly standingsOf: (db: Db, holder: Holder) => Promise<readonly HeldStanding[]>
  readonly memberships: Pick<Memberships, 'claimsOf' | 'mayReadBilling'>
  readonly lists: Lists
}

const idsOf = (standings: readonly Standing[]) => standings.map(({ customerId }) => customerId)

interface ListDeps {
  readonly db: Db
  readonly clock: Clock
  readonly config: Pick<EntitlementRules, 'grace'>
}

export const createLists = ({ db, clock, config }: ListDeps): Lists => {
  /**
   * A page of what is stored, behind what only a snapshot names: it is live, and its own event has not come. What a snapshot told later
   * than that counts.
   */
  const listWhole = async <K extends 'subscription' | 'grant', E extends Stamped & { readonly id: string }>(
    kind: K,
    standings: readonly Standing[],
    held: ReadonlyMap<string, unknown>,
    { limit, offset }: Page,
    entriesOf: (state: StateData) => readonly E[],
    read: (entry: E) => store.Owned[K],
  ): Promise<store.PageOf<store.Owned[K]>> => {
    const customerIds = idsOf(standings)
    const entries = (await store.listStates(db, customerIds)).flatMap(entriesOf).filter(({ id }) => held.has(id))
    const known = await store.listKnown(db, kind, [...held.keys()])
    const unstored = entries.filter(({ id }) => !known.has(id))
    const first = unstored.slice(offset, offset + limit).map(read)
    const rest = { limit: limit - first.length, offset: Math.max(0, offset - unstored.length) }
    const { rows, total } = await store.listOwned(db, kind, customerIds, rest)
    const named = new Map(entries.map((entry) => [entry.id, entry]))
    const latest = rows.map((row) => {
      const entry = named.get(row.id)
      return entry !== undefined && stampOf(entry) > stampOf(row) ? { ...row, ...entry } : row
    })
    return { rows: [...first, ...latest], total: unstored.length + total }
  }

  return {
    subscriptions: async (standings, page) => {
      const held = new Map(standings.flatMap(({ subscriptions }) => subscriptions).map((one) => [one.id, one]))
      const entriesOf = (state: StateData) => state.active_subscriptions
      const { rows, total } = await listWhole('subscription', standings, held, page, entriesOf, unstoredSubscription)
      const productIds = rows.map((row) => held.get(row.id)?.productId ?? row.product_id)
      const products = await store.listCatalogue(db, 'product', productIds)
      const subscriptions = rows.map((row, i) => subscriptionView(row, held.get(row.id), products.get(productIds[i] ?? '')?.name))
      return { subscriptions, total }
    },
    orders: async (standings, page) => {
      const { rows, total } = await store.listOwned(db, 'order', idsOf(standings), page)
      return { orders: rows.map(orderView), total }
    },
    benefits: async (standings, page) => {
      const ends = new Map(standings.flatMap((standing) => [...grantEndsOf(standing, config.grace)]))
      const { rows, total } = await listWhole('grant', standings, ends, page, (state) => state.granted_benefits, unstoredGrant)
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
    meters: async (standings, { limit, offset }) => {
      const held = standings.flatMap(({ meters }) => meters)
      const shown = held.slice(offset, offset + limit)
      const named = await store.listCatalogue(
        db,
        'meter',
        shown.map(({ meterId }) => meterId),
      )
      return { meters: shown.map((one) => meterView(one, named.get(one.meterId)?.name)), total: held.length }
    },
  }
}

export const createReading = ({ db, entitlements, standingsOf, memberships, lists }: Deps): Reading => {
  const standingsFor = async (
    { user }: UserCaller,
    organizationId: string | undefined,
    isAllowed: (organizationId: string) => Promise<boolean>,
  ) => {
    if (organizationId === undefined) return standingsOf(db, { userId: user.id, organizationId: null })
    // Outsiders get the same answer as members without the right: which organizations there are is none of theirs.
    if (!(await isAllowed(organizationId)))
      throw billingErrors.refuse('YOU_ARE_NOT_ALLOWED_TO_READ_THE_BILLING_OF_THIS_ORGANIZATION')
    return standingsOf(db, { userId: null, organizationId })
  }
  const listed =
    <T>(list: (standings: readonly Standing[], page: Page) => Promise<T>) =>
    async (caller: UserCaller, { organizationId, ...page }: OwnPage) => {
      const held = await standingsFor(caller, organizationId, (id) => memberships.mayReadBilling(db, caller.user.id, id))
      return list(
        held.map(({ standing }) => standing),
        page,
      )
    }
  return {
    state: async (caller, organizationId) => {
      const isMember = async (id: string) => (await memberships.claimsOf(db, caller.user.id, id))?.id === id
      const state = entitlements.of(await standingsFor(caller, organizationId, isMember))
      return organizationId === undefined ? { ...state, seats: null } : state
    },
    subscriptions: listed(lists.subscriptions),
    orders: listed(lists.orders),
    benefits: listed(lists.benefits),
    meters: listed(lists.meters),
  }
}
