import { bind } from '../../http/handlers.ts'
import type { Administration } from './administration.ts'
import { billingAdminContract } from './contract/admin.ts'
import { billingContract } from './contract/own.ts'
import type { Renewals } from './renewals.ts'
import type { Reading } from './service.ts'

export const readingRoutes = (reading: Reading, administration: Administration, renewals: Renewals) => [
  ...bind(billingContract, {
    state: async (caller, { query }) => {
      const { entitlements, ...state } = await reading.state(caller, query.organizationId)
      return { ...state, entitlements: [...entitlements] }
    },
    subscriptions: (caller, { query }) => reading.subscriptions(caller, query),
    orders: (caller, { query }) => reading.orders(caller, query),
    benefits: (caller, { query }) => reading.benefits(caller, query),
    meters: (caller, { query }) => reading.meters(caller, query),
  }),
  ...bind(billingAdminContract, {
    customers: (_caller, { query }) => administration.customers(query),
    customer: (_caller, { params }) => administration.customer(params.id),
    overdueRenewals: async (_caller, { query }) => {
      const { subscriptions, next } = await renewals.listOverdue(query.limit, query.after)
      return { subscriptions: [...subscriptions], next }
    },
    deliveries: (_caller, { query }) => administration.deliveries(query),
    delivery: (_caller, { params }) => administration.delivery(params.id),
  }),
]
