import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useConsole, usePermission } from '../api.ts'

/** A page shows first what it was opened for. */
const beginMs = 2_000

/** Shows by itself what happens, to whoever may read events; code and connection come when the page is there. */
export const useLive = (): void => {
  const { api } = useConsole()
  const { isAllowed } = usePermission('events:read')
  const client = useQueryClient()
  useEffect(() => {
    if (!isAllowed) return
    let stop: (() => void) | undefined
    let isLeft = false
    const begin = async () => {
      const { startLive } = await import('./start.ts')
      if (!isLeft) stop = startLive(api, client)
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
