import type { Permission } from '../access/permissions.ts'

/**
 * Resources of organizations, and the actions on each (accounts specification, section 6). The specification does not contain `billing`,
 * `audit` and `api-key`.
 */
export const resources = {
  organization: ['update', 'delete'],
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
  team: ['create', 'update', 'delete'],
  billing: ['read'],
  'api-key': ['read', 'create', 'update', 'delete'],
  audit: ['read'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type Resource = keyof typeof resources
export type Action<R extends Resource = Resource> = (typeof resources)[R][number]
/** The allowed actions on each resource. */
export type Permissions = { readonly [R in Resource]?: readonly Action<R>[] }

/** The roles that the accounts specification defines. */
export const defaultRoles: Readonly<Record<string, Permissions>> = {
  owner: resources,
  admin: { ...resources, organization: ['update'], audit: [] },
  member: {},
}

/** The roles of this instance, with their permissions. */
export interface RoleTable {
  /** The role that the creator of an organization gets. Only members who have it can assign or remove it. */
  readonly creatorRole: string
  readonly roles: ReadonlyMap<string, Permissions>
  /**
   * Roles that only applications read (docs/design/organizations.md#roles-that-only-applications-read). They give no permissions in
   * gatehouse. For each of them, the roles that may assign it.
   */
  readonly grantors: ReadonlyMap<string, ReadonlySet<string>>
}

/**
 * A role that the configuration defines. If only applications read the role, `grants` names the roles that may assign it; the role itself
 * and the creator role always may. Undefined for a role with permissions.
 */
export type CustomRole = Permissions & { readonly grants?: readonly string[] | undefined }

/** The roles of a member as a set of names. Roles are stored and shown as text with commas, but code must compare sets and not texts. */
export type Roles = ReadonlySet<string>

export const createRoleTable = (creatorRole: string, custom: Readonly<Record<string, CustomRole>>): RoleTable => {
  const roles = new Map(Object.entries(defaultRoles))
  const grantors = new Map<string, ReadonlySet<string>>()
  for (const [name, { grants, ...permissions }] of Object.entries(custom)) {
    roles.set(name, permissions)
    const isEmpty = name !== 'member' && Object.values(permissions).every((actions) => actions.length === 0)
    if (grants !== undefined || isEmpty) grantors.set(name, new Set(grants))
  }
  return { creatorRole, roles, grantors }
}

/**
 * Reads roles that a caller has sent, as a list or as text with commas. Undefined if there are none, or if one of the names is empty,
 * unknown or not spelled exactly (security baseline, section 8).
 */
export const parseRoles = ({ roles }: RoleTable, input: string | readonly string[]): Roles | undefined => {
  const names = typeof input === 'string' ? input.split(',') : input.flatMap((part) => part.split(','))
  return names.length > 0 && names.every((name) => roles.has(name)) ? new Set(names) : undefined
}

/** Roles as they are stored and sent: `member,admin`. Their order does not change. */
export const joinRoles = (roles: Roles): string => [...roles].join(',')

/** The roles in a stored text. If the configuration no longer defines a role, the role stays but has no permissions. */
export const splitRoles = (stored: string): Roles => new Set(stored.split(',').filter((name) => name !== ''))

const allows = ({ roles }: RoleTable, held: Roles, resource: string, action: string): boolean =>
  [...held].some((name) => {
    const permissions: Readonly<Record<string, readonly string[]>> = roles.get(name) ?? {}
    return Object.hasOwn(permissions, resource) && permissions[resource]?.includes(action) === true
  })

/** The permissions that every member has, whatever role the member has. */
const readableByMembers: ReadonlySet<string> = new Set(['organization:read', 'member:read', 'invitation:read', 'team:read'])

/** True if the roles give a permission of `access/permissions.ts`. False for permissions that are not about organizations. */
export const allowsPermission = (table: RoleTable, roles: Roles, permission: Permission): boolean => {
  const [resource = '', action = ''] = permission.split(':')
  return readableByMembers.has(permission) || allows(table, roles, resource, action)
}

/** True if the roles give all of these permissions. False if a resource or action is unknown. */
export const allowsAll = (table: RoleTable, held: Roles, wanted: Readonly<Record<string, readonly string[]>>): boolean =>
  Object.entries(wanted).every(([resource, actions]) => actions.every((action) => allows(table, held, resource, action)))

/** All actions that the roles allow together, by resource. */
export const allowedTo = (table: RoleTable, held: Roles): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(resources).map(([resource, actions]) => [
      resource,
      actions.filter((action) => allowsAll(table, held, { [resource]: [action] })),
    ]),
  )

/** A principal that changes members. It is a member with roles, or an API key with permissions and without roles. */
export interface Manager {
  readonly roles: Roles
  allows(permission: Permission): boolean
}

const managerOf = (table: RoleTable, roles: Roles): Manager => ({
  roles,
  allows: (permission) => allowsPermission(table, roles, permission),
})

/** True if the manager has all of these permissions. False if a resource or action is unknown. */
export const managerAllows = ({ allows }: Manager, wanted: Readonly<Record<string, readonly string[] | undefined>>): boolean =>
  Object.entries(wanted).every(([resource, actions = []]) => {
    const known: readonly string[] = Object.hasOwn(resources, resource) ? resources[resource as Resource] : []
    return actions.every((action) => known.includes(action) && allows(`${resource}:${action}` as Permission))
  })

export const hasCreatorRole = ({ creatorRole }: RoleTable, held: Roles): boolean => held.has(creatorRole)

/**
 * True if the manager may change or remove a member with the roles `theirs`. The manager must have every permission that these roles
 * give. If the creator role is among them, the manager must have the creator role.
 */
export const managerCanManage = (table: RoleTable, manager: Manager, theirs: Roles): boolean =>
  (!hasCreatorRole(table, theirs) || hasCreatorRole(table, manager.roles)) &&
  [...theirs].every((name) => managerAllows(manager, table.roles.get(name) ?? {}))

/**
 * True if the manager may give the roles `given` to a member who has the roles `current`. The manager must be able to manage members with
 * the given roles. For each new role that only applications read, the manager must have this role or one of the roles that may assign it.
 * A manager with the creator role may assign every role.
 */
export const managerCanAssign = (table: RoleTable, manager: Manager, given: Roles, current: Roles = new Set()): boolean => {
  const { roles: mine } = manager
  const isGrantor = (name: string) => {
    const grantors = table.grantors.get(name)
    return grantors === undefined || mine.has(name) || !grantors.isDisjointFrom(mine)
  }
  return (
    managerCanManage(table, manager, given) && (hasCreatorRole(table, mine) || [...given.difference(current)].every(isGrantor))
  )
}

/** True if a member with the roles `mine` may change or remove a member with the roles `theirs`. */
export const canManage = (table: RoleTable, mine: Roles, theirs: Roles): boolean =>
  managerCanManage(table, managerOf(table, mine), theirs)

/** True if a member with the roles `mine` may assign the roles `given`. */
export const canAssign = (table: RoleTable, mine: Roles, given: Roles, current?: Roles): boolean =>
  managerCanAssign(table, managerOf(table, mine), given, current)
