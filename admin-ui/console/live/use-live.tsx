import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { useAddTexts } from '../../shared/text.tsx'
import { useConsole, usePermission } from '../api.ts'

/** Delay between the first data of a page and the connection to the event stream, in milliseconds. */
const beginMs = 2_000

/**
 * Keeps screens up to date with the server's events, for people who may read events. The code and the connection start only after the
 * page has loaded.
 */
export const useLive = (): void => {
  const { api, stay } = useConsole()
  const { isAllowed } = usePermission('events:read')
  const client = useQueryClient()
  const addTexts = useAddTexts()
  /** The code and the texts of the notification are loaded before it is rendered, so it needs no loading state. */
  const onExports = useEffectEvent(async (ids: readonly string[]) => {
    const [{ ExportNews }] = await Promise.all([import('../history/export-news.tsx'), addTexts('consoleHistory')])
    stay((leave) => <ExportNews ids={ids} onLeave={leave} />)
  })
  useEffect(() => {
    if (!isAllowed) return
    let stop: (() => void) | undefined
    let isLeft = false
    // If the code does not load, there is no notification, but the list of exports still shows the result.
    const tell = (ids: readonly string[]) => void onExports(ids).catch(() => undefined)
    const begin = async () => {
      const { startLive } = await import('./start.ts')
      if (!isLeft) stop = startLive(api, client, tell)
    }
    // If the code cannot be loaded, screens keep the data that they had when they were opened.
    const timer = setTimeout(() => void begin().catch(() => undefined), beginMs)
    return () => {
      isLeft = true
      clearTimeout(timer)
      stop?.()
    }
  }, [api, client, isAllowed])
}
