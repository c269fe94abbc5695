import { useQuery } from '@tanstack/react-query'
import { settingsContract } from '../../../src/settings/contract.ts'
import { useConsole } from '../api.ts'

/** All settings, as the node that answers the call has them. */
export const useSettings = () => {
  const { api } = useConsole()
  return useQuery(api.query(settingsContract, 'listSettings'))
}
