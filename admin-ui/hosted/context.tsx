import { createContext, use, useEffect } from 'react'
import type { HostedApi } from '../shared/api.ts'
import type { Typed } from './early.ts'
import type { Resources } from './resources.ts'

/** The values that every hosted page has. */
export interface Hosted {
  readonly api: HostedApi
  readonly resources: Resources
  readonly path: string
  readonly query: URLSearchParams
  /** True if the page has requested the session. */
  readonly isSessionKnown: boolean
  /** The text typed into the server's form. Undefined if the server has written no form. */
  readonly typed: Typed | undefined
  /** True for a page that is shown inside another one, whose title stays. */
  readonly isPreview?: boolean
}

export const HostedContext = createContext<Hosted | undefined>(undefined)

export const useHosted = (): Hosted => {
  const hosted = use(HostedContext)
  if (hosted === undefined) throw new Error('a hosted page outside of HostedContext')
  return hosted
}

/** Sets the title of the browser's tab: the page, then the operator. */
export const useTitle = (title: string) => {
  const { resources, isPreview } = useHosted()
  const site = use(resources.siteName())
  useEffect(() => {
    if (isPreview !== true) document.title = `${title} · ${site}`
  }, [title, site, isPreview])
}
