import { bind, documented } from '../../http/handlers.ts'
import { logoutContract, logoutDocumentation } from './contract.ts'
import type { Logouts } from './service.ts'

export const logoutRoutes = (logouts: Logouts) =>
  bind(documented(logoutContract, logoutDocumentation), {
    listLogoutNotices: (principal, { query }) => logouts.list(principal, query),
  })
