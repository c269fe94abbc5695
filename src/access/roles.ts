import { type InstancePermission, instancePermissions, instanceRoles, type Permission } from './permissions.ts'
import type { Principal } from './principal.ts'

/** The role with all permissions on the instance. It cannot be taken from the last user who can sign in with it. */
export const administratorRole = 'admin'
/** The role of users who have no other role. It has no permissions. */
export const defaultRole = 'user'

/** A role that the configuration defines. In its permissions, `resource:*` means all permissions of a resource. */
export interface RoleConfig {
  readonly permissions: readonly string[]
  readonly description?: string | undefined
}

/** A role of users on the instance. */
export interface InstanceRole {
  readonly name: string
  readonly description: string
  /** False for a role that the configuration defines. That includes a role that replaces a built-in role. */
  readonly isBuiltIn: boolean
  readonly permissions: readonly InstancePermission[]
}

/** Splits the stored text of roles, such as `admin,support`. The order of the roles stays. */
export const splitRoles = (role: string): readonly string[] => role.split(',').filter((name) => name !== '')

/** True if the stored text of a user's roles contains this role. */
export const includesRole = (role: string, name: string): boolean => splitRoles(role).includes(name)

/** The permissions that a text in the configuration means, such as `resource:*`. Empty for an unknown text. */
export const expandPermission = (name: string): readonly InstancePermission[] =>
  instancePermissions.filter((known) => known === name || (name.endsWith(':*') && known.startsWith(name.slice(0, -1))))

/** The roles of this instance with their permissions. */
export interface InstanceRoles {
  /** All roles of the instance, the built-in roles first. */
  readonly all: readonly InstanceRole[]
  /** True if a role with exactly this name exists. */
  isKnownRole(name: string): boolean
  /** The permissions that the stored text of a user's roles gives. Unknown roles give none. */
  permissionsOfRoles(role: string): ReadonlySet<Permission>
  /**
   * True if the principal has every permission that these roles give. This check enforces two rules: a principal cannot give permissions
   * that the principal does not have, and cannot act on a user who has more permissions.
   */
  coversRole(principal: Principal, role: string): boolean
}

const descriptions: Readonly<Record<string, string>> = {
  admin: 'Everything.',
  auditor: 'Reads everything and changes nothing.',
  support: 'Helps people with their accounts and sessions; no clients, no keys.',
  user: 'No permissions on the instance: only the own account and the roles in organizations.',
}

/** True if the principal has all of these permissions. */
export const coversPermissions = (principal: Principal, wanted: Iterable<Permission>): boolean => {
  if (principal.kind === 'system') return true
  if (principal.kind === 'anonymous') return false
  return [...wanted].every((permission) => principal.permissions.has(permission))
}

/** Joins the built-in roles with those of the configuration. The configuration was checked before. */
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
