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

/** An action on keys. */
export type KeyAction = 'read' | 'create' | 'update' | 'delete'

/**
 * The origin of a call. `own`: a person manages their own keys and the keys of their organizations. `instance`: the administration of the
 * instance.
 */
export type Scope = 'own' | 'instance'

/** The rights of a principal over the keys of one owner. */
export interface Authority {
  readonly owner: KeyOwner
  /** True when the principal may perform the action on a key that has the permissions `held`. */
  can(action: KeyAction, held: readonly Permission[]): boolean
  /** The permissions among `wanted` that the principal lacks and therefore cannot give to a key. */
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

/** The authority of a command. The operator may do everything. */
export const ofSystem = (owner: KeyOwner): Authority => ({ owner, can: () => true, lacking: () => [] })

export const createAuthorities = ({ users, sessions, memberships, instanceRoles }: Deps) => {
  /**
   * Reads the principal's roles again and returns the principal with their current permissions. The row of the user stays locked until
   * the transaction ends.
   */
  const current = async <P extends PermittedPrincipal>(tx: Tx, principal: P): Promise<P> => {
    if (principal.kind !== 'user') return principal
    await sessions.requireAlive(tx, principal)
    const user = await users.find(tx, principal.user.id)
    if (user === undefined) throw notAllowed()
    // The principal gets no permission that was missing at the start of the call.
    return { ...principal, permissions: instanceRoles.permissionsOfRoles(user.role).intersection(principal.permissions) }
  }

  /**
   * The authority of a person over their own keys. Permissions in organizations may be given freely here, because each call with the key
   * checks the membership again.
   */
  const ofPerson = async (tx: Tx, principal: UserPrincipal): Promise<Authority> => {
    const now = await current(tx, principal)
    return {
      owner: ownerUser(now.user.id),
      can: (action) => can(now, `own-api-keys:${action}`, { ownerId: now.user.id }),
      lacking: (wanted) => wanted.filter((permission) => !can(now, permission)),
    }
  }

  /** The authority of a member over the keys of their organization; undefined for everybody else. */
  const ofOrganization = async (tx: Tx, principal: UserPrincipal, idOrSlug: string): Promise<Authority | undefined> => {
    await sessions.requireAlive(tx, principal)
    const membership = await memberships.lock(tx, principal, idOrSlug)
    if (membership === undefined) return undefined
    const lacking = (wanted: readonly Permission[]) => wanted.filter((permission) => !can(principal, permission, membership))
    return {
      owner: ownerOrganization(membership.organizationId),
      // A new secret gives its maker the permissions of the key. The maker therefore needs all of them already.
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
   * The authority of an administrator over a key of a person or an organization. The administrator can see and revoke the key, and can
   * give it no further permissions.
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
    /** The authority over an existing key for a call of this scope; undefined when the principal may not know that the key exists. */
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

/** Throws unless a key of this owner can have the permissions and the principal may give them. */
export const requireGivable = ({ owner, lacking }: Authority, wanted: readonly Permission[]): void => {
  const whose = { user: 'a person', organization: 'an organization', instance: 'the instance' }[owner.ownerKind]
  const impossible = wanted.filter((permission) => !canKeyOf(owner.ownerKind, permission))
  refuse('API_KEY_CANNOT_HAVE_THESE_PERMISSIONS', impossible, `not for a key of ${whose}`)
  refuse('YOU_CANNOT_GIVE_THESE_PERMISSIONS', lacking(wanted), 'you do not have it yourself')
}

/** Throws API_KEY_NOT_FOUND for a key that the principal may not see, and YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY for a forbidden action. */
export const requireAuthority = (authority: Authority | undefined, action: KeyAction, key: KeyRow): Authority => {
  if (authority === undefined) throw apiKeyErrors.error('API_KEY_NOT_FOUND')
  if (!authority.can(action, key.permissions as readonly Permission[])) throw notAllowed()
  return authority
}
