import { parseEmail } from '../../core/wire.ts'
import type { Benefit } from '../events/benefit.ts'
import type { Customer } from '../events/customer.ts'
import type { CustomerState } from '../events/customer-state.ts'
import type { BillingEvent } from '../events/parse.ts'
import type { Product } from '../events/product.ts'
import { sortableTime } from '../events/time.ts'
import type { CustomerIdentity } from '../linking/service.ts'
import { type Kind, keyOf } from './rules.ts'
import type { GrantData, OrderData, StateData, SubscriptionData } from './standing.ts'
import { type DeliveryRef, embeddedRank, rankOf, type Stamped, stampOf, versionOf } from './versions.ts'

/** One version of an entity as a delivery tells it: a row, before it is known whether it is the newest. */
export interface EntityVersion {
  readonly kind: Kind
  readonly id: string
  readonly version: string
  readonly deliveryId: string
  /** Null in the catalogue. */
  readonly customerId: string | null
  /** Columns besides those that all tables have. */
  readonly columns: Readonly<Record<string, string | boolean | null>>
  readonly data: object
}

/** What can be stored of a customer and says who it is. */
export const identityOf = ({ id, columns }: Pick<EntityVersion, 'id' | 'columns'>): CustomerIdentity => ({
  id,
  email: columns['email'] as string | null,
  externalId: columns['external_id'] as string | null,
})

export interface Extracted {
  /** Whom the event is about, if anybody. */
  readonly customerId: string | null
  readonly versions: readonly EntityVersion[]
}

/** The platform's are UUIDs; no column holds a longer one. */
const longestId = 255

/** A text that only has to equal one of our ids may be left out when it cannot. */
const shortText = (value: string | null | undefined) => (value != null && /^[\x20-\x7e]{1,255}$/.test(value) ? value : null)

/**
 * When a snapshot without a time in its envelope was made: the newest time of what it names, never that of the attempt, which repeats
 * with another one. One that names nothing has no such time (the customer's is older than what has ended): the first arrival counts.
 */
const stampInside = (state: CustomerState, { receivedAt }: DeliveryRef): string => {
  const named = [...state.active_subscriptions, ...state.granted_benefits, ...state.active_meters]
  if (named.length === 0) return sortableTime(receivedAt.toISOString())
  return [state, ...named].map(stampOf).reduce((a, b) => (a > b ? a : b))
}

