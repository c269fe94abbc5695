import { dateOf, secondsAfter } from '../../events/shared.ts'

/** Statuses of a subscription (billing specification, section 4, and later additions). */
export const subscriptionStatuses = [
  'active',
  'trialing',
  'past_due',
  'paused',
  'unpaid',
  'incomplete',
  'canceled',
  'incomplete_expired',
] as const
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

/** A rule has exactly one of these as its condition, with one or more ids. */
export const sourceKinds = ['product', 'price', 'benefit', 'meter'] as const

export interface EntitlementRule {
  readonly name: string
  readonly product?: readonly string[] | undefined
  readonly price?: readonly string[] | undefined
  readonly benefit?: readonly string[] | undefined
  readonly meter?: readonly string[] | undefined
  readonly value?: string | number | true | undefined
  /** `seats` of the subscription, `balance` of the meter, or a number for each source. */
  readonly quantity?: 'seats' | 'balance' | number | undefined
  readonly combine: 'sum' | 'max'
  readonly plan?: string | undefined
}

/** How long a status entitles: as long as it lasts (`always`), or this number of seconds (see `endOf`). */
export type Grace = 'always' | number

export interface EntitlementRules {
  readonly entitlements: readonly EntitlementRule[]
  readonly grace: Readonly<Record<SubscriptionStatus, Grace>> & { readonly canceled: number }
  /** Best first. When empty: the order of the rules. */
  readonly plans: readonly string[]
  /** Number of seats of an organization that bought none. When undefined: unlimited. */
  readonly freeSeats?: number | 'unlimited' | undefined
}

export interface PurchasedSubscription {
  readonly id: string
  readonly productId: string
  readonly priceIds: readonly string[]
  readonly status: string
  readonly statusSince: string
  readonly currentPeriodEnd: string | null
  readonly cancelAtPeriodEnd: boolean
  readonly endsAt: string | null
  readonly endedAt: string | null
  readonly seats: number | null
  readonly deliveryId: string
}

/** The parts of a customer's snapshot that rules examine. */
export interface Purchases {
  readonly subscriptions: readonly PurchasedSubscription[]
  readonly grants: readonly {
    readonly id: string
    readonly benefitId: string
    readonly subscriptionId: string | null
    readonly deliveryId: string
  }[]
  readonly orders: readonly {
    readonly id: string
    readonly productId: string | null
    readonly priceIds: readonly string[]
    readonly status: 'paid' | 'partially_refunded' | 'refunded'
    /** Number of orders in this entry. */
    readonly count: number
    /** True if a refund, whether whole or partial, revoked the benefits. */
    readonly benefitsRevoked: boolean
    readonly deliveryId: string
  }[]
  readonly meters: readonly {
    readonly meterId: string
    readonly balance: number
    /** Time of the balance as sortable text. */
    readonly asOf: string
    readonly deliveryId: string
  }[]
}

export interface OwnedPurchases {
  readonly owner: 'user' | 'organization'
  readonly customerId: string
  readonly snapshot: Purchases
}

/** A condition on the purchases of customers. It depends on rules and on the time. */
export interface PurchaseFilter {
  /** The purchases that meet the condition have at least one id of each of these lists. The database leaves out all others. */
  readonly ids: readonly (readonly string[])[]
  /** True for purchases that meet the condition. */
  meets(purchases: OwnedPurchases): boolean
}

/** The source of an entitlement: a purchase of a customer. */
export interface Source {
  readonly kind: 'subscription' | 'order' | 'grant' | 'meter'
  readonly id: string
  readonly customerId: string
  readonly owner: 'user' | 'organization'
  /** The delivery that contained the purchase. */
  readonly deliveryId: string
  readonly validUntil: Date | null
}

const earliest = (a: Date | null, b: Date | null) => (a === null ? b : b === null || a < b ? a : b)

/**
 * The time when a subscription stops entitling if no further event arrives. Null if it never stops. With a prepaid status (active,
 * trialing, canceled) it entitles until the end of the paid period plus grace; with another status, grace starts when the status starts.
 * A cancellation or revocation takes effect at its own time (wire reference of the events, section 9), plus grace, before and after the
 * platform confirms it. So access that has ended does not return.
 */
