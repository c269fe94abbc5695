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
   * When the subscription got its status, as sortable text. It is the time of the end, of the failed payment or of the pause if that time
   * is known, else the time of the stored version.
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

/** The statuses of an order that was paid. Refunded orders were paid, too. */
export const paidStatuses = ['paid', 'partially_refunded', 'refunded'] as const satisfies readonly Order['status'][]

export interface OrderSnapshot {
  readonly id: string
  readonly productId: string | null
  readonly priceIds: readonly string[]
  readonly status: (typeof paidStatuses)[number]
  /** Number of orders that this entry stands for. Orders with the same product, prices and status form one entry. */
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
  /** When these numbers were valid, as sortable text. */
  readonly asOf: string
  readonly deliveryId: string
}

/**
 * The purchases of a customer, derived from the stored versions. All lists are sorted. Times have the form in which they were received,
 * except those that are sortable text.
 */
export interface BillingSnapshot {
  readonly customerId: string
  /** All running subscriptions, and the subscriptions that ended last. */
  readonly subscriptions: readonly SubscriptionSnapshot[]
  /** Benefits that are granted and not revoked. */
  readonly grants: readonly GrantSnapshot[]
  /**
   * Paid orders of one-time products, including refunded ones. An entry stands for a number of equal orders (`count`) and shows the
   * latest of them.
   */
  readonly orders: readonly OrderSnapshot[]
  readonly meters: readonly MeterSnapshot[]
}

/** A snapshot as it is stored in the row of the customer. */
export interface StoredSnapshot {
  readonly json: string
  /** The earliest time when a subscription of the customer should renew, as sortable text. Null if no subscription will renew. */
  readonly renewalDueAt: string | null
  readonly payment: Payment
}

export type SubscriptionData = Omit<Subscription, 'customer' | 'product' | 'discount' | 'prices' | 'meters'> & {
  readonly price_ids: readonly string[]
  readonly meters: readonly Omit<Subscription['meters'][number], 'meter'>[]
  readonly past_due_at?: unknown
  readonly paused_at?: unknown
}
/**
 * The fields of a subscription that snapshots and lists need. If only a customer state contains the subscription, these are the only
 * fields that are known.
 */
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
/** The fields of a grant that snapshots and lists need. */
export type GrantFields = Omit<GrantData, 'customer_id' | 'is_granted' | 'is_revoked' | 'error'>
export type OrderData = Omit<Order, 'customer' | 'discount' | 'subscription'>
export type RefundData = Refund
export type StateData = Pick<CustomerState, 'active_subscriptions' | 'granted_benefits' | 'active_meters'>

export type StoredSubscription = SubscriptionFields & Pick<SubscriptionData, 'meters'>

/** For each kind of entity from which a snapshot is derived, the type of its stored data. */
export interface DataOf {
  readonly customer_state: StateData
  readonly subscription: StoredSubscription
  readonly grant: GrantData
  readonly order: OrderData
  readonly refund: RefundData
}

/** The stored version of one entity. */
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
