import type { Db } from '../core/database.ts'
import * as members from './members/store.ts'
import { isAllowed, type RoleTable, splitRoles } from './rules.ts'
import { listNamed, type NamedRow } from './store.ts'

/** Where a user stands in an organization, as tokens say it. */
export interface OrganizationStanding {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly logo: string | null
  readonly roles: readonly string[]
}

/** What other features ask about memberships. Where organizations are off, nobody belongs to any. */
export interface Memberships {
  /** An organization, named by id or slug, with roles and ids of teams; undefined when the user does not belong to it. One query. */
  claimsOf(
    db: Db,
    userId: string,
    idOrSlug: string,
  ): Promise<(OrganizationStanding & { readonly teamIds: readonly string[] }) | undefined>
  /** The organizations of a user, longest a member first, at most 1000. One query. */
  listOf(db: Db, userId: string): Promise<readonly OrganizationStanding[]>
  /** True when the user belongs to the organization and one of their roles may see what it has paid for. */
  mayReadBilling(db: Db, userId: string, organizationId: string): Promise<boolean>
}

interface Settings {
  readonly enabled: boolean
  readonly teamsEnabled: boolean
}

const standing = ({ role, ...named }: NamedRow): OrganizationStanding => ({ ...named, roles: [...splitRoles(role)] })

export const createMemberships = (roles: RoleTable, { enabled, teamsEnabled }: Settings): Memberships => ({
  claimsOf: async (db, userId, idOrSlug) => {
    const own = enabled ? await members.findWithTeams(db, userId, { id: idOrSlug, slug: idOrSlug }) : undefined
    if (own === undefined) return undefined
    const { id, slug, name, logo } = own.organization
    return { ...standing({ id, slug, name, logo, role: own.member.role }), teamIds: teamsEnabled ? own.teamIds : [] }
  },
  listOf: async (db, userId) => (enabled ? (await listNamed(db, userId, 1000)).map(standing) : []),
  mayReadBilling: async (db, userId, organizationId) => {
    const own = enabled ? await members.findMembership(db, organizationId, userId) : undefined
    return own !== undefined && isAllowed(roles, splitRoles(own.role), 'billing', 'read')
  },
})
