import { useQueryClient } from '@tanstack/react-query'
import type { Contract, WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import type { ChangeParts } from '../api.ts'
import { useConsole } from '../api.ts'
import { settle } from './live.ts'
import { useNotify } from './use-notify.ts'

/** Makes a change and says that it was made; what is on the screen is asked for anew. Throws `ApiError`, which the form shows. */
export const useChange = <C extends Contract, K extends keyof C & string>(contract: C, name: K, done?: string) => {
  const { api } = useConsole()
  const client = useQueryClient()
  const notify = useNotify()
  return async (input: ChangeParts): Promise<Answer<WireApi<C>[K]>> => {
    const result = await api.call(contract, name, input)
    settle()
    await client.invalidateQueries()
    if (done !== undefined) notify(done)
    return result
  }
}
