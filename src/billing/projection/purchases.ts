import { sortableTime } from '../events/time.ts'
import { type OrderData, type OrderStanding, paidStatuses, type RefundData, type Source } from './standing.ts'
import { stampIn } from './versions.ts'

/** Time of the refund that took the benefits of an order back, by order. */
export const revocationsOf = (refunds: readonly Source<RefundData>[]): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const { data, version } of refunds) {
    if (data.status !== 'succeeded' || !data.revoke_benefits) continue
    const [stamp, known = ''] = [stampIn(version), found.get(data.order_id)]
    if (stamp > known) found.set(data.order_id, stamp)
  }
  return found
}

/** Orders that were paid for something bought once, each by itself. */
const purchasesOf = (orders: readonly Source<OrderData>[], refunds: readonly Source<RefundData>[]): readonly OrderStanding[] => {
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

const likenessOf = ({ productId, priceIds, status, benefitsRevoked }: OrderStanding) =>
  JSON.stringify([productId, priceIds, status, benefitsRevoked])

/** Of several alike the latest stands for all. */
const placeOf = ({ createdAt, id }: OrderStanding) => `${sortableTime(createdAt)}|${id}`

const add = (alike: Map<string, OrderStanding>, one: OrderStanding): void => {
  const likeness = likenessOf(one)
  const known = alike.get(likeness)
  const shown = known !== undefined && placeOf(one) < placeOf(known) ? known : one
  alike.set(likeness, { ...shown, count: (known?.count ?? 0) + 1 })
}

const sorted = (alike: ReadonlyMap<string, OrderStanding>) => [...alike.values()].sort((a, b) => (a.id < b.id ? -1 : 1))

/** What was bought once, from all orders and refunds of a customer. */
export const ordersOf = (orders: readonly Source<OrderData>[], refunds: readonly Source<RefundData>[]): OrderStanding[] => {
  const alike = new Map<string, OrderStanding>()
  for (const one of purchasesOf(orders, refunds)) add(alike, one)
  return sorted(alike)
}

/** Orders and the refunds of them. */
export interface Bought {
  readonly orders: readonly Source<OrderData>[]
  readonly refunds: readonly Source<RefundData>[]
}

/**
 * The same from what it was, for orders that were one thing and are another now. Undefined: not without the others, since the latest of
 * several alike is it no more, or what it was does not fit.
 */
export const ordersAfter = (known: readonly OrderStanding[], before: Bought, now: Bought): OrderStanding[] | undefined => {
  const alike = new Map(known.map((one) => [likenessOf(one), one]))
  const latestLeft = new Map<string, string>()
  for (const one of purchasesOf(before.orders, before.refunds)) {
    const likeness = likenessOf(one)
    const shown = alike.get(likeness)
    if (shown === undefined) return undefined
    if (shown.id === one.id) latestLeft.set(likeness, placeOf(shown))
    alike.set(likeness, { ...shown, count: shown.count - 1 })
    if (shown.count > 1) continue
    alike.delete(likeness)
    latestLeft.delete(likeness)
  }
  for (const one of purchasesOf(now.orders, now.refunds)) {
    add(alike, one)
    const left = latestLeft.get(likenessOf(one))
    if (left !== undefined && placeOf(one) >= left) latestLeft.delete(likenessOf(one))
  }
  return latestLeft.size > 0 ? undefined : sorted(alike)
}
