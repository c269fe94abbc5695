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

/** Each rule has exactly one of these four fields as its condition. The field contains one or more ids. */
export const sourceKinds = ['product', 'price', 'benefit', 'meter'] as const

export interface EntitlementRule {
  readonly name: string
  readonly product?: readonly string[] | undefined
  readonly price?: readonly string[] | undefined
  readonly benefit?: readonly string[] | undefined
  readonly meter?: readonly string[] | undefined
  readonly value?: string | number | true | undefined
  /** Where the quantity comes from: `seats` of the subscription, `balance` of the meter, or a fixed number for each matching purchase. */
  readonly quantity?: 'seats' | 'balance' | number | undefined
  readonly combine: 'sum' | 'max'
  readonly plan?: string | undefined
}

/**
 * How long a subscription with this status gives entitlements: as long as it has the status (`always`), or this number of seconds longer
 * (see `endOf`).
 */
export type Grace = 'always' | number

export interface EntitlementRules {
  readonly entitlements: readonly EntitlementRule[]
  readonly grace: Readonly<Record<SubscriptionStatus, Grace>> & { readonly canceled: number }
  /** The names of plans, best first. If the list is empty, the order of the rules decides which plan is best. */
  readonly plans: readonly string[]
  /** Number of seats of an organization that bought none. When undefined: the seats are unlimited. */
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

/** The parts of a customer's snapshot that the rules read. */
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
    /** Number of equal orders that this entry stands for. */
    readonly count: number
    /** True if a refund, whether whole or partial, revoked the benefits. */
    readonly benefitsRevoked: boolean
    readonly deliveryId: string
  }[]
  readonly meters: readonly {
    readonly meterId: string
    readonly balance: number
    /** The time when the meter had this balance, as sortable text. */
    readonly asOf: string
    readonly deliveryId: string
  }[]
}

export interface OwnedPurchases {
  readonly owner: 'user' | 'organization'
  readonly customerId: string
  readonly snapshot: Purchases
}

/** A condition on the purchases of a customer. Its result depends on the rules and on the current time. */
export interface PurchaseFilter {
  /** Lists of ids. Purchases that meet the condition have at least one id of every list, so the database reads only such purchases. */
  readonly ids: readonly (readonly string[])[]
  /** True if the purchases meet the condition. */
  meets(purchases: OwnedPurchases): boolean
}

/** A purchase that may give an entitlement. */
export interface Source {
  readonly kind: 'subscription' | 'order' | 'grant' | 'meter'
  readonly id: string
  readonly customerId: string
  readonly owner: 'user' | 'organization'
  /** Id of the delivery that contained the purchase. */
  readonly deliveryId: string
  readonly validUntil: Date | null
}

const earliest = (a: Date | null, b: Date | null) => (a === null ? b : b === null || a < b ? a : b)

/**
 * The time when a subscription stops giving entitlements if no further event arrives. Null if it never stops. The grace of a status is
 * set in `billing.grace`. With the status active, trialing or canceled, the subscription gives entitlements until the end of the paid
 * period plus grace. With any other status, the grace starts when the subscription got that status. If an end is known (`endedAt`,
 * `endsAt` or `cancelAtPeriodEnd`), the subscription stops at the latest at that end plus the grace of canceled, before and after the
 * platform confirms the end, so that entitlements that have ended do not return (billing-events.md, section 9).
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

/** A purchase that may give an entitlement, with the ids that rules name in their conditions. */
export interface PossibleSource {
  readonly source: Source
  /** The reason why no rule can give an entitlement for this purchase. Undefined if a rule can. */
  readonly voidBecause: 'refunded' | 'no balance' | undefined
  readonly subscription: PurchasedSubscription | undefined
  readonly ids: Readonly<Partial<Record<(typeof sourceKinds)[number], readonly string[]>>>
  readonly seats: number | null
  readonly balance: number | null
  /** The time when the meter had this balance at the billing platform. Null for a purchase that is not a meter. */
  readonly asOf: Date | null
  /** Number of equal orders that this purchase stands for. */
  readonly count: number
}

/**
 * For each benefit, the time when it ends if no further event arrives. A benefit ends with its subscription, even if the event about the
 * end of the benefit arrives late.
 */
export const grantEndsOf = (
  { grants, subscriptions }: Pick<Purchases, 'grants' | 'subscriptions'>,
  graces: EntitlementRules['grace'],
): ReadonlyMap<string, Date | null> => {
  const ends = new Map(subscriptions.map((one) => [one.id, endOf(one, graces)]))
  return new Map(grants.map(({ id, subscriptionId }) => [id, ends.get(subscriptionId ?? '') ?? null]))
}

/** All purchases of a customer that rules may match, including ended purchases and those that cannot give an entitlement. */
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
