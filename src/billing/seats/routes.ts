import { bind, documented } from '../../http/handlers.ts'
import { seatsContract, seatsDocumentation } from './contract.ts'
import type { Seats } from './service.ts'

export const seatsRoutes = (seats: Seats) =>
  bind(documented(seatsContract, seatsDocumentation), { seats: (_principal, { query }) => seats.list(query) })
