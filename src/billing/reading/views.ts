import type { z } from 'zod'
import type { CustomerState } from '../events/customer-state.ts'
import type { GrantData, OrderData, Standing, SubscriptionData, SubscriptionStanding } from '../projection/standing.ts'
import type { Customer } from './contract/admin.ts'
import type { Benefit, Meter, Order, Subscription } from './contract/own.ts'
import type { CustomerRow } from './store.ts'

const dateOf = (text: string | null | undefined) => (text === null || text === undefined ? null : new Date(text))
const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

const runs = ({ status, ended_at }: Pick<SubscriptionData, 'status' | 'ended_at'>) =>
  ended_at === null && status !== 'canceled' && status !== 'incomplete_expired'

/** A subscription as it counts: what is held says more than its own last event. One that runs and is not held has ended meanwhile. */
export const subscriptionView = (
  data: SubscriptionData,
  held: SubscriptionStanding | undefined,
  productName: string | undefined,
): z.output<typeof Subscription> => ({
  id: data.id,
  createdAt: new Date(data.created_at),
  productId: held?.productId ?? data.product_id,
  productName: productName ?? null,
  status: held?.status ?? (runs(data) ? 'canceled' : data.status),
  amount: held?.amount ?? data.amount,
  currency: held?.currency ?? data.currency,
  recurringInterval: held?.interval ?? data.recurring_interval,
  currentPeriodStart: dateOf(held?.currentPeriodStart ?? data.current_period_start),
  currentPeriodEnd: dateOf(held === undefined ? data.current_period_end : held.currentPeriodEnd),
  cancelAtPeriodEnd: held?.cancelAtPeriodEnd ?? data.cancel_at_period_end,
  canceledAt: dateOf(held === undefined ? data.canceled_at : held.canceledAt),
  startedAt: dateOf(held === undefined ? data.started_at : held.startedAt),
  endsAt: dateOf(held === undefined ? data.ends_at : held.endsAt),
  endedAt: dateOf(held === undefined ? data.ended_at : held.endedAt),
  seats: held?.seats ?? null,
})

/** What a snapshot names and no event of its own has told yet. */
export const unstoredSubscription = (entry: CustomerState['active_subscriptions'][number]): SubscriptionData =>
  ({ ...entry, ended_at: null, price_ids: [] }) as unknown as SubscriptionData
export const unstoredGrant = (entry: CustomerState['granted_benefits'][number]): GrantData =>
  ({ ...entry, revoked_at: null, subscription_id: null, order_id: null }) as unknown as GrantData

export const orderView = (data: OrderData): z.output<typeof Order> => ({
  id: data.id,
  createdAt: new Date(data.created_at),
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

/** License keys and files are shown until the benefit ends; `endsAt` is when it does by itself, undefined: it is not held. */
export const benefitView = (
  data: GrantData,
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
    grantedAt: dateOf(data.granted_at),
    revokedAt: isGranted ? null : (dateOf(data.revoked_at) ?? endsAt ?? null),
    isGranted,
    subscriptionId: data.subscription_id,
    orderId: data.order_id,
    licenseKey: displayKey === null ? null : { id: textOf(license_key_id), displayKey },
    files: Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [],
  }
}

export const meterView = (held: Standing['meters'][number], name: string | undefined): z.output<typeof Meter> => ({
  meterId: held.meterId,
  name: name ?? null,
  consumedUnits: held.consumedUnits,
  creditedUnits: held.creditedUnits,
  balance: held.balance,
  asOf: new Date(held.asOf),
})

export const customerView = ({ id, email, externalId, createdAt, data, link }: CustomerRow): z.output<typeof Customer> => {
  const { linkedBy, linkedAt, userId, organizationId } = link
  const isHeld = linkedBy === null || linkedAt === null || (userId === null && organizationId === null)
  return {
    ...{ id, email, externalId, name: data.name },
    createdAt: new Date(createdAt),
    deletedAt: dateOf(data.deleted_at),
    link: isHeld ? null : { userId, organizationId, linkedBy, linkedAt },
  }
}

export const deliveryView = <D extends { readonly eventType: string | null }>({ eventType, ...delivery }: D) => ({
  ...delivery,
  type: eventType,
})
