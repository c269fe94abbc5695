import { can } from '../access/can.ts'
import { impersonationPermissions, type Permission } from '../access/permissions.ts'
import {
  isImpersonated,
  type OrganizationKeyPrincipal,
  type OrganizationPrincipal,
  type Principal,
  type UserPrincipal,
} from '../access/principal.ts'
import type { Db, Tx } from '../core/db/database.ts'
import { coreErrors } from '../core/errors.ts'
import { organizationErrors } from './errors.ts'
import * as members from './members/store.ts'
import { allowsPermission, type Roles, type RoleTable, splitRoles } from './rules.ts'
import { listTakenSeats, type TakenSeats } from './seats/store.ts'
import * as store from './store.ts'
import { listTeamsById } from './teams/store.ts'

/** The fields with which a body or query names an organization. `organizationId` contains an id or a slug. */
export interface NamedOrganization {
  readonly organizationId?: string | undefined
  readonly organizationSlug?: string | undefined
}

const isOrganizationKey = (principal: OrganizationPrincipal): principal is OrganizationKeyPrincipal =>
  principal.kind === 'api-key' && principal.owner === 'organization'

/** True for a session with two factors, and for an API key that was made in such a session. Also true for a principal that is not a person. */
export const hasTwoFactors = (principal: Principal): boolean => {
  if (principal.kind === 'user') return principal.session.factors >= 2
  return principal.kind !== 'api-key' || principal.factors >= 2
}

/**
 * Enforces the rule of an organization that requires a second factor. A session must have two factors. So must the session in which an
 * API key was made. An administrator who impersonates a member cannot act for the organization. Throws SECOND_FACTOR_REQUIRED.
 */
const requireFactors = (principal: OrganizationPrincipal, { requiresSecondFactor }: store.OrganizationRow): void => {
  if (requiresSecondFactor && !hasTwoFactors(principal)) throw coreErrors.error('SECOND_FACTOR_REQUIRED')
}

/** What a principal may do in an organization. It can be passed to `can` as the resource. */
export interface Membership {
  readonly organization: store.OrganizationRow
  /** The member's row. Undefined for an API key of the organization, because the key is not a member. */
  readonly member: members.MemberRow | undefined
  /** The roles of the member. Empty for API keys, because they have permissions and no roles. */
  readonly roles: Roles
  allows(permission: Permission): boolean
}

const ownOrganizationOf = (principal: Exclude<OrganizationPrincipal, UserPrincipal>) =>
  principal.owner === 'organization' ? principal.organizationId : null

/**
 * The organization that a call names: in a parameter, or else in the header, or else the active organization of the session, or else the
 * organization of the API key. It is only a hint and gives no permission. Undefined if there is none.
 */
export const organizationOf = (
  principal: OrganizationPrincipal,
  named: NamedOrganization,
): store.OrganizationName | undefined => {
  if (named.organizationId !== undefined) return { id: named.organizationId, slug: named.organizationId }
  if (named.organizationSlug !== undefined) return { slug: named.organizationSlug }
  if (principal.organization !== undefined) return { id: principal.organization, slug: principal.organization }
  const active = principal.kind === 'user' ? principal.session.activeOrganizationId : ownOrganizationOf(principal)
  return active === null ? undefined : { id: active }
}

/** The organization that a call names. If there is none, throws NO_ACTIVE_ORGANIZATION, or the error that the caller has passed. */
export const requireOrganization = (
  principal: OrganizationPrincipal,
  named: NamedOrganization,
  code: Parameters<typeof organizationErrors.error>[0] = 'NO_ACTIVE_ORGANIZATION',
): store.OrganizationName => {
  const name = organizationOf(principal, named)
  if (name === undefined) throw organizationErrors.error(code)
  return name
}

