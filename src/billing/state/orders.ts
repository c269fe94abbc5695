import { sortableTime } from '../events/shared.ts'
import { type OrderData, type OrderSnapshot, paidStatuses, type RefundData, type Source } from './snapshot.ts'
import { eventTimeIn } from './versions.ts'

/** For each order whose benefits a refund revoked, the time of that refund. */
export const revocationsOf = (refunds: readonly Source<RefundData>[]): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const { data, version } of refunds) {
    if (data.status !== 'succeeded' || !data.revoke_benefits) continue
    const [eventTime, known = ''] = [eventTimeIn(version), found.get(data.order_id)]
    if (eventTime > known) found.set(data.order_id, eventTime)
  }
  return found
}

/** Paid orders of one-time products, each as an entry of its own. `ordersOf` combines equal orders. */
const paidOrdersOf = (orders: readonly Source<OrderData>[], refunds: readonly Source<RefundData>[]): readonly OrderSnapshot[] => {
  const revocations = revocationsOf(refunds)
  return orders.flatMap(({ data, deliveryId }) => {
    const status = paidStatuses.find((one) => one === data.status)
    if (data.subscription_id !== null || !data.paid || status === undefined) return []
    const priceIds = [...new Set(data.items.flatMap(({ product_price_id }) => product_price_id ?? []))].sort()
    return {
      ...{ id: data.id, productId: data.product_id ?? null, priceIds, status, count: 1, totalAmount: data.total_amount },
      ...{ refundedAmount: data.refunded_amount, benefitsRevoked: revocations.has(data.id) },
      ...{ createdAt: data.created_at, deliveryId },
    }
  })
}

const groupKeyOf = ({ productId, priceIds, status, benefitsRevoked }: OrderSnapshot) =>
  JSON.stringify([productId, priceIds, status, benefitsRevoked])

/** Each group of equal orders is represented by its latest order. This key sorts orders by time. */
const sortKeyOf = ({ createdAt, id }: OrderSnapshot) => `${sortableTime(createdAt)}|${id}`

const add = (groups: Map<string, OrderSnapshot>, one: OrderSnapshot): void => {
  const key = groupKeyOf(one)
  const known = groups.get(key)
  const shown = known !== undefined && sortKeyOf(one) < sortKeyOf(known) ? known : one
  groups.set(key, { ...shown, count: (known?.count ?? 0) + 1 })
}

const sorted = (groups: ReadonlyMap<string, OrderSnapshot>) => [...groups.values()].sort((a, b) => (a.id < b.id ? -1 : 1))

/** The one-time purchases of a customer, derived from all orders and refunds. Equal orders form one entry. */
export const ordersOf = (orders: readonly Source<OrderData>[], refunds: readonly Source<RefundData>[]): OrderSnapshot[] => {
  const groups = new Map<string, OrderSnapshot>()
  for (const one of paidOrdersOf(orders, refunds)) add(groups, one)
  return sorted(groups)
}

/** Some orders of a customer, with the refunds of these orders. */
export interface OrdersAndRefunds {
  readonly orders: readonly Source<OrderData>[]
  readonly refunds: readonly Source<RefundData>[]
}

/**
 * Updates the entries `known` after some orders changed from `before` to `now`. Returns undefined if the entries have to be derived from
 * all orders of the customer: the latest order of an entry has left it, or `known` does not contain the orders of `before`.
 */
export const ordersAfter = (
  known: readonly OrderSnapshot[],
  before: OrdersAndRefunds,
  now: OrdersAndRefunds,
): OrderSnapshot[] | undefined => {
  const groups = new Map(known.map((one) => [groupKeyOf(one), one]))
  const latestLeft = new Map<string, string>()
  for (const one of paidOrdersOf(before.orders, before.refunds)) {
    const key = groupKeyOf(one)
    const shown = groups.get(key)
    if (shown === undefined) return undefined
    if (shown.id === one.id) latestLeft.set(key, sortKeyOf(shown))
    groups.set(key, { ...shown, count: shown.count - 1 })
    if (shown.count > 1) continue
    groups.delete(key)
    latestLeft.delete(key)
  }
  for (const one of paidOrdersOf(now.orders, now.refunds)) {
    add(groups, one)
    const left = latestLeft.get(groupKeyOf(one))
    if (left !== undefined && sortKeyOf(one) >= left) latestLeft.delete(groupKeyOf(one))
  }
  return latestLeft.size > 0 ? undefined : sorted(groups)
}
