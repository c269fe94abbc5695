import { bind, documented } from '../http/handlers.ts'
import { statisticsContract } from './contract.ts'
import { statisticsDocumentation } from './documentation.ts'
import type { Statistics } from './service.ts'

/** The numbers of each day, for operators. */
export const statisticsRoutes = (statistics: Statistics) =>
  bind(documented(statisticsContract, statisticsDocumentation), {
    statistics: (principal, { query }) => statistics.read(principal, query),
  })
