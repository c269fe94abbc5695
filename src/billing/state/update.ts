import { deriveSnapshot, grantsOf, metersOf, renewalDueAt, subscriptionsOf, unlistedOf } from './derive.ts'
import { ordersAfter } from './orders.ts'
import { noPayment, paymentOf } from './payments.ts'
import { type Kind, keyOf } from './rules.ts'
import type { BillingSnapshot, DataOf, GrantData, Source, Sources, StoredSnapshot } from './snapshot.ts'
import { dataOfRow, type StoredRow, snapshotIn } from './store/entities.ts'
import type { EntityVersion } from './versions.ts'

const snapshotKinds: ReadonlySet<string> = new Set(['customer', 'customer_state', 'subscription', 'grant', 'order', 'refund'])

export const affectsSnapshot = ({ kind }: Pick<EntityVersion, 'kind'>): boolean => snapshotKinds.has(kind)

interface Current extends Source<unknown> {
  readonly kind: EntityVersion['kind']
}

const isTombstone = ({ kind, version }: Pick<Current, 'kind' | 'version'>) => kind === 'customer' && version.startsWith('1')

const isOf =
  <K extends keyof DataOf>(kind: K) =>
  (row: Current): row is Current & Source<DataOf[K]> =>
    row.kind === kind
const ofKind = <K extends keyof DataOf>(rows: readonly Current[], kind: K): readonly Source<DataOf[K]>[] =>
  rows.filter(isOf(kind))

const sourcesIn = (rows: readonly Current[]): Sources => ({
  isDeleted: rows.some(isTombstone),
  state: ofKind(rows, 'customer_state')[0],
  subscriptions: ofKind(rows, 'subscription'),
  grants: ofKind(rows, 'grant'),
  orders: ofKind(rows, 'order'),
  refunds: ofKind(rows, 'refund'),
})

/** Parses the data of rows. If a row was selected twice, it appears once. */
const read = (rows: readonly StoredRow[]): readonly Current[] => {
  const whole = rows.filter(({ kind, data }) => kind !== 'customer' && data !== null)
  const once = new Map(whole.map((row) => [keyOf(row), row]))
  return [...once.values()].flatMap((row) => {
    const data = dataOfRow(row)
    return data === undefined ? [] : { ...row, data }
  })
}

const stored = (snapshot: BillingSnapshot): StoredSnapshot => {
  const [due = null] = snapshot.subscriptions.flatMap((one) => renewalDueAt(one) ?? []).sort()
  return { json: JSON.stringify(snapshot), renewalDueAt: due, payment: paymentOf(snapshot) }
}

/** Derives the snapshot of a customer from the versions `newer`, and from the stored rows of all other entities of the customer. */
export const snapshotFrom = (customerId: string, rows: readonly StoredRow[], newer: readonly EntityVersion[]): StoredSnapshot => {
  const customers = rows.filter(({ kind }) => kind === 'customer').map((row) => ({ ...row, data: null }))
  return stored(deriveSnapshot(customerId, sourcesIn([...customers, ...read(rows), ...newer])))
}

const knownSubscriptions = (rows: readonly StoredRow[]) => rows.filter(({ kind, id }) => kind === 'subscription' && id !== '')

const dataOf = <D>({ data }: Source<D>) => data

