import type { z } from 'zod'
import type { Db } from '../../core/database.ts'
import { parseEmail } from '../../core/wire.ts'
import type { EntitlementService } from '../entitlements/service.ts'
import type { DeliveryRow } from '../entitlements/store.ts'
import { billingErrors } from '../errors.ts'
import type { Intake } from '../intake/service.ts'
import { findDelivery } from '../intake/store/deliveries.ts'
import { storedData } from '../projection/rules.ts'
import type { billingAdminContract } from './contract/admin.ts'
import type { Lists } from './service.ts'
import * as store from './store.ts'
import { customerView, deliveryView } from './views.ts'

type Calls = typeof billingAdminContract
type Query<K extends 'customers' | 'deliveries'> = z.output<Calls[K]['query']>
type Answer<K extends keyof Calls> = Promise<z.output<Calls[K]['response']>>

/** What administrators see: everything, but no secrets of the platform. */
export interface Administration {
  customers(query: Query<'customers'>): Answer<'customers'>
  /** Throws CUSTOMER_NOT_FOUND. */
  customer(id: string): Answer<'customer'>
  deliveries(query: Query<'deliveries'>): Answer<'deliveries'>
  /** Throws DELIVERY_NOT_FOUND. */
  delivery(id: string): Answer<'delivery'>
}

interface Deps {
  readonly db: Db
  readonly entitlements: EntitlementService
  readonly intake: Intake
  readonly lists: Lists
}

const first = { limit: 100, offset: 0 }

/** A page and, when there is more, where it goes on: one row more is asked for than shown. */
const pageOf = <T extends { readonly id: string }>(rows: readonly T[], limit: number) => ({
  rows: rows.slice(0, limit),
  next: rows.length > limit ? (rows[limit - 1]?.id ?? null) : null,
})

const eventIn = (body: Buffer): z.core.util.JSONType | null => {
  try {
    return JSON.parse(storedData(JSON.parse(body.toString('utf8')) as object)) as z.core.util.JSONType
  } catch {
    return null
  }
}

export const createAdministration = ({ db, entitlements, intake, lists }: Deps): Administration => {
  const requireCustomer = async (id: string) => {
    const found = await store.findCustomer(db, id)
    if (found === undefined) throw billingErrors.refuse('CUSTOMER_NOT_FOUND')
    return found
  }
  return {
    customers: async ({ email, externalId, unlinked, limit, after }) => {
      const address = email === undefined ? undefined : parseEmail(email)
      if (email !== undefined && address === undefined) return { customers: [], next: null }
      const filter = { email: address, externalId, isUnlinked: unlinked === undefined ? undefined : unlinked === 'true' }
      const behind = after === undefined ? undefined : await requireCustomer(after)
      const { rows, next } = pageOf(await store.listCustomers(db, filter, behind, limit + 1), limit)
      return { customers: rows.map(customerView), next }
    },
    customer: async (id) => {
      const found = await requireCustomer(id)
      const { standing } = found
      const holder = found.link.organizationId === null ? 'user' : 'organization'
      const explained = await entitlements.explain(db, [{ holder, customerId: id, standing }])
      const withDelivery = <S extends { readonly delivery: DeliveryRow | null }>(source: S) => ({
        ...source,
        delivery: source.delivery === null ? null : deliveryView(source.delivery),
      })
      const [subscriptions, orders, benefits, meters, deliveries] = await Promise.all([
        lists.subscriptions([standing], first),
        lists.orders([standing], first),
        lists.benefits([standing], first),
        lists.meters([standing], first),
        intake.list({ customerId: id }, first.limit),
      ])
      return {
        customer: customerView(found),
        state: {
          ...explained,
          seats: holder === 'organization' ? explained.seats : null,
          entitlements: explained.entitlements.map((one) => ({ ...one, sources: one.sources.map(withDelivery) })),
          unused: explained.unused.map(withDelivery),
        },
        subscriptions: subscriptions.subscriptions,
        orders: orders.orders,
        benefits: benefits.benefits,
        meters: meters.meters,
        deliveries: deliveries.map(deliveryView),
      }
    },
    deliveries: async ({ customerId, type, verdict, limit, after }) => {
      const found = await intake.list({ customerId, eventType: type, verdict }, limit + 1, after)
      const { rows, next } = pageOf(found, limit)
      return { deliveries: rows.map(deliveryView), next }
    },
    delivery: async (id) => {
      const found = await findDelivery(db, id)
      if (found === undefined) throw billingErrors.refuse('DELIVERY_NOT_FOUND')
      return { ...deliveryView(found), issues: [...found.issues], event: eventIn(found.body) }
    },
  }
}
