import { sortableTime } from '../events/time.ts'
import { ordersOf, revocationsOf } from './purchases.ts'
import type {
  GrantStanding,
  MeterStanding,
  Source,
  Sources,
  Standing,
  StateData,
  SubscriptionData,
  SubscriptionStanding,
} from './standing.ts'
import { stampIn, stampOf } from './versions.ts'

/** Enough for any grace; a customer who comes and goes a thousand times does not make their tokens slow. */
const mostEnded = 20

/** Snapshots name running subscriptions and trials: that one of another status is missing there says nothing (billing-events.md, section 7). */
const namedStatuses: ReadonlySet<string> = new Set(['active', 'trialing'])

const hasEnded = ({ status, endedAt }: SubscriptionStanding) =>
  endedAt !== null || status === 'canceled' || status === 'incomplete_expired'

const byId =
  <T>(id: (item: T) => string) =>
  (a: T, b: T) =>
    id(a) < id(b) ? -1 : id(a) > id(b) ? 1 : 0

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)

/** Since when a subscription has its status, where its data says so. */
const toldSince = ({ status, ended_at, past_due_at, paused_at }: SubscriptionData): string | null => {
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

const subscriptionStanding = (data: SubscriptionData, stamp: string, deliveryId: string): SubscriptionStanding => ({
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
  statusSince: sortableOr(toldSince(data), stamp),
  seats: data.seats ?? null,
  deliveryId,
})

/**
 * Stored versions and the snapshot together: an entity is as its newer version says; what the snapshot should name and does not has
 * ended by then (`endedBy`), unless it changed after.
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
  const merged = [...new Set([...known.keys(), ...named.keys()])].flatMap((id) => {
    const [row, entry] = [known.get(id), named.get(id)]
    if (row !== undefined && (entry === undefined || stampIn(row.version) >= stampOf(entry))) {
      const isUnnamed = entry === undefined && state !== undefined && stampIn(row.version) <= stampIn(state.version)
      return [fromRow(row, isUnnamed ? state : undefined)]
    }
    return entry === undefined || state === undefined ? [] : [fromEntry(entry, row, state)]
  })
  return merged
}

export const subscriptionsOf = ({ state, subscriptions }: Pick<Sources, 'state' | 'subscriptions'>) => {
  const merged = merge(
    subscriptions,
    state,
    state?.data.active_subscriptions ?? [],
    ({ data, version, deliveryId }, endedBy) => {
      if (endedBy === undefined || !namedStatuses.has(data.status))
        return subscriptionStanding(data, stampIn(version), deliveryId)
      const endedAt = stampIn(endedBy.version)
      return subscriptionStanding({ ...data, status: 'canceled', ended_at: endedAt }, endedAt, endedBy.deliveryId)
    },
    (entry, row, { deliveryId }) => {
      const data = { ...row?.data, ended_at: null, price_ids: row?.data.price_ids ?? [], ...entry }
      return subscriptionStanding(data as unknown as SubscriptionData, stampOf(entry), deliveryId)
    },
  )
  const latestEnded = merged
    .filter(hasEnded)
    .sort(byId(({ statusSince, id }) => `${statusSince}|${id}`))
    .slice(-mostEnded)
  return [...merged.filter((subscription) => !hasEnded(subscription)), ...latestEnded].sort(byId(({ id }) => id))
}

/** Grants that are held; of subscriptions that ended too long ago to be listed as well. */
export const grantsOf = ({ state, grants, refunds }: Pick<Sources, 'state' | 'grants' | 'refunds'>): GrantStanding[] => {
  const revocations = revocationsOf(refunds)
  return merge(
    grants,
    state,
    state?.data.granted_benefits ?? [],
    ({ data, version, deliveryId }, endedBy) => {
      const refundedAt = data.order_id === null ? undefined : revocations.get(data.order_id)
      const isHeld = data.is_granted && !data.is_revoked && endedBy === undefined
      if (!isHeld || (refundedAt !== undefined && refundedAt >= stampIn(version))) return undefined
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
  live: readonly SubscriptionStanding[],
): MeterStanding[] => {
  const latest = new Map<string, MeterStanding>()
  const add = (meter: MeterStanding) => {
    if (meter.asOf > (latest.get(meter.meterId)?.asOf ?? '')) latest.set(meter.meterId, meter)
  }
  for (const meter of state?.data.active_meters ?? []) {
    const { meter_id: meterId, consumed_units: consumedUnits, credited_units: creditedUnits, balance } = meter
    const asOf = stampIn(state?.version ?? '')
    add({ meterId, consumedUnits, creditedUnits, balance, asOf, deliveryId: state?.deliveryId ?? '' })
  }
  const running = new Set(live.flatMap((subscription) => (hasEnded(subscription) ? [] : [subscription.id])))
  // What a subscription counted since the snapshot, or without one.
  for (const { id, data, deliveryId } of [...subscriptions].sort(byId(({ id }) => id))) {
    if (!running.has(id)) continue
    for (const meter of data.meters) {
      if (state !== undefined && stampOf(meter) <= stampIn(state.version)) continue
      const { meter_id: meterId, consumed_units: consumedUnits, credited_units: creditedUnits } = meter
      const balance = creditedUnits - consumedUnits
      add({ meterId, consumedUnits, creditedUnits, balance, asOf: stampOf(meter), deliveryId })
    }
  }
  return [...latest.values()].sort(byId(({ meterId }) => meterId))
}

/** When the renewal of a subscription should be heard, as sortable time; null: it is not to be renewed. */
export const renewalDueAt = (subscription: SubscriptionStanding): string | null => {
  const { status, cancelAtPeriodEnd, currentPeriodEnd, endsAt, endedAt } = subscription
  const renews = namedStatuses.has(status) && !cancelAtPeriodEnd && endsAt === null && endedAt === null
  return renews && currentPeriodEnd !== null ? sortableTime(currentPeriodEnd) : null
}

/** Subscriptions that ended too long ago to be listed: what came with them has ended as well. */
export const goneOf = (
  known: readonly { readonly id: string }[],
  listed: readonly { readonly id: string }[],
): ReadonlySet<string> => {
  const left = new Set(listed.map(({ id }) => id))
  return new Set(known.flatMap(({ id }) => (left.has(id) ? [] : id)))
}

/** What a customer holds, from all that is stored of them. A deleted customer holds nothing. */
export const standingOf = (customerId: string, sources: Sources): Standing => {
  if (sources.isDeleted) return { customerId, subscriptions: [], grants: [], orders: [], meters: [] }
  const subscriptions = subscriptionsOf(sources)
  const gone = goneOf(sources.subscriptions, subscriptions)
  return {
    customerId,
    subscriptions,
    grants: grantsOf(sources).filter(({ subscriptionId }) => subscriptionId === null || !gone.has(subscriptionId)),
    orders: ordersOf(sources.orders, sources.refunds),
    meters: metersOf(sources, subscriptions),
  }
}
