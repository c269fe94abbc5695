import { createContext, use, useEffect } from 'react'
import type { HostedApi } from '../shared/api.ts'
import type { Resources } from './resources.ts'

/** What every hosted page is given. */
export interface Hosted {
  readonly api: HostedApi
  readonly resources: Resources
  readonly path: string
  readonly query: URLSearchParams
}

export const HostedContext = createContext<Hosted | undefined>(undefined)

export const useHosted = (): Hosted => {
  const hosted = use(HostedContext)
  if (hosted === undefined) throw new Error('a hosted page outside of HostedContext')
  return hosted
}

/** Names the browser's tab: the page, then the place. */
export const useTitle = (title: string) => {
  const { resources } = useHosted()
  const site = use(resources.siteName())
  useEffect(() => {
    document.title = `${title} · ${site}`
  }, [title, site])
}
