import { createContext, use } from 'react'
import type { SessionAnswer, Settings } from '../../shared/api.ts'
import type { LoadState } from '../../shared/loading.tsx'
import type { FactorStatus } from '../../shared/proof/ways.ts'

/** The session and the user whose account the account area shows. */
export interface AccountState extends SessionAnswer {
  readonly settings: Settings
  /** The user's second factors, and whether the user needs one. */
  readonly secondFactors: LoadState<FactorStatus>
  /** Loads session and user again. */
  readonly refresh: () => Promise<void>
}

export const AccountContext = createContext<AccountState | undefined>(undefined)

export const useAccount = (): AccountState => {
  const account = use(AccountContext)
  if (account === undefined) throw new Error('an account section outside of AccountContext')
  return account
}
