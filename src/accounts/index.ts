import type { Feature } from '../feature.ts'
import { accountErrors } from './errors.ts'
import { createIdentities, type Identities, type Identity, type ProviderTokens, type SealedTokens } from './identities/service.ts'
import { accountRoutes } from './routes.ts'
import { type Accounts, createAccounts, type NewAccount, type PreparedAccount } from './service.ts'

export type { Accounts, Identities, Identity, NewAccount, PreparedAccount, ProviderTokens, SealedTokens }

export const accountsFeature = (
  deps: Parameters<typeof createAccounts>[0],
): Feature & { api: Accounts; identities: Identities } => {
  const api = createAccounts(deps)
  return { api, identities: createIdentities(deps), routes: accountRoutes(api), errors: accountErrors.table }
}
