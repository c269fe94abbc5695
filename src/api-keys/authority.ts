import { can } from '../access/can.ts'
import { canKeyOf } from '../access/key-permissions.ts'
import type { Permission } from '../access/permissions.ts'
import type { PermittedPrincipal, UserPrincipal } from '../access/principal.ts'
import { coversPermissions, type InstanceRoles } from '../access/roles.ts'
import type { Sessions } from '../authentication/sessions/index.ts'
import type { Tx } from '../core/db/database.ts'
import type { Users } from '../identity/users/index.ts'
import type { Memberships } from '../organizations/index.ts'
import { apiKeyErrors } from './contract.ts'
import type { KeyOwner, KeyRow } from './store.ts'

/** What somebody does with an API key. */
export type KeyAction = 'read' | 'create' | 'update' | 'delete'

/**
 * Which calls are made. `own`: a person manages their own API keys and those of their organizations. `instance`: an administrator manages
 * the keys of the instance.
 */
export type Scope = 'own' | 'instance'

/** What a principal may do with the API keys of one owner. */
export interface Authority {
  readonly owner: KeyOwner
  /** True if the principal may do this with an API key that has the permissions `held`. */
  can(action: KeyAction, held: readonly Permission[]): boolean
  /** Those of the permissions `wanted` that the principal cannot give to an API key, because the principal does not have them. */
  lacking(wanted: readonly Permission[]): readonly Permission[]
}

interface Deps {
  readonly users: Pick<Users, 'find'>
  readonly sessions: Pick<Sessions, 'requireAlive'>
  readonly memberships: Pick<Memberships, 'lock'>
  readonly instanceRoles: Pick<InstanceRoles, 'permissionsOfRoles' | 'coversRole'>
}

export const ownerUser = (userId: string): KeyOwner => ({ ownerKind: 'user', userId, organizationId: null })
export const ownerOrganization = (organizationId: string): KeyOwner => ({
  ...{ ownerKind: 'organization', userId: null },
  organizationId,
})
export const ownerInstance: KeyOwner = { ownerKind: 'instance', userId: null, organizationId: null }

const notAllowed = () => apiKeyErrors.error('YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY')

/** A command may do everything, because an operator runs it. */
export const ofSystem = (owner: KeyOwner): Authority => ({ owner, can: () => true, lacking: () => [] })

export const createAuthorities = ({ users, sessions, memberships, instanceRoles }: Deps) => {
  /**
   * Reads the roles of the principal again, and returns the principal with the permissions that these roles give now. Locks the row of
   * the user until the transaction ends.
   */
  const current = async <P extends PermittedPrincipal>(tx: Tx, principal: P): Promise<P> => {
    if (principal.kind !== 'user') return principal
    await sessions.requireAlive(tx, principal)
    const user = await users.find(tx, principal.user.id)
    if (user === undefined) throw notAllowed()
    // A permission that the principal did not have at the start of the call is not added.
    return { ...principal, permissions: instanceRoles.permissionsOfRoles(user.role).intersection(principal.permissions) }
  }

  /**
   * What a person may do with their own API keys. The key can get any permission in organizations, because each call with the key checks
   * the person's membership again.
   */
  const ofPerson = async (tx: Tx, principal: UserPrincipal): Promise<Authority> => {
    const now = await current(tx, principal)
    return {
      owner: ownerUser(now.user.id),
      can: (action) => can(now, `own-api-keys:${action}`, { ownerId: now.user.id }),
      lacking: (wanted) => wanted.filter((permission) => !can(now, permission)),
    }
  }

  /** What a member may do with the API keys of an organization. Undefined for a principal that is not a member. */
  const ofOrganization = async (tx: Tx, principal: UserPrincipal, idOrSlug: string): Promise<Authority | undefined> => {
    await sessions.requireAlive(tx, principal)
    const membership = await memberships.lock(tx, principal, idOrSlug)
    if (membership === undefined) return undefined
    const lacking = (wanted: readonly Permission[]) => wanted.filter((permission) => !can(principal, permission, membership))
    return {
      owner: ownerOrganization(membership.organizationId),
      // Whoever makes a new secret knows it, and so gets the permissions of the key. So the person must already have all of them.
      can: (action, held) =>
        can(principal, `api-key:${action}`, membership) && (action !== 'update' || lacking(held).length === 0),
      lacking,
    }
  }

  const ofInstance = async (tx: Tx, principal: PermittedPrincipal): Promise<Authority> => {
    const now = await current(tx, principal)
    return {
      owner: ownerInstance,
      can: (action, held) => can(now, `api-keys:${action}`) && coversPermissions(now, held),
      lacking: (wanted) => wanted.filter((permission) => !coversPermissions(now, [permission])),
    }
  }

  /**
   * What an administrator may do with an API key of a person or organization: see and delete it. The administrator cannot give it more
   * permissions.
   */
  const overOthers = async (tx: Tx, principal: PermittedPrincipal, key: KeyRow): Promise<Authority> => {
    const now = await current(tx, principal)
    const person = key.userId === null ? undefined : await users.find(tx, key.userId)
    const isCovered = person === undefined || instanceRoles.coversRole(now, person.role)
    return { owner: key, can: (action) => can(now, `api-keys:${action}`) && isCovered, lacking: (wanted) => wanted }
  }

  return {
    ofPerson,
    ofOrganization,
    ofInstance,
    /**
     * What a principal may do with an existing API key, in calls of this scope. Undefined if the principal must not learn that the key
     * exists.
     */
    over: async (tx: Tx, principal: PermittedPrincipal, scope: Scope, key: KeyRow): Promise<Authority | undefined> => {
      if (principal.kind === 'system') return ofSystem(key)
      if (scope === 'instance') return key.ownerKind === 'instance' ? ofInstance(tx, principal) : overOthers(tx, principal, key)
      if (principal.kind !== 'user') return undefined
      if (key.organizationId !== null) return ofOrganization(tx, principal, key.organizationId)
      return key.userId === principal.user.id ? ofPerson(tx, principal) : undefined
    },
  }
}

export type Authorities = ReturnType<typeof createAuthorities>

const refuse = (
  code: 'API_KEY_CANNOT_HAVE_THESE_PERMISSIONS' | 'YOU_CANNOT_GIVE_THESE_PERMISSIONS',
  names: readonly Permission[],
  why: string,
) => {
  if (names.length === 0) return
  const issues = names.map((name) => ({ path: 'permissions', message: `${name}: ${why}` }))
  throw apiKeyErrors.error(code, { issues })
}

/** Throws if an API key of this owner cannot have one of the permissions, or if the principal cannot give it. */
export const requireGivable = ({ owner, lacking }: Authority, wanted: readonly Permission[]): void => {
  const whose = { user: 'a person', organization: 'an organization', instance: 'the instance' }[owner.ownerKind]
  const impossible = wanted.filter((permission) => !canKeyOf(owner.ownerKind, permission))
  refuse('API_KEY_CANNOT_HAVE_THESE_PERMISSIONS', impossible, `not for a key of ${whose}`)
  refuse('YOU_CANNOT_GIVE_THESE_PERMISSIONS', lacking(wanted), 'you do not have it yourself')
}

/**
 * Throws API_KEY_NOT_FOUND if the principal may not see the API key, and YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY if the principal may
 * not do this with the key.
 */
export const requireAuthority = (authority: Authority | undefined, action: KeyAction, key: KeyRow): Authority => {
  if (authority === undefined) throw apiKeyErrors.error('API_KEY_NOT_FOUND')
  if (!authority.can(action, key.permissions as readonly Permission[])) throw notAllowed()
  return authority
}
