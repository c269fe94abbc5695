import type { Names } from '../../access/names.ts'
import { bind, documented } from '../../http/handlers.ts'
import { seatsContract, seatsDocumentation } from './contract.ts'
import type { Seats } from './service.ts'

const customersOf = ({ customerIds }: { readonly customerIds: readonly string[] }) => ({
  customers: customerIds.map((id) => ({ kind: 'customer', id })),
})

export const seatsRoutes = (seats: Seats, names: Names) =>
  bind(documented(seatsContract, seatsDocumentation), {
    seats: async (principal, { query }) => {
      const { organizations, next, total } = await seats.list(query)
      return { organizations: await names.add(principal, organizations, customersOf), next, total }
    },
  })
