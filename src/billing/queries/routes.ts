import type { Names } from '../../access/names.ts'
import { bind } from '../../http/handlers.ts'
import type { Administration } from './administration.ts'
import { billingAdminContract } from './contract/admin.ts'
import { billingContract } from './contract/own.ts'
import type { Renewals } from './renewals.ts'
import type { Queries } from './service.ts'

const ofCustomer = ({ customerId: id }: { readonly customerId: string | null }) => ({
  customer: id === null ? null : { kind: 'customer', id },
})

export const queryRoutes = (queries: Queries, administration: Administration, renewals: Renewals, names: Names) => [
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
    paymentTotals: () => administration.paymentTotals(),
    customer: async (principal, { params }) => {
      const found = await administration.customer(params.id)
      return { ...found, deliveries: await names.add(principal, found.deliveries, ofCustomer) }
    },
    customersOfUser: (_principal, { params }) => administration.customersOf({ userId: params.id }),
    customersOfOrganization: (_principal, { params }) => administration.customersOf({ organizationId: params.id }),
    overdueRenewals: async (principal, { query }) => {
      const { subscriptions, next, total } = await renewals.listOverdue(query)
      return {
        subscriptions: await names.add(principal, subscriptions, ({ customerId: id }) => ({
          customer: { kind: 'customer', id },
        })),
        next,
        total,
      }
    },
    deliveries: async (principal, { query }) => {
      const { deliveries, next, total } = await administration.deliveries(query)
      return { deliveries: await names.add(principal, deliveries, ofCustomer), next, total }
    },
    delivery: async (principal, { params }) => names.addTo(principal, await administration.delivery(params.id), ofCustomer),
  }),
]
