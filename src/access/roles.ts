import { type InstancePermission, instancePermissions, instanceRoles, type Permission } from './permissions.ts'
import type { Principal } from './principal.ts'

/** The role with all permissions on the instance. At least one user who can sign in keeps it. */
export const administratorRole = 'admin'
/** The role of users without another one. It has no permissions. */
export const defaultRole = 'user'

/** A role of the configuration: permissions, or `resource:*` for all of a resource. */
export interface RoleConfig {
  readonly permissions: readonly string[]
  readonly description?: string | undefined
}

/** A role of users on the instance. */
export interface InstanceRole {
  readonly name: string
  readonly description: string
  /** False for a role of the configuration, also one that replaces a built-in role. */
  readonly isBuiltIn: boolean
  readonly permissions: readonly InstancePermission[]
}

/** Roles of a stored value (`admin,support`), in its order. */
export const splitRoles = (role: string): readonly string[] => role.split(',').filter((name) => name !== '')

/** True when the stored roles of a user contain this one. */
export const includesRole = (role: string, name: string): boolean => splitRoles(role).includes(name)

/** The permissions behind a name in the configuration; empty for an unknown name. */
export const expandPermission = (name: string): readonly InstancePermission[] =>
  instancePermissions.filter((known) => known === name || (name.endsWith(':*') && known.startsWith(name.slice(0, -1))))

/** The roles of this instance and their permissions. */
export interface InstanceRoles {
  /** All roles, built-in ones first. */
  readonly all: readonly InstanceRole[]
  /** True for the exact name of a role. */
  isKnownRole(name: string): boolean
  /** The permissions of all roles in a stored value. An unknown role has none. */
  permissionsOfRoles(role: string): ReadonlySet<Permission>
  /**
   * True when the principal has every permission of the roles: a principal never gives more permissions than they have, and never acts on
   * a user with more.
   */
  coversRole(principal: Principal, role: string): boolean
}

const descriptions: Readonly<Record<string, string>> = {
  admin: 'Everything.',
  auditor: 'Reads everything and changes nothing.',
  support: 'Helps people with their accounts and sessions; no clients, no keys.',
  user: 'No permissions on the instance: only the own account and the roles in organizations.',
}

/** True when the principal has all of the permissions. */
export const coversPermissions = (principal: Principal, wanted: Iterable<Permission>): boolean => {
  if (principal.kind === 'system') return true
  if (principal.kind === 'anonymous') return false
  return [...wanted].every((permission) => principal.permissions.has(permission))
}

/** The built-in roles and the roles of the configuration, which its schema has checked. */
export const createInstanceRoles = (custom: Readonly<Record<string, RoleConfig>>): InstanceRoles => {
  const roles = new Map<string, InstanceRole>(
    Object.entries(instanceRoles).map(([name, permissions]) => [
      name,
      { name, description: descriptions[name] ?? '', isBuiltIn: true, permissions },
    ]),
  )
  for (const [name, { permissions, description = '' }] of Object.entries(custom))
    roles.set(name, { name, description, isBuiltIn: false, permissions: [...new Set(permissions.flatMap(expandPermission))] })

  const sets = new Map<string, ReadonlySet<Permission>>(
    [...roles.values()].map(({ name, permissions }) => [name, new Set<Permission>(permissions)]),
  )
  const none: ReadonlySet<Permission> = new Set()
  const permissionsOfRoles: InstanceRoles['permissionsOfRoles'] = (role) =>
    sets.get(role) ?? splitRoles(role).reduce((given, name) => given.union(sets.get(name) ?? none), none)

  return {
    all: [...roles.values()],
    isKnownRole: (name) => roles.has(name),
    permissionsOfRoles,
    coversRole: (principal, role) => coversPermissions(principal, permissionsOfRoles(role)),
  }
}
