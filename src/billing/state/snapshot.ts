import type { CustomerState, Grant } from '../events/customer.ts'
import type { Order, Refund } from '../events/order.ts'
import type { Subscription } from '../events/subscription.ts'
import type { Payment } from './payments.ts'

export interface SubscriptionSnapshot {
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
  /**
   * Sortable text of the time when the status began: the time of the end, of the failed payment or of the pause if known, else the time
   * of the version.
   */
  readonly statusSince: string
  readonly seats: number | null
  readonly deliveryId: string
}

export interface GrantSnapshot {
  readonly id: string
  readonly benefitId: string
  readonly benefitType: string | null
  readonly grantedAt: string | null
  readonly subscriptionId: string | null
  readonly orderId: string | null
  readonly deliveryId: string
}

/** Statuses of a paid order. */
export const paidStatuses = ['paid', 'partially_refunded', 'refunded'] as const satisfies readonly Order['status'][]

export interface OrderSnapshot {
  readonly id: string
  readonly productId: string | null
  readonly priceIds: readonly string[]
  readonly status: (typeof paidStatuses)[number]
  /** Number of orders in this entry. Orders of the same product, prices and status form one entry. */
  readonly count: number
  readonly totalAmount: number
  readonly refundedAmount: number
  /** True if a successful refund, whether whole or partial, revoked the benefits. */
  readonly benefitsRevoked: boolean
  readonly createdAt: string
  readonly deliveryId: string
}

export interface MeterSnapshot {
  readonly meterId: string
  readonly consumedUnits: number
  readonly creditedUnits: number
  readonly balance: number
  /** Sortable text of the time when these numbers were valid. */
  readonly asOf: string
  readonly deliveryId: string
}

/**
 * The purchases of a customer, derived from the stored versions. All lists are sorted. Times are as received, except those in the form of
 * sortable text.
 */
export interface BillingSnapshot {
  readonly customerId: string
  /** All running subscriptions, and the last ones that ended. */
  readonly subscriptions: readonly SubscriptionSnapshot[]
  /** Benefits that are granted and not revoked. */
  readonly grants: readonly GrantSnapshot[]
  /** Paid orders of one-time products, including refunded ones. Each entry stands for a group (`count`) and shows its latest order. */
  readonly orders: readonly OrderSnapshot[]
  readonly meters: readonly MeterSnapshot[]
}

/** A snapshot as it is stored in the customer's row. */
export interface StoredSnapshot {
  readonly json: string
  /** Sortable text of the earliest time when a subscription should renew, or null. */
  readonly renewalDueAt: string | null
  readonly payment: Payment
}

export type SubscriptionData = Omit<Subscription, 'customer' | 'product' | 'discount' | 'prices' | 'meters'> & {
  readonly price_ids: readonly string[]
  readonly meters: readonly Omit<Subscription['meters'][number], 'meter'>[]
  readonly past_due_at?: unknown
  readonly paused_at?: unknown
}
/** The fields that a snapshot and its display need. An entry of a customer state has only these fields, until an event arrives. */
export type SubscriptionFields = Pick<
  SubscriptionData,
  | 'id'
  | 'created_at'
  | 'modified_at'
  | 'product_id'
  | 'price_ids'
  | 'status'
  | 'currency'
  | 'amount'
  | 'recurring_interval'
  | 'current_period_start'
  | 'current_period_end'
  | 'cancel_at_period_end'
  | 'canceled_at'
  | 'started_at'
  | 'ends_at'
  | 'ended_at'
  | 'seats'
  | 'past_due_at'
  | 'paused_at'
>
export type GrantData = Omit<Grant, 'customer' | 'benefit' | 'previous_properties'> & { readonly benefit_type: string }
/** The fields of a grant that a snapshot and its display need. */
export type GrantFields = Omit<GrantData, 'customer_id' | 'is_granted' | 'is_revoked' | 'error'>
export type OrderData = Omit<Order, 'customer' | 'discount' | 'subscription'>
export type RefundData = Refund
export type StateData = Pick<CustomerState, 'active_subscriptions' | 'granted_benefits' | 'active_meters'>

export type StoredSubscription = SubscriptionFields & Pick<SubscriptionData, 'meters'>

/** The stored entities from which a customer's snapshot is derived. */
export interface DataOf {
  readonly customer_state: StateData
  readonly subscription: StoredSubscription
  readonly grant: GrantData
  readonly order: OrderData
  readonly refund: RefundData
}

/** The stored version of an entity. */
export interface Source<D> {
  readonly id: string
  readonly version: string
  readonly deliveryId: string
  readonly data: D
}

/** The stored versions from which a customer's snapshot is derived. */
export interface Sources {
  readonly isDeleted: boolean
  readonly state: Source<StateData> | undefined
  readonly subscriptions: readonly Source<StoredSubscription>[]
  readonly grants: readonly Source<GrantData>[]
  readonly orders: readonly Source<OrderData>[]
  readonly refunds: readonly Source<RefundData>[]
}
