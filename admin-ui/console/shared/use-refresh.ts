import { useQueryClient } from '@tanstack/react-query'
import { useConsole } from '../api.ts'
import { settle } from './live.ts'

/**
 * Asks anew for what the changes of this page affect, as far as it is on the screen; the rest is asked for when it is shown. `isLeaving`: nothing at
 * once, because another screen comes.
 */
export const useRefresh = () => {
  const { api } = useConsole()
  const client = useQueryClient()
  return async ({ isLeaving = false } = {}): Promise<void> => {
    const made = api.takeMade()
    settle()
    // Without its code nothing says what is affected: everything may be.
    const code = await import('../live/matches.ts').catch(() => undefined)
    const touched = code && made.map(({ target, input, answer }) => code.touchedByCall(target, input, answer))
    await client.invalidateQueries({
      predicate: ({ queryKey, state: { data } }) => touched?.some((one) => code?.isAffected({ queryKey, data }, one)) ?? true,
      refetchType: isLeaving ? 'none' : 'active',
    })
  }
}
