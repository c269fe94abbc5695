import type { MouseEvent, ReactNode } from 'react'
import { createContext, use, useEffect, useState } from 'react'
import type { Key } from '../../shared/i18n.ts'
import type { IconName } from '../../shared/icons.tsx'

interface Place {
  readonly path: string
  readonly icon: IconName
  readonly title: Extract<Key, `account.${string}`>
  readonly hint: Extract<Key, `account.${string}.hint`>
  /** True when there are paths below it, which it decides about itself. */
  readonly hasMore?: true
}

/** The sections of the account area, in the order in which they are offered. */
export const places = {
  profile: { path: '/account/profile', icon: 'person', title: 'account.profile', hint: 'account.profile.hint' },
  email: { path: '/account/email', icon: 'mail', title: 'account.email', hint: 'account.email.hint' },
  password: { path: '/account/password', icon: 'lock', title: 'account.password', hint: 'account.password.hint' },
  linked: { path: '/account/linked', icon: 'link', title: 'account.linked', hint: 'account.linked.hint' },
  devices: { path: '/account/devices', icon: 'device', title: 'account.devices', hint: 'account.devices.hint' },
  organizations: {
    path: '/account/organizations',
    icon: 'building',
    title: 'account.organizations',
    hint: 'account.organizations.hint',
    hasMore: true,
  },
  delete: { path: '/account/delete', icon: 'bin', title: 'account.delete', hint: 'account.delete.hint' },
} as const satisfies Readonly<Record<string, Place>>

export type PlaceName = keyof typeof places
/** `overview` is `/account` itself. */
export type Here = PlaceName | 'overview'

export const overviewPath = '/account'

/** The section of a path; undefined for a path that is none. */
export const placeOf = (path: string): Here | undefined => {
  const plain = path.replace(/(?<!\/)\/+$/, '')
  if (plain === overviewPath) return 'overview'
  const names = Object.keys(places) as PlaceName[]
  return names.find((name) => {
    const place: Place = places[name]
    return plain === place.path || (place.hasMore === true && plain.startsWith(`${place.path}/`))
  })
}

interface Walk {
  readonly path: string
  readonly query: URLSearchParams
  /** True once the person has gone from one section to another: the new one then takes the keyboard's focus. */
  readonly hasMoved: boolean
  /** `replace`: the path that is left does not come back with the browser's back button, because it is no more. */
  readonly go: (path: string, how?: 'replace') => void
}

/** Where in the account area the person is. Sections change without loading the page anew; each has an address of its own. */
export const useWalk = (): Walk => {
  const [at, setAt] = useState({ path: location.pathname, query: new URLSearchParams(location.search), hasMoved: false })
  const arrive = () => setAt({ path: location.pathname, query: new URLSearchParams(location.search), hasMoved: true })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only setters are used.
  useEffect(() => {
    addEventListener('popstate', arrive)
    return () => removeEventListener('popstate', arrive)
  }, [])
  return {
    ...at,
    go: (path, how) => {
      if (how === 'replace') history.replaceState(null, '', path)
      else history.pushState(null, '', path)
      scrollTo(0, 0)
      arrive()
    },
  }
}

export const GoContext = createContext<Walk['go']>(() => undefined)

/** Goes to another path of the account area. */
export const useGo = () => use(GoContext)

interface PlaceLinkProps {
  readonly path: string
  readonly className: string
  readonly isCurrent?: boolean
  readonly children: ReactNode
}

/** A link within the account area. With a modifier key it is an ordinary link. */
export const PlaceLink = ({ path, className, isCurrent = false, children }: PlaceLinkProps) => {
  const go = useGo()
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return
    event.preventDefault()
    go(path)
  }
  return (
    <a className={className} href={path} aria-current={isCurrent ? 'page' : undefined} onClick={follow}>
      {children}
    </a>
  )
}
