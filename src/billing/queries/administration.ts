import type { z } from 'zod'
import type { Clock } from '../../core/clock.ts'
import type { Total } from '../../core/db/count.ts'
import type { Db } from '../../core/db/database.ts'
import { parseExactJson } from '../../core/exact-json.ts'
import { cursorOf, placedPage } from '../../core/page.ts'
import { parseEmail } from '../../core/wire.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { EntitlementService } from '../entitlements/service.ts'
import { billingErrors } from '../errors.ts'
import type { Deliveries } from '../ingest/deliveries.ts'
import type { Endpoints } from '../ingest/endpoints.ts'
import { findDelivery, findSentAs, type NamedDelivery } from '../ingest/store/deliveries.ts'
import { paymentStatuses } from '../state/payments.ts'
import { storedData } from '../state/rules.ts'
import type { billingAdminContract } from './contract/admin.ts'
import { createPayments } from './payments.ts'
import type { Lists } from './service.ts'
import * as store from './store.ts'
import { customerView, deliveryView, namedDeliveryView } from './views.ts'

type Calls = typeof billingAdminContract
type Query<K extends 'customers' | 'deliveries'> = z.output<Calls[K]['query']>
type Response<K extends keyof Calls> = z.output<Calls[K]['response']>
type Answer<K extends keyof Calls> = Promise<Response<K>>
/** A delivery as this service returns it. The routes add the name of the customer. */
type Unnamed<Delivery> = Omit<Delivery, 'customer'>
type ListedDelivery = Response<'deliveries'>['deliveries'][number]

/** Reads billing data for administrators. Secrets of the billing platform are left out. */
export interface Administration {
  customers(query: Query<'customers'>): Answer<'customers'>
  paymentTotals(): Answer<'paymentTotals'>
  /** The customers of a user or organization, newest first. */
  customersOf(owner: store.CustomerOwner): Answer<'customersOfUser'>
  /** One customer with its latest deliveries. Throws CUSTOMER_NOT_FOUND. */
  customer(id: string): Promise<Omit<Response<'customer'>, 'deliveries'> & { readonly deliveries: Unnamed<ListedDelivery>[] }>
  deliveries(
    query: Query<'deliveries'>,
  ): Promise<{ readonly deliveries: Unnamed<ListedDelivery>[]; readonly next: string | null; readonly total: Total | null }>
  /** Finds a delivery by its id in gatehouse or by the platform's `webhook-id`. Throws DELIVERY_NOT_FOUND. */
  delivery(id: string): Promise<Unnamed<Response<'delivery'>>>
}

interface Deps {
  readonly db: Db
  readonly entitlements: EntitlementService
  readonly deliveries: Pick<Deliveries, 'list' | 'newest'>
  readonly lists: Lists
  readonly endpoints: Pick<Endpoints, 'list'>
  readonly memberships: Pick<Memberships, 'seatsTaken'>
  readonly clock: Clock
}

const first = { limit: 100, offset: 0 }

const eventIn = (body: Buffer): z.core.util.JSONType | null => {
  try {
    return JSON.parse(storedData(parseExactJson(body.toString('utf8')) as object)) as z.core.util.JSONType
  } catch {
    return null
  }
}

export const createAdministration = (deps: Deps): Administration => {
  const { db, entitlements, deliveries, lists, endpoints } = deps
  const paymentsOf = createPayments(deps)
  const endpointNames = async () => (await endpoints.list()).map(({ name }) => name)
  const requireCustomer = async (id: string) => {
    const found = await store.findCustomer(db, id)
    if (found === undefined) throw billingErrors.error('CUSTOMER_NOT_FOUND')
    return found
  }
  return {
    paymentTotals: async () => {
      const { statuses, currencies } = await store.sumPayments(db)
      return {
        statuses: paymentStatuses.flatMap((status) => {
          const customers = statuses.get(status)
          return customers === undefined ? [] : [{ status, customers }]
        }),
        currencies: currencies.map(({ yearly, ...rest }) => ({ ...rest, monthly: Math.round(yearly / 12) })),
        plans: [...entitlements.names.plans],
        entitlements: [...entitlements.names.entitlements],
      }
    },
    customers: async ({
      email,
      externalId,
      payment,
      currency,
      search,
      unlinked,
      plan,
      entitlement,
      total: isCounted,
      ...query
    }) => {
      const address = email === undefined ? undefined : parseEmail(email)
      if (email !== undefined && address === undefined) return { customers: [], next: null, total: null }
      const filter = {
        email: address,
        externalId,
        payment,
        currency,
        search,
        isUnlinked: unlinked === undefined ? undefined : unlinked === 'true',
        purchases: entitlements.filterBy({ plan, entitlement }),
      }
      const { rows, next } = placedPage(query, await store.pageOfCustomers(db, filter, cursorOf(query)))
      const names = await store.listOwnerNames(
        db,
        rows.map(({ link }) => link),
      )
      const paid = await paymentsOf(rows)
      const total = isCounted === true ? await store.totalOfCustomers(db, filter) : null
      return { customers: rows.map((row) => ({ ...customerView(row, names), ...paid(row) })), next, total }
    },
    customersOf: async (owner) => {
      const rows = await store.listCustomersOf(db, owner, first.limit)
      const names = await store.listOwnerNames(
        db,
        rows.map(({ link }) => link),
      )
      return { customers: rows.map((row) => customerView(row, names)) }
    },
    customer: async (id) => {
      const found = await requireCustomer(id)
      const { snapshot } = found
      const owner = found.link.organizationId === null ? 'user' : 'organization'
      const explained = await entitlements.explain(db, [{ owner, customerId: id, snapshot }])
      const withDelivery = <S extends { readonly delivery: NamedDelivery | null }>(source: S) => ({
        ...source,
        delivery: source.delivery === null ? null : namedDeliveryView(source.delivery),
      })
      const [names, subscriptions, orders, benefits, meters, received] = await Promise.all([
        store.listOwnerNames(db, [found.link]),
        lists.subscriptions([snapshot], first),
        lists.orders([snapshot], first),
        lists.benefits([snapshot], first),
        lists.meters([snapshot], first),
        deliveries.newest({ customerId: id }, first.limit),
      ])
      return {
        customer: customerView(found, names),
        state: {
          ...explained,
          seats: owner === 'organization' ? explained.seats : null,
          entitlements: explained.entitlements.map((one) => ({ ...one, sources: one.sources.map(withDelivery) })),
          unused: explained.unused.map(withDelivery),
        },
        subscriptions: subscriptions.subscriptions,
        orders: orders.orders,
        benefits: benefits.benefits,
        meters: meters.meters,
        deliveries: received.map(deliveryView),
      }
    },
    deliveries: async ({ customerId, type, verdict: status, endpoint, since, ...query }) => {
      const { rows, next, total } = await deliveries.list({ customerId, eventType: type, status, endpoint, since }, query)
      return { deliveries: rows.map(deliveryView), next, total }
    },
    delivery: async (id) => {
      const found = (await findDelivery(db, id)) ?? (await findSentAs(db, await endpointNames(), id))
      if (found === undefined) throw billingErrors.error('DELIVERY_NOT_FOUND')
      return { ...deliveryView(found), issues: [...found.issues], event: eventIn(found.body) }
    },
  }
}
