import { sectionRoutes } from '../account/navigation.tsx'

export const tabs = ['overview', 'members', 'invitations', 'teams', 'settings'] as const
export type Tab = (typeof tabs)[number]

/** A page of organizations in the account area, as its path below `/account/organizations` names it. */
export type OrganizationRoute =
  | { readonly at: 'list' | 'new' }
  | { readonly at: 'organization'; readonly slug: string; readonly tab: Tab; readonly teamId?: string }

export const listPath = sectionRoutes.organizations.path
export const newPath = `${listPath}/new`

export const organizationPath = (slug: string, tab: Tab = 'overview'): string =>
  `${listPath}/${encodeURIComponent(slug)}${tab === 'overview' ? '' : `/${tab}`}`

export const teamPath = (slug: string, teamId: string): string =>
  `${organizationPath(slug, 'teams')}/${encodeURIComponent(teamId)}`

const decode = (segment: string) => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Parses a path of the account area's organization pages. Undefined for an unknown path. */
export const organizationRouteOf = (path: string): OrganizationRoute | undefined => {
  const [slug, tab = 'overview', teamId, ...more] = path.slice(listPath.length).split('/').filter(Boolean).map(decode)
  if (slug === undefined) return { at: 'list' }
  if (slug === 'new') return tab === 'overview' ? { at: 'new' } : undefined
  const known = tabs.find((name) => name === tab)
  if (known === undefined || more.length > 0) return undefined
  if (teamId === undefined) return { at: 'organization', slug, tab: known }
  return known === 'teams' ? { at: 'organization', slug, tab: known, teamId } : undefined
}
