import { useQueryClient } from '@tanstack/react-query'
import { useConsole } from '../api.ts'
import { settle } from './live.ts'

/**
 * Returns a function that refreshes the displayed data which this page's own changes may have affected. Data of other screens is
 * requested when these screens are opened again. With `isLeaving`, nothing is requested immediately, because the page is going to another
 * screen.
 */
export const useRefresh = () => {
  const { api } = useConsole()
  const client = useQueryClient()
  return async ({ isLeaving = false } = {}): Promise<void> => {
    const made = api.takeMade()
    settle()
    // This code finds the affected data. If it does not load, all data is refreshed.
    const code = await import('../live/matches.ts').catch(() => undefined)
    const touched = code && made.map(({ target, input, answer }) => code.touchedByCall(target, input, answer))
    await client.invalidateQueries({
      predicate: ({ queryKey, state: { data } }) => touched?.some((one) => code?.isAffected({ queryKey, data }, one)) ?? true,
      refetchType: isLeaving ? 'none' : 'active',
    })
  }
}
