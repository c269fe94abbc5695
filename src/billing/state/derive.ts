import { sortableTime } from '../events/shared.ts'
import { ordersOf, revocationsOf } from './orders.ts'
import type {
  BillingSnapshot,
  GrantSnapshot,
  MeterSnapshot,
  Source,
  Sources,
  StateData,
  SubscriptionFields,
  SubscriptionSnapshot,
} from './snapshot.ts'
import { eventTimeIn, eventTimeOf, isTakenAfter } from './versions.ts'

/**
 * Largest number of ended subscriptions in a snapshot. The number is large enough for subscriptions that still have grace, and small
 * enough that a customer with a thousand ended subscriptions does not make tokens slow.
 */
const maxEnded = 20

/**
 * A customer state contains only subscriptions with these two statuses. The customer may also have subscriptions with other statuses
 * (billing-events.md, section 7).
 */
const namedStatuses: ReadonlySet<string> = new Set(['active', 'trialing'])

const hasEnded = ({ status, endedAt }: SubscriptionSnapshot) =>
  endedAt !== null || status === 'canceled' || status === 'incomplete_expired'

const byId =
  <T>(id: (item: T) => string) =>
  (a: T, b: T) =>
    id(a) < id(b) ? -1 : id(a) > id(b) ? 1 : 0

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)

/** The time when the subscription got its status. Null if its data does not contain that time. */
const knownSince = ({ status, ended_at, past_due_at, paused_at }: SubscriptionFields): string | null => {
  if (ended_at !== null) return ended_at
  if (status === 'past_due') return textOrNull(past_due_at)
  return status === 'paused' ? textOrNull(paused_at) : null
}

const sortableOr = (text: string | null, fallback: string): string => {
  try {
    return text === null ? fallback : sortableTime(text)
  } catch {
    return fallback
  }
}

const subscriptionSnapshot = (data: SubscriptionFields, eventTime: string, deliveryId: string): SubscriptionSnapshot => ({
  id: data.id,
  productId: data.product_id,
  priceIds: data.price_ids,
  status: data.status,
  currency: data.currency,
  amount: data.amount,
  interval: data.recurring_interval,
  currentPeriodStart: data.current_period_start,
  currentPeriodEnd: data.current_period_end,
  cancelAtPeriodEnd: data.cancel_at_period_end,
  canceledAt: data.canceled_at,
  startedAt: data.started_at,
  endsAt: data.ends_at,
  endedAt: data.ended_at,
  statusSince: sortableOr(knownSince(data), eventTime),
  seats: data.seats ?? null,
  deliveryId,
})

/**
 * Merges the stored versions of entities with the entries of the customer state. If both describe an entity, the newer one is used. If
 * the customer state does not contain a stored entity, that entity has ended (`endedBy` is the state), unless its stored version is newer
 * than the state.
 */
const merge = <D, E extends { readonly id: string; readonly created_at: string; readonly modified_at: string | null }, R>(
  rows: readonly Source<D>[],
  state: Source<StateData> | undefined,
  entries: readonly E[],
  fromRow: (row: Source<D>, endedBy: Source<StateData> | undefined) => R,
  fromEntry: (entry: E, row: Source<D> | undefined, state: Source<StateData>) => R,
): readonly R[] => {
  const known = new Map(rows.map((row) => [row.id, row]))
  const named = new Map(entries.map((entry) => [entry.id, entry]))
  return [...new Set([...known.keys(), ...named.keys()])].flatMap((id) => {
    const [row, entry] = [known.get(id), named.get(id)]
    if (row !== undefined && (entry === undefined || eventTimeIn(row.version) >= eventTimeOf(entry))) {
      const isUnnamed = entry === undefined && state !== undefined && isTakenAfter(state.version, eventTimeIn(row.version))
      return [fromRow(row, isUnnamed ? state : undefined)]
    }
    return entry === undefined || state === undefined ? [] : [fromEntry(entry, row, state)]
  })
}

export const subscriptionsOf = ({ state, subscriptions }: Pick<Sources, 'state' | 'subscriptions'>) => {
  const merged = merge(
    subscriptions,
    state,
    state?.data.active_subscriptions ?? [],
    ({ data, version, deliveryId }, endedBy) => {
      if (endedBy === undefined || !namedStatuses.has(data.status))
        return subscriptionSnapshot(data, eventTimeIn(version), deliveryId)
      const endedAt = eventTimeIn(endedBy.version)
      return subscriptionSnapshot({ ...data, status: 'canceled', ended_at: endedAt }, endedAt, endedBy.deliveryId)
    },
    (entry, row, { deliveryId }) => {
      // If an entry of the customer state has any other status, only the id of the entry is used: the subscription is shown as the last
      // event about it described it.
      if (!namedStatuses.has(entry.status)) return row && subscriptionSnapshot(row.data, eventTimeIn(row.version), row.deliveryId)
      const data = { ...row?.data, ended_at: null, price_ids: row?.data.price_ids ?? [], ...entry }
      return subscriptionSnapshot(data, eventTimeOf(entry), deliveryId)
    },
  )
  const known = merged.filter((subscription) => subscription !== undefined)
  const latestEnded = known
    .filter(hasEnded)
    .sort(byId(({ statusSince, id }) => `${statusSince}|${id}`))
    .slice(-maxEnded)
  return [...known.filter((subscription) => !hasEnded(subscription)), ...latestEnded].sort(byId(({ id }) => id))
}

