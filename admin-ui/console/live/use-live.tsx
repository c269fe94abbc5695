import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { useAddTexts } from '../../shared/text.tsx'
import { useConsole, usePermission } from '../api.ts'

/** Delay between the first data of a page and the connection, in milliseconds. */
const beginMs = 2_000

/** Shows events as they happen to people who may read them. Its code and its connection start after the page has loaded. */
export const useLive = (): void => {
  const { api, stay } = useConsole()
  const { isAllowed } = usePermission('events:read')
  const client = useQueryClient()
  const addTexts = useAddTexts()
  /** The notification is rendered without a fallback, because its code and texts are loaded first. */
  const onExports = useEffectEvent(async (ids: readonly string[]) => {
    const [{ ExportNews }] = await Promise.all([import('../history/export-news.tsx'), addTexts('consoleHistory')])
    stay((leave) => <ExportNews ids={ids} onLeave={leave} />)
  })
  useEffect(() => {
    if (!isAllowed) return
    let stop: (() => void) | undefined
    let isLeft = false
    // Without the code there is no notification, but the list of exports still shows the result.
    const tell = (ids: readonly string[]) => void onExports(ids).catch(() => undefined)
    const begin = async () => {
      const { startLive } = await import('./start.ts')
      if (!isLeft) stop = startLive(api, client, tell)
    }
    // If the code cannot be loaded, screens keep the data from the time when they were opened.
    const timer = setTimeout(() => void begin().catch(() => undefined), beginMs)
    return () => {
      isLeft = true
      clearTimeout(timer)
      stop?.()
    }
  }, [api, client, isAllowed])
}
