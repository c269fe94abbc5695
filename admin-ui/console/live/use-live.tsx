import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useEffectEvent } from 'react'
import { useConsole, usePermission } from '../api.ts'
import { useLater } from '../shared/use-later.ts'

/** A page shows first what it was opened for. */
const beginMs = 2_000

/** Shows by itself what happens, to whoever may read events; code and connection come when the page is there. */
export const useLive = (): void => {
  const { api, stay } = useConsole()
  const { isAllowed } = usePermission('events:read')
  const client = useQueryClient()
  const ExportNews = useLater(() => import('../history/export-news.tsx').then((file) => file.ExportNews), 'consoleHistory')
  const onExports = useEffectEvent((ids: readonly string[]) =>
    stay((leave) => (
      <Suspense fallback={null}>
        <ExportNews ids={ids} onLeave={leave} />
      </Suspense>
    )),
  )
  useEffect(() => {
    if (!isAllowed) return
    let stop: (() => void) | undefined
    let isLeft = false
    const begin = async () => {
      const { startLive } = await import('./start.ts')
      if (!isLeft) stop = startLive(api, client, (ids) => onExports(ids))
    }
    // Without the code the screens are as they were when they were opened.
    const timer = setTimeout(() => void begin().catch(() => undefined), beginMs)
    return () => {
      isLeft = true
      clearTimeout(timer)
      stop?.()
    }
  }, [api, client, isAllowed])
}
