import type { z } from 'zod'
import type { CustomerState } from '../events/customer.ts'
import { dateOf } from '../events/shared.ts'
import type { ListedDelivery, NamedDelivery } from '../ingest/store/deliveries.ts'
import type { BillingSnapshot, GrantFields, OrderData, SubscriptionFields, SubscriptionSnapshot } from '../state/snapshot.ts'
import type { Customer } from './contract/admin.ts'
import type { Benefit, Meter, Order, Subscription } from './contract/own.ts'
import type { CustomerRow } from './store.ts'

const dateOrNull = (text: string | null | undefined) => (text === null || text === undefined ? null : dateOf(text))
const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

const runs = ({ status, ended_at }: Pick<SubscriptionFields, 'status' | 'ended_at'>) =>
  ended_at === null && status !== 'canceled' && status !== 'incomplete_expired'

/**
 * A subscription with the values of the snapshot, because the snapshot may be newer than the last event about the subscription. If the
 * last event shows a running subscription and the snapshot does not contain it, it has ended.
 */
export const subscriptionView = (
  data: SubscriptionFields,
  known: SubscriptionSnapshot | undefined,
  productName: string | undefined,
): z.output<typeof Subscription> => ({
  id: data.id,
  createdAt: dateOf(data.created_at),
  productId: known?.productId ?? data.product_id,
  productName: productName ?? null,
  status: known?.status ?? (runs(data) ? 'canceled' : data.status),
  amount: known?.amount ?? data.amount,
  currency: known?.currency ?? data.currency,
  recurringInterval: known?.interval ?? data.recurring_interval,
  currentPeriodStart: dateOrNull(known?.currentPeriodStart ?? data.current_period_start),
  currentPeriodEnd: dateOrNull(known === undefined ? data.current_period_end : known.currentPeriodEnd),
  cancelAtPeriodEnd: known?.cancelAtPeriodEnd ?? data.cancel_at_period_end,
  canceledAt: dateOrNull(known === undefined ? data.canceled_at : known.canceledAt),
  startedAt: dateOrNull(known === undefined ? data.started_at : known.startedAt),
  endsAt: dateOrNull(known === undefined ? data.ends_at : known.endsAt),
  endedAt: dateOrNull(known === undefined ? data.ended_at : known.endedAt),
  seats: known?.seats ?? null,
})

/** A subscription that only a customer state contains, because no event about it has arrived. */
export const unstoredSubscription = (entry: CustomerState['active_subscriptions'][number]): SubscriptionFields => ({
  ...{ ...entry, ended_at: null, price_ids: [] },
})
export const unstoredGrant = (entry: CustomerState['granted_benefits'][number]): GrantFields => ({
  ...{ ...entry, revoked_at: null, subscription_id: null, order_id: null },
})

export const orderView = (data: OrderData): z.output<typeof Order> => ({
  id: data.id,
  createdAt: dateOf(data.created_at),
  status: data.status,
  paid: data.paid,
  billingReason: data.billing_reason,
  productId: data.product_id ?? null,
  productName: data.product?.name ?? null,
  subscriptionId: data.subscription_id,
  currency: data.currency,
  subtotalAmount: data.subtotal_amount,
  discountAmount: data.discount_amount,
  netAmount: data.net_amount,
  taxAmount: data.tax_amount,
  totalAmount: data.total_amount,
  refundedAmount: data.refunded_amount,
  refundedTaxAmount: data.refunded_tax_amount,
  items: data.items.map(({ label, amount, tax_amount }) => ({ label, amount, taxAmount: tax_amount })),
})

/**
 * A benefit for its owner. License keys and files are shown until the benefit ends at `endsAt`. For a benefit that is not granted,
 * `endsAt` is undefined.
 */
export const benefitView = (
  data: GrantFields,
  endsAt: Date | null | undefined,
  now: Date,
  description: string | undefined,
): z.output<typeof Benefit> => {
  const isGranted = endsAt === null || (endsAt !== undefined && endsAt > now)
  const { display_key, license_key_id, files } = (isGranted ? data.properties : {}) as Readonly<Record<string, unknown>>
  const displayKey = textOf(display_key)
  return {
    id: data.id,
    benefitId: data.benefit_id,
    type: data.benefit_type,
    description: description ?? null,
    grantedAt: dateOrNull(data.granted_at),
    revokedAt: isGranted ? null : (dateOrNull(data.revoked_at) ?? endsAt ?? null),
    isGranted,
    subscriptionId: data.subscription_id,
    orderId: data.order_id,
    licenseKey: displayKey === null ? null : { id: textOf(license_key_id), displayKey },
    files: Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [],
  }
}

export const meterView = (meter: BillingSnapshot['meters'][number], name: string | undefined): z.output<typeof Meter> => ({
  meterId: meter.meterId,
  name: name ?? null,
  consumedUnits: meter.consumedUnits,
  creditedUnits: meter.creditedUnits,
  balance: meter.balance,
  asOf: dateOf(meter.asOf),
})

/** A customer for administrators. `names` contains the names of users and organizations by id. */
export const customerView = (
  { id, email, externalId, createdAt, data, link }: CustomerRow,
  names: ReadonlyMap<string, string>,
): z.output<typeof Customer> => {
  const { linkedBy, linkedAt, userId, organizationId } = link
  const name = names.get(userId ?? organizationId ?? '') ?? ''
  const isUnlinked = linkedBy === null || linkedAt === null || (userId === null && organizationId === null)
  return {
    ...{ id, email, externalId, name: data.name },
    createdAt: dateOf(createdAt),
    deletedAt: dateOrNull(data.deleted_at),
    link: isUnlinked ? null : { userId, organizationId, name, linkedBy, linkedAt },
  }
}

export const namedDeliveryView = ({ eventType, ...delivery }: NamedDelivery) => ({ ...delivery, type: eventType })

export const deliveryView = <D extends ListedDelivery>({ eventType, status, outcome, issues, ...delivery }: D) => ({
  ...delivery,
  issues: [...issues],
  ...{ type: eventType, verdict: status, effect: outcome },
})
