import type { Contract, WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import type { ChangeParts } from '../api.ts'
import { useConsole } from '../api.ts'
import { useNotify } from './use-notify.ts'
import { useRefresh } from './use-refresh.ts'

/** `isLeaving` is true if the change deletes what the screen shows. The caller then goes to another screen. */
interface ChangeOptions {
  readonly isLeaving?: boolean
}

/** Returns a function that makes a change, shows a notification and refreshes the affected data. It throws `ApiError`, which the form shows. */
export const useChange = <C extends Contract, K extends keyof C & string>(
  contract: C,
  name: K,
  done?: string,
  options: ChangeOptions = {},
) => {
  const { api } = useConsole()
  const refresh = useRefresh()
  const notify = useNotify()
  return async (input: ChangeParts): Promise<Answer<WireApi<C>[K]>> => {
    const result = await api.call(contract, name, input)
    await refresh(options)
    if (done !== undefined) notify(done)
    return result
  }
}