export const endOf = (subscription: PurchasedSubscription, graces: EntitlementRules['grace']): Date | null => {
  const { status, statusSince, currentPeriodEnd, cancelAtPeriodEnd, endsAt, endedAt } = subscription
  const grace = graces[status as SubscriptionStatus] ?? 0
  const announcedEnd = endedAt ?? endsAt ?? (cancelAtPeriodEnd ? currentPeriodEnd : null)
  if (status === 'canceled') return secondsAfter(announcedEnd ?? currentPeriodEnd ?? statusSince, graces.canceled)
  const end = announcedEnd === null ? null : secondsAfter(announcedEnd, graces.canceled)
  if (grace === 'always') return end
  const isPrepaid = status === 'active' || status === 'trialing'
  const from = isPrepaid ? currentPeriodEnd : statusSince
  const seconds = isPrepaid && announcedEnd !== null ? Math.max(grace, graces.canceled) : grace
  return earliest(end, from === null ? null : secondsAfter(from, seconds))
}

/** A purchase that may entitle, with the ids that rules look for. */
export interface PossibleSource {
  readonly source: Source
  /** The reason why no rule can give an entitlement for this purchase. */
  readonly voidBecause: 'refunded' | 'no balance' | undefined
  readonly subscription: PurchasedSubscription | undefined
  readonly ids: Readonly<Partial<Record<(typeof sourceKinds)[number], readonly string[]>>>
  readonly seats: number | null
  readonly balance: number | null
  /** Time of the balance at the platform. */
  readonly asOf: Date | null
  /** Number of orders in this purchase. */
  readonly count: number
}

/** When each benefit ends if no further event arrives. A benefit ends with its subscription, even if the event about the benefit is late. */
export const grantEndsOf = (
  { grants, subscriptions }: Pick<Purchases, 'grants' | 'subscriptions'>,
  graces: EntitlementRules['grace'],
): ReadonlyMap<string, Date | null> => {
  const ends = new Map(subscriptions.map((one) => [one.id, endOf(one, graces)]))
  return new Map(grants.map(({ id, subscriptionId }) => [id, ends.get(subscriptionId ?? '') ?? null]))
}

/** All purchases of a customer as possible sources, including ended and void ones. */
export const possibleSources = (
  { owner, customerId, snapshot }: OwnedPurchases,
  { grace }: EntitlementRules,
): PossibleSource[] => {
  const { subscriptions, orders, grants, meters } = snapshot
  const grantEnds = grantEndsOf(snapshot, grace)
  const nothing = { voidBecause: undefined, subscription: undefined, seats: null, balance: null, asOf: null, count: 1 }
  return [
    ...subscriptions.map((one) => ({
      ...nothing,
      source: {
        ...{ kind: 'subscription' as const, id: one.id, customerId, owner, deliveryId: one.deliveryId },
        validUntil: endOf(one, grace),
      },
      subscription: one,
      ids: { product: [one.productId], price: one.priceIds },
      seats: one.seats,
    })),
    ...orders.map((one) => {
      // A partial refund only matters if it revoked the benefits.
      const voidBecause = one.status === 'refunded' || one.benefitsRevoked ? ('refunded' as const) : undefined
      const source = { kind: 'order' as const, id: one.id, customerId, owner, deliveryId: one.deliveryId, validUntil: null }
      return {
        ...nothing,
        voidBecause,
        source,
        count: one.count,
        ids: { product: one.productId === null ? [] : [one.productId], price: one.priceIds },
      }
    }),
    ...grants.map((one) => ({
      ...nothing,
      source: {
        ...{ kind: 'grant' as const, id: one.id, customerId, owner, deliveryId: one.deliveryId },
        validUntil: grantEnds.get(one.id) ?? null,
      },
      ids: { benefit: [one.benefitId] },
    })),
    ...meters.map((one) => {
      const voidBecause = one.balance > 0 ? undefined : ('no balance' as const)
      const source = { kind: 'meter' as const, id: one.meterId, customerId, owner, deliveryId: one.deliveryId, validUntil: null }
      return { ...nothing, voidBecause, source, ids: { meter: [one.meterId] }, balance: one.balance, asOf: dateOf(one.asOf) }
    }),
  ]
}