/** Benefit grants that are granted and not revoked. They include grants of subscriptions that the snapshot does not contain. */
export const grantsOf = ({ state, grants, refunds }: Pick<Sources, 'state' | 'grants' | 'refunds'>): GrantSnapshot[] => {
  const revocations = revocationsOf(refunds)
  return merge(
    grants,
    state,
    state?.data.granted_benefits ?? [],
    ({ data, version, deliveryId }, endedBy) => {
      const refundedAt = data.order_id === null ? undefined : revocations.get(data.order_id)
      const isGranted = data.is_granted && !data.is_revoked && endedBy === undefined
      if (!isGranted || (refundedAt !== undefined && refundedAt >= eventTimeIn(version))) return undefined
      return {
        id: data.id,
        benefitId: data.benefit_id,
        benefitType: data.benefit_type,
        grantedAt: data.granted_at ?? null,
        subscriptionId: data.subscription_id,
        orderId: data.order_id,
        deliveryId,
      }
    },
    (entry, row, { deliveryId }) => ({
      id: entry.id,
      benefitId: entry.benefit_id,
      benefitType: entry.benefit_type,
      grantedAt: entry.granted_at,
      subscriptionId: row?.data.subscription_id ?? null,
      orderId: row?.data.order_id ?? null,
      deliveryId,
    }),
  )
    .filter((grant) => grant !== undefined)
    .sort(byId(({ id }) => id))
}

export const metersOf = (
  { state, subscriptions }: Pick<Sources, 'state' | 'subscriptions'>,
  listed: readonly SubscriptionSnapshot[],
): MeterSnapshot[] => {
  const latest = new Map<string, MeterSnapshot>()
  const add = (meter: MeterSnapshot) => {
    if (meter.asOf > (latest.get(meter.meterId)?.asOf ?? '')) latest.set(meter.meterId, meter)
  }
  for (const meter of state?.data.active_meters ?? []) {
    const { meter_id: meterId, consumed_units: consumedUnits, credited_units: creditedUnits, balance } = meter
    const asOf = eventTimeIn(state?.version ?? '')
    add({ meterId, consumedUnits, creditedUnits, balance, asOf, deliveryId: state?.deliveryId ?? '' })
  }
  const running = new Set(listed.flatMap((subscription) => (hasEnded(subscription) ? [] : [subscription.id])))
  // Adds the meters of subscriptions whose version is newer than the customer state. If no customer state is stored, adds the meters of
  // all subscriptions.
  for (const { id, data, deliveryId } of [...subscriptions].sort(byId(({ id }) => id))) {
    if (!running.has(id)) continue
    for (const meter of data.meters) {
      if (state !== undefined && isTakenAfter(state.version, eventTimeOf(meter))) continue
      const { meter_id: meterId, consumed_units: consumedUnits, credited_units: creditedUnits } = meter
      const balance = creditedUnits - consumedUnits
      add({ meterId, consumedUnits, creditedUnits, balance, asOf: eventTimeOf(meter), deliveryId })
    }
  }
  return [...latest.values()].sort(byId(({ meterId }) => meterId))
}

/** The time when a subscription should renew, as sortable text. Null if it will not renew. */
export const renewalDueAt = (subscription: SubscriptionSnapshot): string | null => {
  const { status, cancelAtPeriodEnd, currentPeriodEnd, endsAt, endedAt } = subscription
  const renews = namedStatuses.has(status) && !cancelAtPeriodEnd && endsAt === null && endedAt === null
  return renews && currentPeriodEnd !== null ? sortableTime(currentPeriodEnd) : null
}

/**
 * Ids of subscriptions that are stored but not in the snapshot, because they are not among the latest `maxEnded` ended ones. The benefits
 * of such subscriptions have ended, too.
 */
export const unlistedOf = (
  known: readonly { readonly id: string }[],
  listed: readonly { readonly id: string }[],
): ReadonlySet<string> => {
  const listedIds = new Set(listed.map(({ id }) => id))
  return new Set(known.flatMap(({ id }) => (listedIds.has(id) ? [] : id)))
}

/** Derives the snapshot of a customer from all stored versions about the customer. The snapshot of a deleted customer is empty. */
export const deriveSnapshot = (customerId: string, sources: Sources): BillingSnapshot => {
  if (sources.isDeleted) return { customerId, subscriptions: [], grants: [], orders: [], meters: [] }
  const subscriptions = subscriptionsOf(sources)
  const unlisted = unlistedOf(sources.subscriptions, subscriptions)
  return {
    customerId,
    subscriptions,
    grants: grantsOf(sources).filter(({ subscriptionId }) => subscriptionId === null || !unlisted.has(subscriptionId)),
    orders: ordersOf(sources.orders, sources.refunds),
    meters: metersOf(sources, subscriptions),
  }
}
