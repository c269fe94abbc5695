import { useQueryClient } from '@tanstack/react-query'
import { useConsole } from '../api.ts'
import { settle } from './live.ts'

/**
 * Refreshes the data on the screen that this page's changes affect. Affected data of other screens is requested when it is shown again.
 * With `isLeaving` nothing is requested at once, because another screen follows.
 */
export const useRefresh = () => {
  const { api } = useConsole()
  const client = useQueryClient()
  return async ({ isLeaving = false } = {}): Promise<void> => {
    const made = api.takeMade()
    settle()
    // If this code does not load, the affected data is unknown, so everything is refreshed.
    const code = await import('../live/matches.ts').catch(() => undefined)
    const touched = code && made.map(({ target, input, answer }) => code.touchedByCall(target, input, answer))
    await client.invalidateQueries({
      predicate: ({ queryKey, state: { data } }) => touched?.some((one) => code?.isAffected({ queryKey, data }, one)) ?? true,
      refetchType: isLeaving ? 'none' : 'active',
    })
  }
}
