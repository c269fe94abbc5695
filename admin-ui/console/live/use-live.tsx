import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { useAddTexts } from '../../shared/text.tsx'
import { useConsole, usePermission } from '../api.ts'

/** Delay after the first data of a page. */
const beginMs = 2_000

/** Shows events as they happen to people who may read them; code and connection follow the page. */
export const useLive = (): void => {
  const { api, stay } = useConsole()
  const { isAllowed } = usePermission('events:read')
  const client = useQueryClient()
  const addTexts = useAddTexts()
  /** Shown beside the screens without a fallback, since its code is loaded before. */
  const onExports = useEffectEvent(async (ids: readonly string[]) => {
    const [{ ExportNews }] = await Promise.all([import('../history/export-news.tsx'), addTexts('consoleHistory')])
    stay((leave) => <ExportNews ids={ids} onLeave={leave} />)
  })
  useEffect(() => {
    if (!isAllowed) return
    let stop: (() => void) | undefined
    let isLeft = false
    // Without its code there is no notification; the list of exports shows the result.
    const tell = (ids: readonly string[]) => void onExports(ids).catch(() => undefined)
    const begin = async () => {
      const { startLive } = await import('./start.ts')
      if (!isLeft) stop = startLive(api, client, tell)
    }
    // If the code cannot be loaded, the screens show the data from when they were opened.
    const timer = setTimeout(() => void begin().catch(() => undefined), beginMs)
    return () => {
      isLeft = true
      clearTimeout(timer)
      stop?.()
    }
  }, [api, client, isAllowed])
}