/** Reads the versions of all entities an event carries, whole embedded ones included. */
export const extract = (event: BillingEvent, delivery: DeliveryRef): Extracted => {
  const found: EntityVersion[] = []
  const rank = rankOf(event.type)
  const isDeletion = event.type.endsWith('.deleted')

  const add = (
    kind: Kind,
    stamped: Stamped & { readonly id: string },
    customerId: string | null,
    data: object,
    { rank, isFinal = false, columns = {} }: { rank: number; isFinal?: boolean; columns?: EntityVersion['columns'] },
  ) => {
    const version = versionOf(stampOf(stamped), rank, isFinal, delivery)
    found.push({ kind, id: stamped.id, version, deliveryId: delivery.id, customerId, columns, data })
  }
  const addOwned = (
    kind: Kind,
    entity: Stamped & { readonly id: string },
    customerId: string | null,
    data: object,
    columns: EntityVersion['columns'] = {},
  ) =>
    add(kind, entity, customerId, data, {
      rank,
      columns: { customer_id: customerId, ...columns, created_at: sortableTime(entity.created_at) },
    })
  const addCustomer = (customer: Customer, rank: number, isDeleted = customer.deleted_at !== null) =>
    add('customer', customer, customer.id, customer, {
      rank,
      isFinal: isDeleted,
      columns: {
        email: customer.email == null ? null : (parseEmail(customer.email) ?? null),
        external_id: shortText(customer.external_id),
        is_deleted: isDeleted,
        created_at: sortableTime(customer.created_at),
      },
    })
  /** An embedded customer is another customer's only by a fault of the sender. */
  const addOwner = (customer: Customer, customerId: string) => {
    if (customer.id === customerId) addCustomer(customer, embeddedRank)
  }
  const addBenefit = (benefit: Benefit, rank = embeddedRank) => add('benefit', benefit, null, benefit, { rank })
  const addProduct = ({ prices, benefits, ...product }: Product, rank = embeddedRank) => {
    const data = { ...product, price_ids: prices.map(({ id }) => id), benefit_ids: benefits.map(({ id }) => id) }
    add('product', product, null, data, { rank })
    for (const benefit of benefits) addBenefit(benefit)
  }

  const read = (): string | null => {
    switch (event.entity) {
      case 'customer':
        addCustomer(event.data, rank, isDeletion || event.data.deleted_at !== null)
        return event.data.id
      case 'customer_state': {
        const { active_subscriptions, granted_benefits, active_meters, ...customer } = event.data
        addCustomer(customer, embeddedRank)
        const data: StateData = { active_subscriptions, granted_benefits, active_meters }
        const stamp = event.timestamp === null ? stampInside(event.data, delivery) : sortableTime(event.timestamp)
        const version = versionOf(stamp, rank, false, delivery)
        const { id } = customer
        found.push({ kind: 'customer_state', id, version, deliveryId: delivery.id, customerId: id, columns: {}, data })
        return id
      }
      case 'subscription': {
        const { customer, product, discount: _, prices, meters, ...subscription } = event.data
        addOwner(customer, subscription.customer_id)
        const counted = meters.map(({ meter: _, ...usage }) => usage)
        const data: SubscriptionData = { ...subscription, price_ids: prices.map(({ id }) => id), meters: counted }
        addOwned('subscription', subscription, subscription.customer_id, data)
        addProduct(product)
        for (const { meter } of meters) add('meter', meter, null, meter, { rank: embeddedRank })
        return subscription.customer_id
      }
      case 'benefit_grant': {
        const { customer, benefit, previous_properties: _, ...grant } = event.data
        addOwner(customer, grant.customer_id)
        const data: GrantData = { ...grant, benefit_type: benefit.type }
        addOwned('grant', grant, grant.customer_id, data, { order_id: grant.order_id })
        addBenefit(benefit)
        return grant.customer_id
      }
      case 'order': {
        const { customer, discount: _discount, subscription: _, ...order } = event.data
        addOwner(customer, order.customer_id)
        const data: OrderData = order
        addOwned('order', order, order.customer_id, data, { subscription_id: order.subscription_id })
        return order.customer_id
      }
      case 'refund':
        addOwned('refund', event.data, event.data.customer_id, event.data, { order_id: event.data.order_id })
        return event.data.customer_id
      case 'checkout':
        return event.data.customer_id
      case 'product':
        addProduct(event.data, rank)
        return null
      case 'benefit':
        addBenefit(event.data, rank)
        return null
      case 'discount':
      case 'organization':
        return null
      case 'other': {
        const owner = (event.data as { readonly customer_id?: unknown }).customer_id
        return typeof owner === 'string' ? owner : null
      }
    }
  }
  const customerId = read()
  const isStorable = (id: unknown) => typeof id !== 'string' || id.length <= longestId
  return {
    customerId: isStorable(customerId) ? customerId : null,
    versions: greatest(
      found.filter(({ id, customerId, columns }) =>
        [id, customerId, columns['subscription_id'], columns['order_id']].every(isStorable),
      ),
    ),
  }
}

/** One version an entity: the same benefit may stand in a product and beside it. */
const greatest = (found: readonly EntityVersion[]): readonly EntityVersion[] => {
  const byKey = new Map<string, EntityVersion>()
  for (const version of found) {
    const key = keyOf(version)
    if (version.version > (byKey.get(key)?.version ?? '')) byKey.set(key, version)
  }
  return [...byKey.values()]
}
