import type { ClaimSource } from '../core/claims.ts'
import type { Memberships } from './memberships.ts'

/**
 * The name of a team in the claim `groups`. Characters that separate groups in headers of proxies are encoded. Otherwise the name of a
 * team could pretend to be a group of another organization.
 */
const teamName = (name: string) => name.replace(/[%,;|]/g, encodeURIComponent)

/**
 * The claim `groups`: roles and teams in one list of names for proxies and Kubernetes, such as `acme:admin` and `acme:team:Design`
 * (docs/reference/claims.md). Each name begins with the organization, because anybody may create an organization and own it. The list is
 * empty if the user acts for no organization.
 */
export const createGroupClaims = (memberships: Memberships): ClaimSource => ({
  scope: 'groups',
  claims: ['groups'],
  claimsOf: async (db, { user, organizationId }) => {
    const own = organizationId === null ? undefined : await memberships.claimsOf(db, user.id, organizationId)
    if (own === undefined || own.id !== organizationId) return { groups: { value: [], origins: [] } }
    const teams = await memberships.teamsOf(db, own.id, own.teamIds)
    return {
      groups: {
        value: [
          ...own.roles.map((role) => `${own.slug}:${role}`),
          ...teams.map(({ name }) => `${own.slug}:team:${teamName(name)}`),
        ],
        origins: [
          { rule: 'member.role', row: `member ${own.memberId}` },
          ...teams.map(({ id }) => ({ rule: 'team membership', row: `team ${id}` })),
        ],
      },
    }
  },
})

/**
 * The claims about the organization that the user signed in for, and about the user's membership (docs/reference/claims.md). Reading them
 * takes one statement.
 */
export const createOrganizationClaims = (memberships: Memberships, teamsEnabled: boolean): ClaimSource => ({
  scope: 'organizations',
  claims: ['org_id', 'org_slug', 'org_name', 'org_roles', ...(teamsEnabled ? ['org_teams'] : [])],
  claimsOf: async (db, { user, organizationId }) => {
    const own = organizationId === null ? undefined : await memberships.claimsOf(db, user.id, organizationId)
    // The text may be the id of an organization that was deleted. If it is also the slug of another organization, that organization was
    // found.
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
  ofOrganization: async (db, organizationId) => {
    const found = await memberships.organizationOf(db, organizationId)
    if (found === undefined) return {}
    const attribute = (name: 'id' | 'slug' | 'name') => ({
      value: found[name],
      origins: [{ rule: `organization.${name}`, row: `organization ${found.id}` }],
    })
    return { org_id: attribute('id'), org_slug: attribute('slug'), org_name: attribute('name') }
  },
})
