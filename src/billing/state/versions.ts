import { termsOfEmail, termsOfTitle } from '../../core/db/search.ts'
import { textOfTerms } from '../../core/db/search-text.ts'
import { parseEmail } from '../../core/wire.ts'
import type { Benefit } from '../events/benefit.ts'
import type { Customer, CustomerState } from '../events/customer.ts'
import type { BillingEvent, EventType } from '../events/parse.ts'
import type { Product } from '../events/product.ts'
import { sortableTime } from '../events/shared.ts'
import { SubscriptionStatus } from '../events/subscription.ts'
import type { CustomerIdentity } from '../links/service.ts'
import { type Kind, keyOf } from './rules.ts'
import type { GrantData, OrderData, StateData, SubscriptionData } from './snapshot.ts'

/** Identifies the stored delivery that contains an event. */
export interface DeliveryRef {
  readonly id: string
  readonly webhookId: string
}

export interface Timestamped {
  readonly created_at: string
  readonly modified_at: string | null
}

/**
 * Precedence of an entity that is embedded in an event about another entity. If an event about the entity itself has the same time, that
 * event wins.
 */
const embeddedPrecedence = 0

const precedenceOfAction: Readonly<Record<string, number>> = {
  created: 1,
  canceled: 3,
  revoked: 4,
  refunded: 4,
  deleted: 4,
  expired: 4,
}

/**
 * If two events have the same `modified_at`, the event with the higher precedence wins. Events that end something have the highest
 * (billing-events.md, section 9).
 */
const precedenceOf = (type: EventType): number => precedenceOfAction[type.split('.')[1] ?? ''] ?? 2

/** When the platform last changed the entity, as sortable text. */
export const eventTimeOf = ({ created_at, modified_at }: Timestamped): string => sortableTime(modified_at ?? created_at)

/**
 * The version of an entity is a text, and the greater text is the newer version. First, a version that deletes the entity is greater than
 * all others. Then the platform's time decides, then the precedence of the event. Last come the ids of the delivery: no two versions are
 * equal, so the greatest one does not depend on the order of arrival. The text is ASCII, because JavaScript and both databases compare
 * ASCII alike.
 */
const versionOf = (eventTime: string, precedence: number, isTombstone: boolean, { id, webhookId }: DeliveryRef): string =>
  `${isTombstone ? 1 : 0}|${eventTime}|${precedence}|${webhookId.replace(/[^\x20-\x7e]/g, '?')}|${id}`

const timeLength = 27

/** Reads the time of the event from a version. */
export const eventTimeIn = (version: string): string => version.slice(2, 2 + timeLength)

/**
 * Precedences of customer states whose envelope has no time. If two of them have the same time, a state with entries wins over an empty
 * state.
 */
const undated = { empty: 0, named: 1 } as const

const isUndated = (version: string) => Number(version[2 + timeLength + 1]) <= undated.named

/**
 * The version of a customer state. API versions of 2025 send no time in the envelope. Then the newest time inside of the state is used,
 * including the time of the customer itself: the state cannot be older than that. The time of arrival would be wrong, because a retry or
 * an outage delays a delivery.
 */
const stateVersionOf = (state: CustomerState, timestamp: string | null, precedence: number, delivery: DeliveryRef): string => {
  if (timestamp !== null) return versionOf(sortableTime(timestamp), precedence, false, delivery)
  const named = [...state.active_subscriptions, ...state.granted_benefits, ...state.active_meters]
  const newest = [state, ...named].map(eventTimeOf).reduce((a, b) => (a > b ? a : b))
  return versionOf(newest, named.length === 0 ? undated.empty : undated.named, false, delivery)
}

/**
 * True if a customer state already includes changes of the time `eventTime`. Then a stored entity of that time which the state does not
 * contain has ended. If the envelope of the state has no time, only changes before the newest time inside of the state are certain to be
 * included.
 */
export const isTakenAfter = (stateVersion: string, eventTime: string): boolean => {
  const takenAt = eventTimeIn(stateVersion)
  return isUndated(stateVersion) ? takenAt > eventTime : takenAt >= eventTime
}

/** One version of an entity, as a delivery contains it. It is stored as a row if it is newer than the stored version. */
export interface EntityVersion {
  readonly kind: Kind
  readonly id: string
  readonly version: string
  readonly deliveryId: string
  /** The customer that the entity belongs to. Null for a product, benefit or meter. */
  readonly customerId: string | null
  /** Further columns of the row, which differ from table to table. */
  readonly columns: Readonly<Record<string, string | number | boolean | null>>
  readonly data: object
}

/** The data of a customer that decide which user or organization owns it. */
export const identityOf = ({ id, columns }: Pick<EntityVersion, 'id' | 'columns'>): CustomerIdentity => ({
  id,
  email: columns['email'] as string | null,
  externalId: columns['external_id'] as string | null,
})

export interface Extracted {
  /** The customer that the event is about. Null if it is about none. */
  readonly customerId: string | null
  readonly versions: readonly EntityVersion[]
}

