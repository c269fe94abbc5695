import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { useAddTexts } from '../../shared/text.tsx'
import { useConsole, usePermission } from '../api.ts'

/** A page shows first what it was opened for. */
const beginMs = 2_000

/** Shows by itself what happens, to whoever may read events; code and connection come when the page is there. */
export const useLive = (): void => {
  const { api, stay } = useConsole()
  const { isAllowed } = usePermission('events:read')
  const client = useQueryClient()
  const addTexts = useAddTexts()
  /** Nothing stands around what stays beside the screens: its code is there before it is shown. */
  const onExports = useEffectEvent(async (ids: readonly string[]) => {
    const [{ ExportNews }] = await Promise.all([import('../history/export-news.tsx'), addTexts('consoleHistory')])
    stay((leave) => <ExportNews ids={ids} onLeave={leave} />)
  })
  useEffect(() => {
    if (!isAllowed) return
    let stop: (() => void) | undefined
    let isLeft = false
    // Without its code nothing is said: exports are seen where they are.
    const tell = (ids: readonly string[]) => void onExports(ids).catch(() => undefined)
    const begin = async () => {
      const { startLive } = await import('./start.ts')
      if (!isLeft) stop = startLive(api, client, tell)
    }
    // When the code cannot be loaded, the screens stay as they were when they were opened.
    const timer = setTimeout(() => void begin().catch(() => undefined), beginMs)
    return () => {
      isLeft = true
      clearTimeout(timer)
      stop?.()
    }
  }, [api, client, isAllowed])
}
