import { createContext, use } from 'react'
import type { SessionAnswer, Settings } from '../../shared/api.ts'
import type { LoadState } from '../../shared/loading.tsx'
import type { FactorStatus } from '../../shared/proof/ways.ts'

/** The session and user of the account area. */
export interface AccountState extends SessionAnswer {
  readonly settings: Settings
  /** The second factors of the user, and whether one is required. */
  readonly secondFactors: LoadState<FactorStatus>
  /** Reloads the session and user. */
  readonly refresh: () => Promise<void>
}

export const AccountContext = createContext<AccountState | undefined>(undefined)

export const useAccount = (): AccountState => {
  const account = use(AccountContext)
  if (account === undefined) throw new Error('an account section outside of AccountContext')
  return account
}