/** Longest text in a column of ids. The ids of the platform are UUIDs. */
const longestId = 255

/**
 * An external id of more than 255 characters, or with characters other than printable ASCII, is stored as null, because it cannot be an
 * id of gatehouse.
 */
const shortText = (value: string | null | undefined) => (value != null && /^[\x20-\x7e]{1,255}$/.test(value) ? value : null)

/** Returns the versions of all entities in an event, including embedded entities. */
export const extract = (event: BillingEvent, delivery: DeliveryRef): Extracted => {
  const found: EntityVersion[] = []
  const precedence = precedenceOf(event.type)
  const isDeletion = event.type.endsWith('.deleted')

  const add = (
    kind: Kind,
    stamped: Timestamped & { readonly id: string },
    customerId: string | null,
    data: object,
    {
      precedence,
      isTombstone = false,
      columns = {},
    }: { precedence: number; isTombstone?: boolean; columns?: EntityVersion['columns'] },
  ) => {
    const version = versionOf(eventTimeOf(stamped), precedence, isTombstone, delivery)
    found.push({ kind, id: stamped.id, version, deliveryId: delivery.id, customerId, columns, data })
  }
  const addOwned = (
    kind: Kind,
    entity: Timestamped & { readonly id: string },
    customerId: string | null,
    data: object,
    columns: EntityVersion['columns'] = {},
  ) =>
    add(kind, entity, customerId, data, {
      precedence,
      columns: { customer_id: customerId, ...columns, created_at: sortableTime(entity.created_at) },
    })
  const addCustomer = (customer: Customer, precedence: number, isDeleted = customer.deleted_at !== null) => {
    const email = customer.email == null ? null : (parseEmail(customer.email) ?? null)
    add('customer', customer, customer.id, customer, {
      precedence,
      isTombstone: isDeleted,
      columns: {
        email,
        search_text: textOfTerms([...termsOfTitle(customer.name ?? ''), ...(email === null ? [] : termsOfEmail(email))]),
        external_id: shortText(customer.external_id),
        is_deleted: isDeleted,
        created_at: sortableTime(customer.created_at),
      },
    })
  }
  /**
   * Adds an embedded customer, unless its id differs from the customer id of the entity around it. Then the sender made a mistake, and
   * the embedded customer is skipped.
   */
  const addOwner = (customer: Customer, customerId: string) => {
    if (customer.id === customerId) addCustomer(customer, embeddedPrecedence)
  }
  const addBenefit = (benefit: Benefit, precedence = embeddedPrecedence) => add('benefit', benefit, null, benefit, { precedence })
  const addProduct = ({ prices, benefits, ...product }: Product, precedence = embeddedPrecedence) => {
    const data = { ...product, price_ids: prices.map(({ id }) => id), benefit_ids: benefits.map(({ id }) => id) }
    add('product', product, null, data, { precedence })
    for (const benefit of benefits) addBenefit(benefit)
  }

  const extractAll = (): string | null => {
    switch (event.entity) {
      case 'customer':
        addCustomer(event.data, precedence, isDeletion || event.data.deleted_at !== null)
        return event.data.id
      case 'customer_state': {
        const { active_subscriptions, granted_benefits, active_meters, ...customer } = event.data
        addCustomer(customer, embeddedPrecedence)
        const data: StateData = { active_subscriptions, granted_benefits, active_meters }
        const version = stateVersionOf(event.data, event.timestamp, precedence, delivery)
        const { id } = customer
        found.push({ kind: 'customer_state', id, version, deliveryId: delivery.id, customerId: id, columns: {}, data })
        return id
      }
      case 'subscription': {
        const { customer, product, discount: _, prices, meters, ...subscription } = event.data
        addOwner(customer, subscription.customer_id)
        const counted = meters.map(({ meter: _, ...usage }) => usage)
        // A revocation ends the subscription even if this version of gatehouse does not know the subscription's status.
        const isUnknown = !SubscriptionStatus.safeParse(subscription.status).success
        const status = isUnknown ? ('canceled' as const) : subscription.status
        const data: SubscriptionData = { ...subscription, status, price_ids: prices.map(({ id }) => id), meters: counted }
        addOwned('subscription', subscription, subscription.customer_id, data)
        addProduct(product)
        for (const { meter } of meters) add('meter', meter, null, meter, { precedence: embeddedPrecedence })
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
        addProduct(event.data, precedence)
        return null
      case 'benefit':
        addBenefit(event.data, precedence)
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
  const customerId = extractAll()
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

/** Keeps the greatest version of each entity. An event may contain a benefit twice: in a product, and on its own. */
const greatest = (found: readonly EntityVersion[]): readonly EntityVersion[] => {
  const byKey = new Map<string, EntityVersion>()
  for (const version of found) {
    const key = keyOf(version)
    if (version.version > (byKey.get(key)?.version ?? '')) byKey.set(key, version)
  }
  return [...byKey.values()]
}
