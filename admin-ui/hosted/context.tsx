import { createContext, use, useEffect } from 'react'
import type { HostedApi } from '../shared/api.ts'
import type { Typed } from './early.ts'
import type { Resources } from './resources.ts'

/** What every hosted page can read from its context. */
export interface Hosted {
  readonly api: HostedApi
  readonly resources: Resources
  readonly path: string
  readonly query: URLSearchParams
  /** True if the server was asked for the session, or wrote it into the page. */
  readonly isSessionKnown: boolean
  /** Access to what the person has typed into the form that the server wrote. Undefined if the server wrote no form. */
  readonly typed: Typed | undefined
  /** True if the page is shown as a preview inside another page. The browser tab then keeps its title. */
  readonly isPreview?: boolean
}

export const HostedContext = createContext<Hosted | undefined>(undefined)

export const useHosted = (): Hosted => {
  const hosted = use(HostedContext)
  if (hosted === undefined) throw new Error('a hosted page outside of HostedContext')
  return hosted
}

/** Sets the title of the browser tab: the name of the page, followed by the operator's name. */
export const useTitle = (title: string) => {
  const { resources, isPreview } = useHosted()
  const site = use(resources.siteName())
  useEffect(() => {
    if (isPreview !== true) document.title = `${title} · ${site}`
  }, [title, site, isPreview])
}
