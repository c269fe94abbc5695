import type { Permission } from '../access/permissions.ts'
import type { UserPrincipal } from '../access/principal.ts'
import type { Db, Tx } from '../core/db/database.ts'
import { organizationErrors } from './errors.ts'
import * as members from './members/store.ts'
import { allowsPermission, isAllowed, type Roles, type RoleTable, splitRoles } from './rules.ts'
import * as store from './store.ts'

/** Fields of a body or query that name an organization. */
export interface NamedOrganization {
  readonly organizationId?: string | undefined
  readonly organizationSlug?: string | undefined
}

/** The principal's membership with its roles: a resource of `can`. */
export interface Membership extends members.OwnRow {
  readonly roles: Roles
  allows(permission: Permission): boolean
}

/** The organization a call is about: named in it, else in its header, else the session's active one. A hint, never a right. */
export const organizationOf = (principal: UserPrincipal, named: NamedOrganization): store.OrganizationName | undefined => {
  if (named.organizationId !== undefined) return { id: named.organizationId }
  if (named.organizationSlug !== undefined) return { slug: named.organizationSlug }
  if (principal.organization !== undefined) return { id: principal.organization, slug: principal.organization }
  const active = principal.session.activeOrganizationId
  return active === null ? undefined : { id: active }
}

/** The same. Throws NO_ACTIVE_ORGANIZATION, or what the call says instead. */
export const requireOrganization = (
  principal: UserPrincipal,
  named: NamedOrganization,
  code: Parameters<typeof organizationErrors.error>[0] = 'NO_ACTIVE_ORGANIZATION',
): store.OrganizationName => {
  const name = organizationOf(principal, named)
  if (name === undefined) throw organizationErrors.error(code)
  return name
}

const withRoles = (table: RoleTable, own: members.OwnRow | undefined): Membership | undefined => {
  if (own === undefined) return undefined
  const roles = splitRoles(own.member.role)
  return { ...own, roles, allows: (permission) => allowsPermission(table, roles, permission) }
}

/** The principal's membership, for reading. Undefined for non-members and for unknown organizations alike. */
export const findMembership = async (
  db: Db,
  table: RoleTable,
  principal: UserPrincipal,
  name: store.OrganizationName,
): Promise<Membership | undefined> => withRoles(table, await members.findOwn(db, principal.user.id, name))

/** The principal's membership, for changing: the organization's row is locked until the transaction ends. */
export const lockMembership = async (
  tx: Tx,
  table: RoleTable,
  principal: UserPrincipal,
  name: store.OrganizationName,
): Promise<Membership | undefined> => {
  const id = await store.lockNamed(tx, name)
  return id === undefined ? undefined : withRoles(table, await members.findOwn(tx, principal.user.id, { id }))
}

/** A membership as tokens show it. */
export interface MembershipClaims {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly logo: string | null
  readonly roles: readonly string[]
}

/** Questions of other features about memberships. Where organizations are off, there are none. */
export interface Memberships {
  /** An organization, named by id or slug, with the user's member id, roles and ids of teams; undefined when the user does not belong to it. One query. */
  claimsOf(
    db: Db,
    userId: string,
    idOrSlug: string,
  ): Promise<(MembershipClaims & { readonly memberId: string; readonly teamIds: readonly string[] }) | undefined>
  /** The organizations of a user, longest a member first, at most 1000. One query. */
  listOf(db: Db, userId: string): Promise<readonly MembershipClaims[]>
  /** True when the user belongs to the organization and one of their roles may see what it has paid for. */
  canReadBilling(db: Db, userId: string, organizationId: string): Promise<boolean>
}

interface Settings {
  readonly enabled: boolean
  readonly teamsEnabled: boolean
}

const toClaims = ({ role, ...named }: store.NamedRow): MembershipClaims => ({ ...named, roles: [...splitRoles(role)] })

export const createMemberships = (roles: RoleTable, { enabled, teamsEnabled }: Settings): Memberships => ({
  claimsOf: async (db, userId, idOrSlug) => {
    const own = enabled ? await members.findWithTeams(db, userId, { id: idOrSlug, slug: idOrSlug }) : undefined
    if (own === undefined) return undefined
    const { id, slug, name, logo } = own.organization
    const claims = toClaims({ id, slug, name, logo, role: own.member.role })
    return { ...claims, memberId: own.member.id, teamIds: teamsEnabled ? own.teamIds : [] }
  },
  listOf: async (db, userId) => (enabled ? (await store.listNamed(db, userId, 1000)).map(toClaims) : []),
  canReadBilling: async (db, userId, organizationId) => {
    const own = enabled ? await members.findMembership(db, organizationId, userId) : undefined
    return own !== undefined && isAllowed(roles, splitRoles(own.role), 'billing', 'read')
  },
})
