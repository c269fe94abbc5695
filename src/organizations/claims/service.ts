import type { ClaimSource, Memberships } from '../../oidc/index.ts'
import { splitRoles } from '../rules.ts'
import { findMemberFacts, findOwn, listOwn } from './store.ts'

/** What applications learn of the organization that somebody signs in for: the scope `organizations` (docs/claims.md). */
export const createOrganizationClaims = ({ teamsEnabled }: { readonly teamsEnabled: boolean }): ClaimSource => ({
  scope: 'organizations',
  claims: ['org_id', 'org_slug', 'org_name', 'org_roles', ...(teamsEnabled ? ['org_teams'] : [])],
  claimsOf: async (db, { userId, organizationId }) => {
    const member = organizationId === null ? undefined : await findMemberFacts(db, organizationId, userId)
    if (member === undefined) return {}
    const { id, slug, name, role, teams } = member
    return { org_id: id, org_slug: slug, org_name: name, org_roles: [...splitRoles(role)], org_teams: teams }
  },
})

/** The organizations somebody can sign in for. */
export const memberships: Memberships = { find: findOwn, list: listOwn }
