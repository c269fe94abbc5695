import { z } from 'zod'
import { Benefit } from './benefit.ts'
import { Checkout } from './checkout.ts'
import { Customer, CustomerState, Grant } from './customer.ts'
import { Order, Refund } from './order.ts'
import { Product } from './product.ts'
import { Discount, Organization } from './seller.ts'
import { text } from './shared.ts'
import { Subscription } from './subscription.ts'

/** Kinds of `data`. `other` stands for entities of later events, which this version does not know. */
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

/** The 27 events of July 2025 (billing-events.md, section 1). */
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

/** Events that were added later (section 8.1). Their data needs an id. Data in the form of a known entity is read as that entity. */
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

/** Types of events whose data is this entity. */
type TypesOf<E extends Entity> = {
  [T in EventType]: (typeof eventTable)[T] extends E ? T : E extends 'other' ? (T extends LaterType ? T : never) : never
}[EventType]

/** An event as received. `entity` names the kind of its `data`; `type` says what happened. */
export type EventOf<E extends Entity> = {
  readonly type: TypesOf<E>
  readonly entity: E
  readonly data: z.output<(typeof entitySchemas)[E]>
  /** The time from the envelope, or null if it is absent. */
  readonly timestamp: string | null
}

export type BillingEvent = { [E in Entity]: EventOf<E> }[Entity]
