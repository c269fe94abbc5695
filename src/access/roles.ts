import { type InstancePermission, instancePermissions, instanceRoles, type Permission } from './permissions.ts'
import type { Principal } from './principal.ts'

/** The role with all permissions on the instance. The last user who can sign in with it cannot lose it. */
export const administratorRole = 'admin'
/** The role of users who have no other role. It has no permissions. */
export const defaultRole = 'user'

/** A role that the configuration defines. `resource:*` stands for all permissions of a resource. */
export interface RoleConfig {
  readonly permissions: readonly string[]
  readonly description?: string | undefined
}

/** A role of users on the instance. */
export interface InstanceRole {
  readonly name: string
  readonly description: string
  /** False for a role of the configuration, even if it replaces a built-in role. */
  readonly isBuiltIn: boolean
  readonly permissions: readonly InstancePermission[]
}

/** Splits a stored value such as `admin,support` into its roles, in their order. */
export const splitRoles = (role: string): readonly string[] => role.split(',').filter((name) => name !== '')

/** True when a user's stored roles contain this role. */
export const includesRole = (role: string, name: string): boolean => splitRoles(role).includes(name)

/** The permissions that a name in the configuration stands for. An unknown name stands for none. */
export const expandPermission = (name: string): readonly InstancePermission[] =>
  instancePermissions.filter((known) => known === name || (name.endsWith(':*') && known.startsWith(name.slice(0, -1))))

/** The roles of this instance with their permissions. */
export interface InstanceRoles {
  /** All roles. Built-in roles come first. */
  readonly all: readonly InstanceRole[]
  /** True if a role with exactly this name exists. */
  isKnownRole(name: string): boolean
  /** The permissions of all roles in a stored value. Unknown roles have no permissions. */
  permissionsOfRoles(role: string): ReadonlySet<Permission>
  /**
   * True when the principal has every permission of these roles. Principals never give more permissions than they have, and never act on
   * a user who has more.
   */
  coversRole(principal: Principal, role: string): boolean
}

const descriptions: Readonly<Record<string, string>> = {
  admin: 'Everything.',
  auditor: 'Reads everything and changes nothing.',
  support: 'Helps people with their accounts and sessions; no clients, no keys.',
  user: 'No permissions on the instance: only the own account and the roles in organizations.',
}

/** True when the principal has all wanted permissions. */
export const coversPermissions = (principal: Principal, wanted: Iterable<Permission>): boolean => {
  if (principal.kind === 'system') return true
  if (principal.kind === 'anonymous') return false
  return [...wanted].every((permission) => principal.permissions.has(permission))
}

/** Combines the built-in roles with the roles of the configuration. The schema of the configuration has already checked them. */
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
