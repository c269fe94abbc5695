import type { BillingSnapshot, SubscriptionSnapshot } from './snapshot.ts'

/** Payment states, sorted by how much attention they need. `ended`: no subscription of the customer is running. */
export const paymentStatuses = ['past_due', 'unpaid', 'active', 'trialing', 'incomplete', 'paused', 'ended'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

/** The payments of a customer as lists and sums need them. They are computed from the snapshot and stored beside it. */
export interface Payment {
  /** The payment state. Null if the customer never had a subscription. */
  readonly status: PaymentStatus | null
  /** The currency of the customer's active subscriptions. Null if the customer pays nothing, or pays in several currencies. */
  readonly currency: string | null
  /** What the customer pays for the active subscriptions in one year, in the smallest unit of the currency. */
  readonly yearly: number | null
}

export const noPayment: Payment = { status: null, currency: null, yearly: null }

const timesAYear: Readonly<Record<SubscriptionSnapshot['interval'], number>> = { day: 365, week: 52, month: 12, year: 1 }

/** True for a subscription that has not ended. */
export const isRunning = ({ status, endedAt }: Pick<SubscriptionSnapshot, 'status' | 'endedAt'>): boolean =>
  endedAt === null && status !== 'canceled' && status !== 'incomplete_expired'

export const paymentOf = ({ subscriptions }: Pick<BillingSnapshot, 'subscriptions'>): Payment => {
  if (subscriptions.length === 0) return noPayment
  const running = subscriptions.filter(isRunning)
  const status = paymentStatuses.find((one) => running.some((subscription) => subscription.status === one)) ?? 'ended'
  const paid = running.filter((one) => one.status === 'active' && one.amount > 0)
  const [currency = null, ...others] = new Set(paid.map((one) => one.currency.toLowerCase()))
  const yearly = paid.reduce((sum, { amount, interval }) => sum + amount * timesAYear[interval], 0)
  const isSummed = currency !== null && others.length === 0 && currency.length <= 8 && Number.isSafeInteger(yearly)
  return { status, ...(isSummed ? { currency, yearly } : { currency: null, yearly: null }) }
}
