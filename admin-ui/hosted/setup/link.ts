import { setupContract } from '../../../src/setup/contract.ts'
import type { HostedApi } from '../../shared/api.ts'
import { takeToken } from '../token.ts'

export interface SetupLink {
  readonly token: string
  readonly valid: boolean
  readonly administratorExists: boolean
}

/** The setup link that the page was opened with, and whether it still works. */
export const loadSetupLink = async (api: HostedApi, query: URLSearchParams): Promise<SetupLink | 'none'> => {
  const token = takeToken('/setup', query)
  return token === undefined ? 'none' : { token, ...(await api.of(setupContract).check({ body: { token } })) }
}
