import type { Permission } from '../access/permissions.ts'

/** Resources and actions (accounts specification, section 6). `billing`, `audit` and `api-key` were added by gatehouse. */
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
/** Allowed actions by resource. */
export type Permissions = { readonly [R in Resource]?: readonly Action<R>[] }

/** The default roles of the specification. */
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
   * Roles that only applications read (docs/design/organizations.md#roles-that-only-applications-read), each with the roles that may
   * assign it. They permit nothing here.
   */
  readonly grantors: ReadonlyMap<string, ReadonlySet<string>>
}

/**
 * A role of the configuration. `grants` are the roles that may assign it, besides itself and the creator role. Undefined for a role with
 * permissions.
 */
export type CustomRole = Permissions & { readonly grants?: readonly string[] | undefined }

/** A member's roles, as a set of known names. They are stored and displayed with commas, but never compared as text. */
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
 * Parses roles from a caller: a list, or text with commas. Undefined if there are none, or if one is unknown, empty or not exact
 * (security baseline, section 8).
 */
export const parseRoles = ({ roles }: RoleTable, input: string | readonly string[]): Roles | undefined => {
  const names = typeof input === 'string' ? input.split(',') : input.flatMap((part) => part.split(','))
  return names.length > 0 && names.every((name) => roles.has(name)) ? new Set(names) : undefined
}

/** The form in which roles are stored and sent: `member,admin`, in the given order. */
export const joinRoles = (roles: Roles): string => [...roles].join(',')

/** The roles of a stored row. A role that the configuration no longer defines is kept, but has no permissions. */
export const splitRoles = (stored: string): Roles => new Set(stored.split(',').filter((name) => name !== ''))

const allows = ({ roles }: RoleTable, held: Roles, resource: string, action: string): boolean =>
  [...held].some((name) => {
    const permissions: Readonly<Record<string, readonly string[]>> = roles.get(name) ?? {}
    return Object.hasOwn(permissions, resource) && permissions[resource]?.includes(action) === true
  })

/** The permissions that every member has, with any role. */
const readableByMembers: ReadonlySet<string> = new Set(['organization:read', 'member:read', 'invitation:read', 'team:read'])

/** True if the roles allow a permission of `access/permissions.ts`. Permissions for other resources are never allowed. */
export const allowsPermission = (table: RoleTable, roles: Roles, permission: Permission): boolean => {
  const [resource = '', action = ''] = permission.split(':')
  return readableByMembers.has(permission) || allows(table, roles, resource, action)
}

/** True if the roles allow all of the permissions. Unknown resources and actions are never allowed. */
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

/** A principal that changes members: a member with roles, or a key, which has permissions and no role. */
export interface Manager {
  readonly roles: Roles
  allows(permission: Permission): boolean
}

const managerOf = (table: RoleTable, roles: Roles): Manager => ({
  roles,
  allows: (permission) => allowsPermission(table, roles, permission),
})

/** True if the manager has all of the permissions. Unknown resources and actions are never allowed. */
export const managerAllows = ({ allows }: Manager, wanted: Readonly<Record<string, readonly string[] | undefined>>): boolean =>
  Object.entries(wanted).every(([resource, actions = []]) => {
    const known: readonly string[] = Object.hasOwn(resources, resource) ? resources[resource as Resource] : []
    return actions.every((action) => known.includes(action) && allows(`${resource}:${action}` as Permission))
  })

export const hasCreatorRole = ({ creatorRole }: RoleTable, held: Roles): boolean => held.has(creatorRole)

/**
 * True if the manager may change or remove a member with the roles `theirs`. The manager needs every permission of those roles. For a
 * creator, the manager needs the creator role.
 */
export const managerCanManage = (table: RoleTable, manager: Manager, theirs: Roles): boolean =>
  (!hasCreatorRole(table, theirs) || hasCreatorRole(table, manager.roles)) &&
  [...theirs].every((name) => managerAllows(manager, table.roles.get(name) ?? {}))

/**
 * True if the manager may assign the roles `given` to a member with the roles `current`. The manager has to be able to manage the given
 * roles. Each new application role has to be one of the manager's own, or name one of the manager's roles in `grants`. With the creator
 * role, the manager may assign every role.
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
