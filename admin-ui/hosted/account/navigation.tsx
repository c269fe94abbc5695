import type { MouseEvent, ReactNode } from 'react'
import { createContext, use, useEffect, useState } from 'react'
import { signInMethodsPath } from '../../shared/account-paths.ts'
import type { Key } from '../../shared/i18n.ts'
import type { IconName } from '../../shared/icons.tsx'

interface SectionRoute {
  readonly path: string
  readonly icon: IconName
  readonly title: Extract<Key, `account.${string}`>
  readonly hint: Extract<Key, `account.${string}.hint`>
  /** True if the section also handles the paths below its own path. */
  readonly hasMore?: true
}

/** The sections of the account area, in their order. */
export const sectionRoutes = {
  profile: { path: '/account/profile', icon: 'person', title: 'account.profile', hint: 'account.profile.hint' },
  email: { path: '/account/email', icon: 'mail', title: 'account.email', hint: 'account.email.hint' },
  password: { path: '/account/password', icon: 'lock', title: 'account.password', hint: 'account.password.hint' },
  signInMethods: { path: signInMethodsPath, icon: 'link', title: 'account.signInMethods', hint: 'account.signInMethods.hint' },
  devices: { path: '/account/devices', icon: 'device', title: 'account.devices', hint: 'account.devices.hint' },
  applications: {
    path: '/account/applications',
    icon: 'apps',
    title: 'account.applications',
    hint: 'account.applications.hint',
  },
  organizations: {
    path: '/account/organizations',
    icon: 'building',
    title: 'account.organizations',
    hint: 'account.organizations.hint',
    hasMore: true,
  },
  delete: { path: '/account/delete', icon: 'bin', title: 'account.delete', hint: 'account.delete.hint' },
} as const satisfies Readonly<Record<string, SectionRoute>>

export type SectionName = keyof typeof sectionRoutes
/** The section that is shown. `overview` stands for the page `/account` itself. */
export type CurrentSection = SectionName | 'overview'

export const overviewPath = '/account'

/** The section that a path belongs to. Undefined for an unknown path. */
export const sectionOf = (path: string): CurrentSection | undefined => {
  const plain = path.replace(/(?<!\/)\/+$/, '')
  if (plain === overviewPath) return 'overview'
  const names = Object.keys(sectionRoutes) as SectionName[]
  return names.find((name) => {
    const route: SectionRoute = sectionRoutes[name]
    return plain === route.path || (route.hasMore === true && plain.startsWith(`${route.path}/`))
  })
}

interface Navigation {
  readonly path: string
  readonly query: URLSearchParams
  /** True after the person has changed the section for the first time. From then on, the heading of an opened section takes the focus. */
  readonly hasNavigated: boolean
  /** Goes to a path. With `replace`, the present path is removed from the browser's history, because it no longer exists. */
  readonly navigate: (path: string, mode?: 'replace') => void
}

/** The present path within the account area. Going to another section changes the address, but does not load the page again. */
export const useNavigation = (): Navigation => {
  const [current, setCurrent] = useState({
    path: location.pathname,
    query: new URLSearchParams(location.search),
    hasNavigated: false,
  })
  const update = () => setCurrent({ path: location.pathname, query: new URLSearchParams(location.search), hasNavigated: true })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only setters are used.
  useEffect(() => {
    addEventListener('popstate', update)
    return () => removeEventListener('popstate', update)
  }, [])
  return {
    ...current,
    navigate: (path, mode) => {
      if (mode === 'replace') history.replaceState(null, '', path)
      else history.pushState(null, '', path)
      scrollTo(0, 0)
      update()
    },
  }
}

export const NavigateContext = createContext<Navigation['navigate']>(() => undefined)

/** Returns the function that goes to another path of the account area. */
export const useNavigate = () => use(NavigateContext)

interface AccountLinkProps {
  readonly path: string
  readonly className: string
  readonly isCurrent?: boolean
  /** A longer accessible name, for a link whose visible text does not say enough. It begins with the visible text. */
  readonly name?: string
  readonly children: ReactNode
}

/** A link within the account area. With a modifier key it opens a new tab or window, like any link. */
export const AccountLink = ({ path, className, isCurrent = false, name, children }: AccountLinkProps) => {
  const navigate = useNavigate()
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return
    event.preventDefault()
    navigate(path)
  }
  return (
    <a className={className} href={path} aria-label={name} aria-current={isCurrent ? 'page' : undefined} onClick={follow}>
      {children}
    </a>
  )
}
