import type { Feature } from '../feature.ts'
import { accountErrors } from './errors.ts'
import { accountRoutes } from './routes.ts'
import { type Accounts, createAccounts, type NewAccount, type PreparedAccount } from './service.ts'

export type { Accounts, NewAccount, PreparedAccount }

export const accountsFeature = (deps: Parameters<typeof createAccounts>[0]): Feature & { api: Accounts } => {
  const api = createAccounts(deps)
  return { api, routes: accountRoutes(api), errors: accountErrors.table }
}
