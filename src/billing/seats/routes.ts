import { bind, documented } from '../../http/handlers.ts'
import { seatsContract } from './contract.ts'
import { seatsDocumentation } from './documentation.ts'
import type { Seats } from './service.ts'

export const seatsRoutes = (seats: Seats) =>
  bind(documented(seatsContract, seatsDocumentation), { seats: (_principal, { query }) => seats.list(query) })
