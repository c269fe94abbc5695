import { bind } from '../../http/handlers.ts'
import type { Administration } from './administration.ts'
import { billingAdminContract } from './contract/admin.ts'
import { billingContract } from './contract/own.ts'
import type { Renewals } from './renewals.ts'
import type { Queries } from './service.ts'

export const queryRoutes = (queries: Queries, administration: Administration, renewals: Renewals) => [
  ...bind(billingContract, {
    state: async (principal, { query }) => {
      const { entitlements, ...state } = await queries.state(principal, query.organizationId)
      return { ...state, entitlements: [...entitlements] }
    },
    subscriptions: (principal, { query }) => queries.subscriptions(principal, query),
    orders: (principal, { query }) => queries.orders(principal, query),
    benefits: (principal, { query }) => queries.benefits(principal, query),
    meters: (principal, { query }) => queries.meters(principal, query),
  }),
  ...bind(billingAdminContract, {
    customers: (_principal, { query }) => administration.customers(query),
    customer: (_principal, { params }) => administration.customer(params.id),
    customersOfUser: (_principal, { params }) => administration.customersOf({ userId: params.id }),
    customersOfOrganization: (_principal, { params }) => administration.customersOf({ organizationId: params.id }),
    overdueRenewals: async (_principal, { query }) => {
      const { subscriptions, next } = await renewals.listOverdue(query)
      return { subscriptions: [...subscriptions], next }
    },
    deliveries: (_principal, { query }) => administration.deliveries(query),
    delivery: (_principal, { params }) => administration.delivery(params.id),
  }),
]