const membershipOf = (
  table: RoleTable,
  principal: OrganizationPrincipal,
  own: members.OwnRow | undefined,
): Membership | undefined => {
  if (own === undefined) return undefined
  requireFactors(principal, own.organization)
  const roles = splitRoles(own.member.role)
  // While an administrator impersonates the member, only the permissions in `impersonationPermissions` are allowed. `can` has the same
  // rule, but not every caller uses `can`.
  const byRoles = (permission: Permission) =>
    (!isImpersonated(principal) || impersonationPermissions.includes(permission)) && allowsPermission(table, roles, permission)
  if (principal.kind === 'user') return { ...own, roles, allows: byRoles }
  // A person's API key has only the permissions that both the key and the person have.
  return { ...own, roles: new Set(), allows: (permission) => principal.permissions.has(permission) && byRoles(permission) }
}

/**
 * What an organization's API key may do in the organization with this id. In the organization that owns the key, it has all of the key's
 * permissions. In any other organization it has none.
 */
const ofOrganizationKey = async (
  db: Db,
  principal: OrganizationKeyPrincipal,
  name: store.OrganizationName,
): Promise<Membership | undefined> => {
  const organization = await store.findOrganization(db, name)
  if (organization === undefined || organization.id !== principal.organizationId) return undefined
  return { organization, member: undefined, roles: new Set(), allows: (permission) => principal.permissions.has(permission) }
}

/**
 * The principal's membership, for a call that only reads. Undefined if the organization does not exist, or if the principal is not a
 * member. Throws SECOND_FACTOR_REQUIRED, as the other functions here do.
 */
export const findMembership = async (
  db: Db,
  table: RoleTable,
  principal: OrganizationPrincipal,
  name: store.OrganizationName,
): Promise<Membership | undefined> =>
  isOrganizationKey(principal)
    ? ofOrganizationKey(db, principal, name)
    : membershipOf(table, principal, await members.findOwn(db, principal.user.id, name))

/** The principal's membership, for a call that makes changes. Locks the row of the organization until the transaction ends. */
export const lockMembership = async (
  tx: Tx,
  table: RoleTable,
  principal: OrganizationPrincipal,
  name: store.OrganizationName,
): Promise<Membership | undefined> => {
  const id = await store.lockNamed(tx, name)
  return id === undefined ? undefined : findMembership(tx, table, principal, { id })
}

/** The principal's membership, for a session that makes the organization active. Locks the row of the membership until the transaction ends. */
export const lockOwnMembership = async (
  tx: Tx,
  table: RoleTable,
  principal: UserPrincipal,
  name: store.OrganizationName,
): Promise<Membership | undefined> => membershipOf(table, principal, await members.lockOwn(tx, principal.user.id, name))

/** True for a principal that can belong to organizations, or acts for one. */
export const isInOrganizations = (principal: Principal): principal is OrganizationPrincipal =>
  principal.kind === 'user' || (principal.kind === 'api-key' && principal.owner !== 'instance')

/** What claims in tokens say about a membership. */
export interface MembershipClaims {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly logo: string | null
  /** True if a token for this organization requires a sign-in with two factors. */
  readonly requiresSecondFactor: boolean
  readonly roles: readonly string[]
}

