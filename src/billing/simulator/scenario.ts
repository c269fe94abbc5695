import { sha256 } from '../../core/crypto.ts'
import type { BillingEvent, EventType } from '../events/parse.ts'

type DataOf<E extends BillingEvent['entity']> = Extract<BillingEvent, { readonly entity: E }>['data']

/**
 * Options that describe the entity that an event is about (its subject). Missing options are derived from the given ones, so that equal
 * options always name the same entities.
 */
export interface SimulationOptions {
  /** When the event happens. */
  readonly at: Date
  readonly email?: string | undefined
  readonly customerId?: string | undefined
  readonly externalId?: string | null | undefined
  readonly customerName?: string | undefined
  readonly productId?: string | undefined
  readonly priceId?: string | undefined
  readonly benefitId?: string | undefined
  readonly subscriptionId?: string | undefined
  readonly orderId?: string | undefined
  readonly grantId?: string | undefined
  readonly checkoutId?: string | undefined
  readonly refundId?: string | undefined
  readonly discountId?: string | undefined
  readonly meterId?: string | undefined
  readonly organizationId?: string | undefined
  /** Status of the subject. In a customer state, purchases have only the status `active` or `trialing`. */
  readonly status?: string | undefined
  /**
   * True for a subscription, false for a one-time purchase. When absent, the event decides: an order is a one-time purchase unless the
   * options name its subscription. Everything else belongs to a subscription unless the options name an order.
   */
  readonly recurring?: boolean | undefined
  readonly seats?: number | undefined
  /** Price in the smallest unit of the currency. */
  readonly amount?: number | undefined
  readonly currency?: string | undefined
  readonly interval?: 'month' | 'year' | 'day' | 'week' | undefined
  readonly priceKind?: PriceKind | undefined
  readonly benefitType?: DataOf<'benefit'>['type'] | undefined
  readonly discount?: { readonly type: 'fixed' | 'percentage'; readonly duration: 'once' | 'forever' | 'repeating' } | undefined
  /** When the subject was created, in the format of the billing platform. */
  readonly createdAt?: string | undefined
  readonly modifiedAt?: string | null | undefined
  /** The usage that the meter has counted, and the units that the customer was credited. */
  readonly units?: { readonly consumed: number; readonly credited: number } | undefined
  /** The year of the platform's API version. `2025`: the event has no envelope, and none of the fields that were added later. */
  readonly shape?: '2025' | '2026' | undefined
}

export type PriceKind = DataOf<'product'>['prices'][number]['amount_type'] | 'legacy_fixed' | 'legacy_custom' | 'legacy_free'

/** The options, with defaults for those that were missing. */
export interface Scenario extends SimulationOptions {
  readonly type: EventType
  readonly now: string
  readonly email: string
  readonly customerId: string
  readonly productId: string
  readonly priceId: string
  readonly benefitId: string
  readonly subscriptionId: string
  readonly orderId: string
  readonly grantId: string
  readonly refundId: string
  readonly recurring: boolean
  readonly checkoutId: string
  readonly meterId: string
  readonly discountId: string
  readonly organizationId: string
  readonly amount: number
  readonly currency: string
  readonly interval: 'month' | 'year' | 'day' | 'week'
}

/** Derives a UUID from words. */
export const idOf = (...words: readonly string[]): string => {
  const hex = sha256(words.join('\n'))
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}

/** A time in the format of the billing platform: six fraction digits and `Z`. */
export const wireTime = (date: Date): string => date.toISOString().replace('Z', '000Z')

export const createScenario = (type: EventType, options: SimulationOptions): Scenario => {
  const email = options.email ?? 'customer@example.com'
  const customerId = options.customerId ?? idOf('customer', options.externalId ?? email)
  const productId = options.productId ?? idOf('product')
  const benefitId = options.benefitId ?? idOf('benefit', productId)
  const subscriptionId = options.subscriptionId ?? idOf('subscription', customerId, productId)
  const orderId = options.orderId ?? idOf('order', customerId, productId)
  const isOnce = options.subscriptionId === undefined && (type.startsWith('order.') || options.orderId !== undefined)
  const recurring = options.recurring ?? !isOnce
  return {
    ...options,
    type,
    now: wireTime(options.at),
    email,
    customerId,
    productId,
    priceId: options.priceId ?? idOf('price', productId),
    benefitId,
    subscriptionId,
    orderId,
    recurring,
    grantId: options.grantId ?? idOf('grant', customerId, benefitId, recurring ? subscriptionId : orderId),
    refundId: options.refundId ?? idOf('refund', orderId),
    checkoutId: options.checkoutId ?? idOf('checkout', customerId, productId),
    meterId: options.meterId ?? idOf('meter'),
    discountId: options.discountId ?? idOf('discount'),
    organizationId: options.organizationId ?? idOf('organization'),
    amount: options.amount ?? 1900,
    currency: options.currency ?? 'usd',
    interval: options.interval ?? 'month',
  }
}

/** When the simulated shop opened. A product was created at this time, or at the time of the event if the event is older. */
const opening = '2025-07-01T00:00:00.000000Z'

const isCreation = ({ type }: Scenario) => type.endsWith('.created')

/** Timestamps of the entity that the event is about. */
export const ownTimestamps = (scenario: Scenario, createdAt = scenario.now) => ({
  created_at: scenario.createdAt ?? (isCreation(scenario) ? scenario.now : createdAt),
  modified_at: scenario.modifiedAt === undefined ? (isCreation(scenario) ? null : scenario.now) : scenario.modifiedAt,
})

/** Timestamps of the other entities that the event contains. They show the state that these entities had at the time of the event. */
export const carriedTimestamps = (scenario: Scenario) => ({
  created_at: scenario.now < opening ? scenario.now : opening,
  modified_at: scenario.modifiedAt ?? scenario.now,
})

/** Timestamps of a product or other entity of the catalogue. If the event is about it, its timestamps are those of the event. */
export const catalogueTimestamps = (scenario: Scenario, entity: string) =>
  scenario.type.startsWith(`${entity}.`) ? ownTimestamps(scenario, opening) : carriedTimestamps(scenario)

/** Fields that the platform added after 2025. Empty for an event in the shape of 2025. */
export const later = <T extends object>(scenario: Scenario, fields: T): Partial<T> => (scenario.shape === '2025' ? {} : fields)
