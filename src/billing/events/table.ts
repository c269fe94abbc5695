import { z } from 'zod'
import { Benefit } from './benefit.ts'
import { Checkout } from './checkout.ts'
import { Customer, CustomerState, Grant } from './customer.ts'
import { Order, Refund } from './order.ts'
import { Product } from './product.ts'
import { Discount, Organization } from './seller.ts'
import { text } from './shared.ts'
import { Subscription } from './subscription.ts'

/**
 * The schema of `data` for each kind of entity. The kind `other` stands for entities that this version does not know, such as those of
 * later events.
 */
export const entitySchemas = {
  customer: Customer,
  customer_state: CustomerState,
  benefit: Benefit,
  benefit_grant: Grant,
  checkout: Checkout,
  order: Order,
  organization: Organization,
  product: Product,
  refund: Refund,
  subscription: Subscription,
  discount: Discount,
  other: z.object({ id: text }),
} as const
export type Entity = keyof typeof entitySchemas

/** The 27 types of events of the billing specification, each with the entity in its `data` (billing-events.md, section 1). */
export const eventsOf2025 = {
  'customer.created': 'customer',
  'customer.updated': 'customer',
  'customer.deleted': 'customer',
  'customer.state_changed': 'customer_state',
  'benefit.created': 'benefit',
  'benefit.updated': 'benefit',
  'benefit_grant.created': 'benefit_grant',
  'benefit_grant.updated': 'benefit_grant',
  'benefit_grant.cycled': 'benefit_grant',
  'benefit_grant.revoked': 'benefit_grant',
  'checkout.created': 'checkout',
  'checkout.updated': 'checkout',
  'order.created': 'order',
  'order.updated': 'order',
  'order.paid': 'order',
  'order.refunded': 'order',
  'organization.updated': 'organization',
  'product.created': 'product',
  'product.updated': 'product',
  'refund.created': 'refund',
  'refund.updated': 'refund',
  'subscription.created': 'subscription',
  'subscription.active': 'subscription',
  'subscription.updated': 'subscription',
  'subscription.canceled': 'subscription',
  'subscription.uncanceled': 'subscription',
  'subscription.revoked': 'subscription',
} as const satisfies Record<string, Entity>

/**
 * Types of events that the platform added after the billing specification (billing-events.md, section 8.1). Their `data` must have an id.
 * If `data` matches the schema of the named entity, it is used as that entity; otherwise as `other`.
 */
export const laterEvents = {
  'checkout.expired': 'checkout',
  'customer_seat.assigned': 'other',
  'customer_seat.claimed': 'other',
  'customer_seat.revoked': 'other',
  'member.created': 'other',
  'member.updated': 'other',
  'member.deleted': 'other',
  'discount.created': 'discount',
  'discount.updated': 'discount',
  'discount.deleted': 'discount',
  'subscription.cycled': 'subscription',
  'subscription.past_due': 'subscription',
  'subscription.paused': 'subscription',
  'subscription.resumed': 'subscription',
  'subscription.migrated': 'subscription',
} as const satisfies Record<string, Entity>

export const eventTable = { ...eventsOf2025, ...laterEvents } as const
export type EventType = keyof typeof eventTable
type LaterType = keyof typeof laterEvents

export const eventTypes = Object.keys(eventTable) as readonly EventType[]

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventTable, type)

export const isLater = (type: EventType): type is LaterType => Object.hasOwn(laterEvents, type)

/** The types of events whose `data` is this entity. */
type TypesOf<E extends Entity> = {
  [T in EventType]: (typeof eventTable)[T] extends E ? T : E extends 'other' ? (T extends LaterType ? T : never) : never
}[EventType]

/** An event as it was received. `type` says what happened, and `entity` names the kind of the object in `data`. */
export type EventOf<E extends Entity> = {
  readonly type: TypesOf<E>
  readonly entity: E
  readonly data: z.output<(typeof entitySchemas)[E]>
  /** The time in the envelope of the event, or null if the envelope has none. */
  readonly timestamp: string | null
}

export type BillingEvent = { [E in Entity]: EventOf<E> }[Entity]
