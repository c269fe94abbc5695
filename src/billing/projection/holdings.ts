import { goneOf, grantsOf, metersOf, renewalDueAt, standingOf, subscriptionsOf } from './deriving.ts'
import type { EntityVersion } from './entities.ts'
import { ordersAfter } from './purchases.ts'
import { type Kind, keyOf } from './rules.ts'
import type { GrantData, RefundData, Source, Sources, Standing, StateData, StoredStanding } from './standing.ts'
import type { StoredRow } from './store/entities.ts'

/** Kinds that say what a customer holds. */
const standingKinds: ReadonlySet<string> = new Set(['customer', 'customer_state', 'subscription', 'grant', 'order', 'refund'])

export const saysStanding = ({ kind }: Pick<EntityVersion, 'kind'>): boolean => standingKinds.has(kind)

interface Current extends Source<unknown> {
  readonly kind: EntityVersion['kind']
}

const isFinal = ({ kind, version }: Pick<Current, 'kind' | 'version'>) => kind === 'customer' && version.startsWith('1')

const ofKind = <D>(rows: readonly Current[], kind: Kind) =>
  rows.filter((row) => row.kind === kind) as unknown as readonly Source<D>[]

const sourcesIn = (rows: readonly Current[]): Sources => ({
  isDeleted: rows.some(isFinal),
  state: ofKind<StateData>(rows, 'customer_state')[0],
  subscriptions: ofKind(rows, 'subscription'),
  grants: ofKind(rows, 'grant'),
  orders: ofKind(rows, 'order'),
  refunds: ofKind(rows, 'refund'),
})

/** Rows that came with what they say; one found in two ways counts once. */
const read = (rows: readonly StoredRow[]): readonly Current[] => {
  const whole = rows.filter(({ kind, data }) => kind !== 'customer' && data !== null)
  const once = new Map(whole.map((row) => [keyOf(row), row]))
  return [...once.values()].map((row) => ({ ...row, data: JSON.parse(row.data ?? '') }))
}

const stored = (standing: Standing): StoredStanding => {
  const [due = null] = standing.subscriptions.flatMap((one) => renewalDueAt(one) ?? []).sort()
  return { json: JSON.stringify(standing), renewalDueAt: due }
}

/** All that a customer holds, by all that is stored of them and nothing replaces, and by what is newer. */
export const standingFrom = (customerId: string, rows: readonly StoredRow[], newer: readonly EntityVersion[]): StoredStanding => {
  const customers = rows.filter(({ kind }) => kind === 'customer').map((row) => ({ ...row, data: null }))
  return stored(standingOf(customerId, sourcesIn([...customers, ...read(rows), ...newer])))
}

const dataOf = <D>({ data }: Source<D>) => data

/** Grants that may have changed, and the rest as it was. */
const grantsAfter = (
  before: Standing,
  { state, grants, refunds }: Sources,
  isWhole: boolean,
  isChanged: (id: string, orderId: string | null) => boolean,
  isGone: (subscriptionId: string) => boolean,
): Standing['grants'] => {
  const changed = grants.filter(({ id, data }) => isWhole || isChanged(id, data.order_id))
  const ids = new Set(changed.map(({ id }) => id))
  const named = state === undefined ? undefined : state.data.granted_benefits.filter(({ id }) => isWhole || ids.has(id))
  const derived = grantsOf({
    state:
      state === undefined || named === undefined ? undefined : { ...state, data: { ...state.data, granted_benefits: named } },
    grants: changed,
    refunds,
  })
  const held = derived.filter(({ subscriptionId }) => subscriptionId === null || !isGone(subscriptionId))
  const kept = isWhole ? [] : before.grants.filter(({ id }) => !ids.has(id))
  return [...kept, ...held].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * What a customer holds by what it was and by what is newer, with the rows that may bear on that (`readNamed`). The parts that cannot have
 * changed are kept. Undefined: it takes all that is stored.
 */
export const standingAfter = (
  customer: StoredRow | undefined,
  rows: readonly StoredRow[],
  newer: readonly EntityVersion[],
): StoredStanding | undefined => {
  if (customer === undefined || customer.data === null || customer.data === '') return undefined
  if (isFinal(customer)) return { json: customer.data, renewalDueAt: null }
  const known: Partial<Standing> = JSON.parse(customer.data)
  if (known.subscriptions === undefined) return undefined
  const standing = known as Standing
  if (newer.some(isFinal)) return stored(standingOf(standing.customerId, sourcesIn(newer)))

  const replaced = new Map(newer.map((version) => [keyOf(version), version]))
  const whole = read(rows)
  const then = sourcesIn(whole)
  const now = sourcesIn([...whole.filter((row) => !replaced.has(keyOf(row))), ...newer])
  const told = (kind: Kind) => newer.filter((version) => version.kind === kind)

  const refunds = told('refund') as unknown as readonly Source<RefundData>[]
  const refunded = new Set(refunds.map(dataOf).map(({ order_id }) => order_id))
  // A refund that was another order's: that one is not among the rows.
  if (then.refunds.some((row) => replaced.has(keyOf({ kind: 'refund', id: row.id })) && !refunded.has(row.data.order_id)))
    return undefined

  const orderIds = new Set([...told('order').map(({ id }) => id), ...refunded])
  const among = ({ orders, refunds }: Sources) => ({ refunds, orders: orders.filter(({ id }) => orderIds.has(id)) })
  const orders = orderIds.size === 0 ? standing.orders : ordersAfter(standing.orders, among(then), among(now))
  if (orders === undefined) return undefined

  const isWhole = told('customer_state').length > 0
  const renews = isWhole || told('subscription').length > 0
  const subscriptions = renews ? subscriptionsOf(now) : standing.subscriptions
  const meters = renews ? metersOf(now, subscriptions) : standing.meters
  const goneThen = goneOf(renews ? then.subscriptions : knownSubscriptions(rows), standing.subscriptions)
  const gone = renews ? goneOf(now.subscriptions, subscriptions) : goneThen
  // Benefits of a subscription that is listed no more are gone, those of one that is listed again are back: they may be any.
  if (!isWhole && (gone.size !== goneThen.size || gone.difference(goneThen).size > 0)) return undefined

  const grantIds = new Set(told('grant').map(({ id }) => id))
  const isRefunded = (orderId: string | null) => orderId !== null && refunded.has(orderId)
  const isChanged = (id: string, orderId: string | null) => grantIds.has(id) || isRefunded(orderId)
  // Whether the subscription of a benefit that only a refund concerns is listed, was not asked.
  const isUnsure = ({ id, data }: Source<GrantData>) => !renews && !grantIds.has(id) && data.subscription_id !== null
  if (now.grants.some((row) => isRefunded(row.data.order_id) && isUnsure(row))) return undefined
  const touches = isWhole || grantIds.size > 0 || refunded.size > 0
  const grants = touches ? grantsAfter(standing, now, isWhole, isChanged, (id) => gone.has(id)) : standing.grants
  return stored({ customerId: standing.customerId, subscriptions, grants, orders, meters })
}

const knownSubscriptions = (rows: readonly StoredRow[]) => rows.filter(({ kind, id }) => kind === 'subscription' && id !== '')
