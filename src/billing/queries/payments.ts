import type { z } from 'zod'
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../core/db/database.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { EntitlementService } from '../entitlements/service.ts'
import { dateOf } from '../events/shared.ts'
import { isRunning, paymentOf } from '../state/payments.ts'
import type { SubscriptionSnapshot } from '../state/snapshot.ts'
import type { ListedCustomer } from './contract/admin.ts'
import * as store from './store.ts'

type Listed = z.output<typeof ListedCustomer>
type Payments = Pick<Listed, 'status' | 'plan' | 'subscriptions' | 'seats' | 'entitlements'>

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly entitlements: Pick<EntitlementService, 'of'>
  readonly memberships: Pick<Memberships, 'seatsTaken'>
}

const nothing: Payments = { status: null, plan: null, subscriptions: [], seats: null, entitlements: [] }

/** For each customer, the list shows at most this many subscriptions. */
const mostShown = 5

const shown = (
  { id, productId, status, amount, currency, interval, currentPeriodEnd, cancelAtPeriodEnd, endsAt }: SubscriptionSnapshot,
  names: ReadonlyMap<string, { readonly name: string }>,
): Listed['subscriptions'][number] => {
  const next = endsAt ?? currentPeriodEnd
  return {
    ...{ id, productId, productName: names.get(productId)?.name ?? null, status, amount, currency, interval },
    ...{ nextAt: next === null ? null : dateOf(next), endsThen: cancelAtPeriodEnd || endsAt !== null },
  }
}

/** Adds purchases and entitlements to a page of customers. It takes the same number of statements for any number of customers. */
export const createPayments =
  ({ db, clock, entitlements, memberships }: Deps) =>
  async (rows: readonly store.CustomerRow[]): Promise<(row: store.CustomerRow) => Payments> => {
    if (rows.length === 0) return () => nothing
    const snapshots = await store.listSnapshots(
      db,
      rows.map(({ id }) => id),
    )
    const running = new Map(
      [...snapshots].map(([id, { subscriptions }]) => [id, subscriptions.filter(isRunning).slice(0, mostShown)]),
    )
    const productIds = [...running.values()].flat().map(({ productId }) => productId)
    const organizationIds = [...new Set(rows.flatMap(({ link }) => link.organizationId ?? []))]
    const [products, taken] = await Promise.all([
      productIds.length === 0 ? new Map<string, { readonly name: string }>() : store.listCatalogue(db, 'product', productIds),
      organizationIds.length === 0 ? [] : memberships.seatsTaken(db, organizationIds, clock.now()),
    ])
    const used = new Map(taken.map(({ organizationId, members, invitations }) => [organizationId, members + invitations]))
    return ({ id, link }) => {
      const snapshot = snapshots.get(id)
      if (snapshot === undefined) return nothing
      const owner = link.organizationId === null ? 'user' : 'organization'
      const own = entitlements.of([{ owner, customerId: id, snapshot }])
      return {
        ...{ status: paymentOf(snapshot).status, plan: own.plan },
        subscriptions: (running.get(id) ?? []).map((one) => shown(one, products)),
        seats: link.organizationId === null ? null : { bought: own.seats, used: used.get(link.organizationId) ?? 0 },
        entitlements: own.entitlements.map(({ name }) => name),
      }
    }
  }