/** What other features can ask about organizations and their members. In an instance without organizations, all answers are empty. */
export interface Memberships {
  /** The id of the organization with this id or slug. If no organization has it, returns the given text. Takes one query. */
  idOf(db: Db, idOrSlug: string): Promise<string>
  /**
   * Finds an organization by id or slug, with the user's member id, roles and ids of teams. Undefined if the user is not a member. Takes
   * one query.
   */
  claimsOf(
    db: Db,
    userId: string,
    idOrSlug: string,
  ): Promise<(MembershipClaims & { readonly memberId: string; readonly teamIds: readonly string[] }) | undefined>
  /** The metadata of an organization, which operators and applications store. Empty for an unknown organization. Takes one query. */
  metadataOf(db: Db, id: string): Promise<Readonly<Record<string, unknown>>>
  /** Those of the given teams that belong to the organization, sorted by name. Empty in an instance without teams. Takes one query. */
  teamsOf(
    db: Db,
    organizationId: string,
    ids: readonly string[],
  ): Promise<readonly { readonly id: string; readonly name: string }[]>
  /** Finds an organization by its id. Takes one query. */
  organizationOf(db: Db, id: string): Promise<{ readonly id: string; readonly slug: string; readonly name: string } | undefined>
  /** True if members with these roles have the permission in their organization. Takes no query. */
  permits(roles: readonly string[], permission: Permission): boolean
  /** At most 1000 organizations of a user, the oldest membership first. Takes one query. */
  listOf(db: Db, userId: string): Promise<readonly MembershipClaims[]>
  /**
   * The id of the organization that the call or session names, if the principal has the permission there. Throws NO_ACTIVE_ORGANIZATION,
   * YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION and FORBIDDEN.
   */
  requireAllowed(db: Db, principal: OrganizationPrincipal, named: NamedOrganization, permission: Permission): Promise<string>
  /** For each of these organizations, how many seats are taken. Takes one query. */
  seatsTaken(db: Db, organizationIds: readonly string[], now: Date): Promise<readonly TakenSeats[]>
  /** Those of the given users who are members of the organization. */
  membersAmong(db: Db, organizationId: string, userIds: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * What the principal may do in an organization, which is named by id or slug. The result can be passed to `can` as the resource.
   * Undefined if the principal is not a member.
   */
  find(db: Db, principal: OrganizationPrincipal, idOrSlug: string): Promise<AllowedIn | undefined>
  /** Like `find`, but also locks the organization until the transaction ends. */
  lock(tx: Tx, principal: OrganizationPrincipal, idOrSlug: string): Promise<AllowedIn | undefined>
}

/** An organization, and what a principal may do in it. */
export interface AllowedIn {
  readonly organizationId: string
  allows(permission: Permission): boolean
}

interface Settings {
  readonly enabled: boolean
  readonly teamsEnabled: boolean
}

const toClaims = ({ role, ...named }: store.NamedRow): MembershipClaims => ({ ...named, roles: [...splitRoles(role)] })

const allowedIn = (membership: Membership | undefined): AllowedIn | undefined =>
  membership && { organizationId: membership.organization.id, allows: membership.allows }

export const createMemberships = (roles: RoleTable, { enabled, teamsEnabled }: Settings): Memberships => ({
  idOf: async (db, idOrSlug) =>
    enabled ? ((await store.findOrganization(db, { id: idOrSlug, slug: idOrSlug }))?.id ?? idOrSlug) : idOrSlug,
  seatsTaken: listTakenSeats,
  claimsOf: async (db, userId, idOrSlug) => {
    const own = enabled ? await members.findWithTeams(db, userId, { id: idOrSlug, slug: idOrSlug }) : undefined
    if (own === undefined) return undefined
    const { id, slug, name, logo, requiresSecondFactor } = own.organization
    const claims = toClaims({ id, slug, name, logo, requiresSecondFactor, role: own.member.role })
    return { ...claims, memberId: own.member.id, teamIds: teamsEnabled ? own.teamIds : [] }
  },
  metadataOf: async (db, id) => (enabled ? ((await store.findOrganization(db, { id }))?.metadata ?? {}) : {}),
  teamsOf: async (db, organizationId, ids) =>
    (await listTeamsById(db, organizationId, ids)).sort((a, b) => (a.name < b.name ? -1 : 1)),
  organizationOf: async (db, id) => (enabled ? store.findOrganization(db, { id }) : undefined),
  permits: (held, permission) => allowsPermission(roles, new Set(held), permission),
  listOf: async (db, userId) => (enabled ? (await store.listNamed(db, userId, 1000)).map(toClaims) : []),
  find: async (db, principal, idOrSlug) =>
    enabled ? allowedIn(await findMembership(db, roles, principal, { id: idOrSlug, slug: idOrSlug })) : undefined,
  lock: async (tx, principal, idOrSlug) =>
    enabled ? allowedIn(await lockMembership(tx, roles, principal, { id: idOrSlug, slug: idOrSlug })) : undefined,
  requireAllowed: async (db, principal, named, permission) => {
    const own = await findMembership(db, roles, principal, requireOrganization(principal, named))
    if (own === undefined) throw organizationErrors.error('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
    if (!can(principal, permission, own)) throw coreErrors.error('FORBIDDEN')
    return own.organization.id
  },
  membersAmong: (db, organizationId, userIds) => members.listAmong(db, organizationId, userIds),
})