/** Derives again those grants that may have changed, and takes the others from the former snapshot. */
const grantsAfter = (
  before: BillingSnapshot,
  { state, grants, refunds }: Sources,
  isWhole: boolean,
  isChanged: (id: string, orderId: string | null) => boolean,
  isUnlisted: (subscriptionId: string) => boolean,
): BillingSnapshot['grants'] => {
  const changed = grants.filter(({ id, data }) => isWhole || isChanged(id, data.order_id))
  const ids = new Set(changed.map(({ id }) => id))
  const named = state === undefined ? undefined : state.data.granted_benefits.filter(({ id }) => isWhole || ids.has(id))
  const derived = grantsOf({
    state:
      state === undefined || named === undefined ? undefined : { ...state, data: { ...state.data, granted_benefits: named } },
    grants: changed,
    refunds,
  })
  const current = derived.filter(({ subscriptionId }) => subscriptionId === null || !isUnlisted(subscriptionId))
  const kept = isWhole ? [] : before.grants.filter(({ id }) => !ids.has(id))
  return [...kept, ...current].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * Updates a customer's snapshot from newer versions and from the rows that they affect (`readNamed`). Parts of the snapshot that are not
 * affected stay as they are. Undefined if the snapshot has to be derived from all stored rows of the customer.
 */
const updateSnapshot = (
  customer: StoredRow | undefined,
  rows: readonly StoredRow[],
  newer: readonly EntityVersion[],
): StoredSnapshot | undefined => {
  if (customer === undefined || customer.data === null || customer.data === '') return undefined
  if (isTombstone(customer)) return { json: customer.data, renewalDueAt: null, payment: noPayment }
  const snapshot = snapshotIn(customer.data)
  if (snapshot === undefined) return undefined
  if (newer.some(isTombstone)) return stored(deriveSnapshot(snapshot.customerId, sourcesIn(newer)))

  const replaced = new Map(newer.map((version) => [keyOf(version), version]))
  const whole = read(rows)
  const then = sourcesIn(whole)
  const now = sourcesIn([...whole.filter((row) => !replaced.has(keyOf(row))), ...newer])
  const newerOf = (kind: Kind) => newer.filter((version) => version.kind === kind)

  const refunds = ofKind(newer, 'refund')
  const refunded = new Set(refunds.map(dataOf).map(({ order_id }) => order_id))
  // The refund belonged to another order before. That order was not read, so all rows are needed.
  if (then.refunds.some((row) => replaced.has(keyOf({ kind: 'refund', id: row.id })) && !refunded.has(row.data.order_id)))
    return undefined

  const orderIds = new Set([...newerOf('order').map(({ id }) => id), ...refunded])
  const selected = ({ orders, refunds }: Sources) => ({ refunds, orders: orders.filter(({ id }) => orderIds.has(id)) })
  const orders = orderIds.size === 0 ? snapshot.orders : ordersAfter(snapshot.orders, selected(then), selected(now))
  if (orders === undefined) return undefined

  const isWhole = newerOf('customer_state').length > 0
  const renews = isWhole || newerOf('subscription').length > 0
  const subscriptions = renews ? subscriptionsOf(now) : snapshot.subscriptions
  const meters = renews ? metersOf(now, subscriptions) : snapshot.meters
  const unlistedBefore = unlistedOf(renews ? then.subscriptions : knownSubscriptions(rows), snapshot.subscriptions)
  const unlisted = renews ? unlistedOf(now.subscriptions, subscriptions) : unlistedBefore
  // A subscription has left the snapshot's list of subscriptions, or has returned to it. Then its benefits leave or return, too, and
  // their rows were not read. So all rows are needed.
  if (!isWhole && (unlisted.size !== unlistedBefore.size || unlisted.difference(unlistedBefore).size > 0)) return undefined

  const grantIds = new Set(newerOf('grant').map(({ id }) => id))
  const isRefunded = (orderId: string | null) => orderId !== null && refunded.has(orderId)
  const isChanged = (id: string, orderId: string | null) => grantIds.has(id) || isRefunded(orderId)
  // True for a grant of a subscription whose row was not read. So if only a refund changes this grant, all rows are needed, because they
  // tell whether the subscription is in the snapshot.
  const isUnsure = ({ id, data }: Source<GrantData>) => !renews && !grantIds.has(id) && data.subscription_id !== null
  if (now.grants.some((row) => isRefunded(row.data.order_id) && isUnsure(row))) return undefined
  const touches = isWhole || grantIds.size > 0 || refunded.size > 0
  const grants = touches ? grantsAfter(snapshot, now, isWhole, isChanged, (id) => unlisted.has(id)) : snapshot.grants
  return stored({ customerId: snapshot.customerId, subscriptions, grants, orders, meters })
}

const ownerOf = ({ customerId }: { readonly customerId: string | null }) => customerId ?? ''

/**
 * Updates the snapshots of customers with the `newest` versions and the rows that `readNamed` returned. `incomplete`: the customers whose
 * snapshot has to be derived from all their stored rows (`snapshotFrom`).
 */
export const updateSnapshots = (
  customerIds: readonly string[],
  rows: readonly StoredRow[],
  newest: ReadonlyMap<string, EntityVersion>,
): { readonly snapshots: ReadonlyMap<string, StoredSnapshot>; readonly incomplete: readonly string[] } => {
  const losing = new Set(
    rows.flatMap((row) => {
      const version = newest.get(keyOf(row))
      return version === undefined || version.customerId === row.customerId ? [] : (row.customerId ?? [])
    }),
  )
  // A row with an empty id means that the customer has stored subscriptions, grants or orders. Stored refunds are among the rows
  // themselves.
  const isAnyStored = rows.some(({ id }) => id === '')
  const [before, newer] = [Map.groupBy(rows, ownerOf), Map.groupBy(newest.values(), ownerOf)]
  const update = (id: string): StoredSnapshot | undefined => {
    if (losing.has(id)) return undefined
    const [own, versions] = [before.get(id) ?? [], newer.get(id) ?? []]
    const customer = own.find(({ kind }) => kind === 'customer')
    if (customer !== undefined || isAnyStored) return updateSnapshot(customer, own, versions)
    const unchanged = own.filter((row) => !newest.has(keyOf(row)))
    return snapshotFrom(id, unchanged, versions)
  }
  const updated = customerIds.map((id) => [id, update(id)] as const)
  return {
    snapshots: new Map(updated.flatMap(([id, snapshot]) => (snapshot === undefined ? [] : [[id, snapshot] as const]))),
    incomplete: updated.flatMap(([id, snapshot]) => (snapshot === undefined ? id : [])),
  }
}
