import { objectWith, type Parser } from '../../core/stored-json.ts'
import type { Benefit } from '../events/benefit.ts'
import type { Customer } from '../events/customer.ts'
import type { Meter, Product } from '../events/product.ts'
import type { BillingSnapshot, DataOf, GrantData, OrderData, RefundData, StateData, StoredSubscription } from './snapshot.ts'

/**
 * Parsers for the JSON of stored versions and snapshots. They check only the fields that snapshots and lists use, for two reasons: the
 * complete schema checked each event when it arrived, and handling one delivery reads many rows.
 */
export const storedSnapshot = objectWith<BillingSnapshot>({
  ...{ customerId: 'text', subscriptions: 'list', grants: 'list', orders: 'list', meters: 'list' },
})

const subscription = objectWith<StoredSubscription>({
  ...{ id: 'text', created_at: 'text', modified_at: 'text or null', product_id: 'text', price_ids: 'list', status: 'text' },
  ...{ currency: 'text', amount: 'number', recurring_interval: 'text', current_period_start: 'text' },
  ...{ current_period_end: 'text or null', cancel_at_period_end: 'boolean', canceled_at: 'text or null' },
  ...{ started_at: 'text or null', ends_at: 'text or null', ended_at: 'text or null', meters: 'list' },
})

export const storedData: { readonly [K in keyof DataOf]: Parser<DataOf[K]> } = {
  customer_state: objectWith<StateData>({ active_subscriptions: 'list', granted_benefits: 'list', active_meters: 'list' }),
  subscription,
  grant: objectWith<GrantData>({
    ...{ id: 'text', created_at: 'text', modified_at: 'text or null', benefit_id: 'text', benefit_type: 'text' },
    ...{ is_granted: 'boolean', is_revoked: 'boolean', subscription_id: 'text or null', order_id: 'text or null' },
    properties: 'object',
  }),
  order: objectWith<OrderData>({
    ...{ id: 'text', created_at: 'text', status: 'text', paid: 'boolean', subscription_id: 'text or null', currency: 'text' },
    ...{ total_amount: 'number', refunded_amount: 'number', items: 'list' },
  }),
  refund: objectWith<RefundData>({ id: 'text', status: 'text', order_id: 'text', revoke_benefits: 'boolean' }),
}

/** Products, benefits and meters of the seller, as lists read them. */
export interface Catalogue {
  readonly product: Product
  readonly benefit: Benefit
  readonly meter: Meter
}

/** The fields of stored customers and products that lists use. */
export const storedCustomer = objectWith<Customer>({ name: 'text or null' })
export const storedCatalogue: { readonly [K in keyof Catalogue]: Parser<Catalogue[K]> } = {
  product: objectWith<Product>({ id: 'text', name: 'text' }),
  benefit: objectWith<Benefit>({ id: 'text', description: 'text' }),
  meter: objectWith<Meter>({ id: 'text', name: 'text' }),
}
