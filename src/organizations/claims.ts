import type { ClaimSource } from '../core/claims.ts'
import type { Memberships } from './memberships.ts'

/** The organization of a sign-in and the user's membership in it (docs/claims.md). One statement. */
export const createOrganizationClaims = (memberships: Memberships, teamsEnabled: boolean): ClaimSource => ({
  scope: 'organizations',
  claims: ['org_id', 'org_slug', 'org_name', 'org_roles', ...(teamsEnabled ? ['org_teams'] : [])],
  claimsOf: async (db, { user, organizationId }) => {
    const own = organizationId === null ? undefined : await memberships.claimsOf(db, user.id, organizationId)
    // After a deletion the id may be the slug of another organization.
    if (own === undefined || own.id !== organizationId) return {}
    const attribute = (name: 'id' | 'slug' | 'name') => ({
      value: own[name],
      origins: [{ rule: `organization.${name}`, row: `organization ${own.id}` }],
    })
    return {
      org_id: attribute('id'),
      org_slug: attribute('slug'),
      org_name: attribute('name'),
      org_roles: { value: own.roles, origins: [{ rule: 'member.role', row: `member ${own.memberId}` }] },
      org_teams: { value: own.teamIds, origins: own.teamIds.map((id) => ({ rule: 'team membership', row: `team ${id}` })) },
    }
  },
})
