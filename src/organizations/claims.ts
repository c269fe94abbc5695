import type { Db } from '../core/database.ts'
import type { Memberships } from './memberships.ts'

/** What applications learn of the organization that somebody signs in for: a claim source of `oidc` (docs/claims.md). */
export const createOrganizationClaims = (memberships: Memberships, teamsEnabled: boolean) => ({
  scope: 'organizations',
  claims: ['org_id', 'org_slug', 'org_name', 'org_roles', ...(teamsEnabled ? ['org_teams'] : [])],
  claimsOf: async (db: Db, subject: { readonly userId: string; readonly organizationId: string | null }) => {
    const { userId, organizationId } = subject
    const own = organizationId === null ? undefined : await memberships.claimsOf(db, userId, organizationId)
    // The id of an organization that is gone may be another one's slug by now.
    if (own === undefined || own.id !== organizationId) return {}
    return { org_id: own.id, org_slug: own.slug, org_name: own.name, org_roles: own.roles, org_teams: own.teamIds }
  },
})
