import type { CustomerState } from '../events/customer-state.ts'
import type { Grant } from '../events/grant.ts'
import type { Order } from '../events/order.ts'
import type { Refund } from '../events/refund.ts'
import type { Subscription } from '../events/subscription.ts'

export interface SubscriptionStanding {
  readonly id: string
  readonly productId: string
  readonly priceIds: readonly string[]
  readonly status: Subscription['status']
  readonly currency: string
  readonly amount: number
  readonly interval: Subscription['recurring_interval']
  readonly currentPeriodStart: string
  readonly currentPeriodEnd: string | null
  readonly cancelAtPeriodEnd: boolean
  readonly canceledAt: string | null
  readonly startedAt: string | null
  readonly endsAt: string | null
  readonly endedAt: string | null
  /** Sortable time since which the status is known: of the end, of the failed payment or pause where it is told, else of the version. */
  readonly statusSince: string
  readonly seats: number | null
  readonly deliveryId: string
}

export interface GrantStanding {
  readonly id: string
  readonly benefitId: string
  readonly benefitType: string | null
  readonly grantedAt: string | null
  readonly subscriptionId: string | null
  readonly orderId: string | null
  readonly deliveryId: string
}

/** Statuses of an order that was paid. */
export const paidStatuses = ['paid', 'partially_refunded', 'refunded'] as const satisfies readonly Order['status'][]

export interface OrderStanding {
  readonly id: string
  readonly productId: string | null
  readonly priceIds: readonly string[]
  readonly status: (typeof paidStatuses)[number]
  /** How many there are alike: the same was bought several times. */
  readonly count: number
  readonly totalAmount: number
  readonly refundedAmount: number
  /** A refund that succeeded took the benefits back, whatever part of the price it was. */
  readonly benefitsRevoked: boolean
  readonly createdAt: string
  readonly deliveryId: string
}

export interface MeterStanding {
  readonly meterId: string
  readonly consumedUnits: number
  readonly creditedUnits: number
  readonly balance: number
  /** Sortable time at which the platform knew it to be so. */
  readonly asOf: string
  readonly deliveryId: string
}

/** What one billing customer holds now. All lists are sorted; times are as the platform sent them, except `statusSince`. */
export interface Standing {
  readonly customerId: string
  /** All that run, and of those that have ended the last ones. */
  readonly subscriptions: readonly SubscriptionStanding[]
  /** Granted and not revoked. */
  readonly grants: readonly GrantStanding[]
  /** Paid purchases of one-time products, refunded ones included; of several alike the latest. */
  readonly orders: readonly OrderStanding[]
  readonly meters: readonly MeterStanding[]
}

/** What one billing customer holds, as it is stored. */
export interface StoredStanding {
  /** JSON of the standing. */
  readonly json: string
  /** Sortable time of the earliest end of a paid period after which a renewal should be heard; null: none is awaited. */
  readonly renewalDueAt: string | null
}

export type SubscriptionData = Omit<Subscription, 'customer' | 'product' | 'discount' | 'prices' | 'meters'> & {
  readonly price_ids: readonly string[]
  readonly meters: readonly Omit<Subscription['meters'][number], 'meter'>[]
  readonly past_due_at?: unknown
  readonly paused_at?: unknown
}
export type GrantData = Omit<Grant, 'customer' | 'benefit' | 'previous_properties'> & { readonly benefit_type: string }
export type OrderData = Omit<Order, 'customer' | 'discount' | 'subscription'>
export type RefundData = Refund
export type StateData = Pick<CustomerState, 'active_subscriptions' | 'granted_benefits' | 'active_meters'>

/** The stored version of an entity. */
export interface Source<D> {
  readonly id: string
  readonly version: string
  readonly deliveryId: string
  readonly data: D
}

/** All that is stored of one customer and says what they hold. */
export interface Sources {
  readonly isDeleted: boolean
  readonly state: Source<StateData> | undefined
  readonly subscriptions: readonly Source<SubscriptionData>[]
  readonly grants: readonly Source<GrantData>[]
  readonly orders: readonly Source<OrderData>[]
  readonly refunds: readonly Source<RefundData>[]
}
