/** What can be done to an organization (accounts specification, section 6), and who has paid for what. */
export const resources = {
  organization: ['update', 'delete'],
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
  team: ['create', 'update', 'delete'],
  billing: ['read'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type Resource = keyof typeof resources
export type Action<R extends Resource = Resource> = (typeof resources)[R][number]
/** Actions allowed on each resource. */
export type Permissions = { readonly [R in Resource]?: readonly Action<R>[] }

/** The specification's default table. */
export const defaultRoles: Readonly<Record<string, Permissions>> = {
  owner: resources,
  admin: { ...resources, organization: ['update'] },
  member: {},
}

/** Roles of this installation with what they allow. */
export interface RoleTable {
  /** The role of who creates an organization; only its holders touch it. */
  readonly creatorRole: string
  readonly roles: ReadonlyMap<string, Permissions>
  /** Roles whose meaning is not in what they allow here but in applications, with the roles whose holders give them. */
  readonly grantors: ReadonlyMap<string, ReadonlySet<string>>
}

/** A role of the configuration. `grants`: roles whose holders give it, besides its own holders and those of the creator role; undefined where it allows something: who may do that. */
export type CustomRole = Permissions & { readonly grants?: readonly string[] | undefined }

/** A member's roles: a set of known names. Stored and shown joined by commas; never compared whole. */
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
 * Roles as a caller names them: a list, or text with commas. Undefined when one is unknown, empty or not spelled exactly, or there is none
 * (security baseline, section 8).
 */
export const parseRoles = ({ roles }: RoleTable, input: string | readonly string[]): Roles | undefined => {
  const names = typeof input === 'string' ? input.split(',') : input.flatMap((part) => part.split(','))
  return names.length > 0 && names.every((name) => roles.has(name)) ? new Set(names) : undefined
}

/** The stored form and the one on the wire: `member,admin`, in the order given. */
export const joinRoles = (roles: Roles): string => [...roles].join(',')

/** Roles of a stored row. A custom role that configuration no longer knows is kept and allows nothing. */
export const splitRoles = (stored: string): Roles => new Set(stored.split(',').filter((name) => name !== ''))

const allows = ({ roles }: RoleTable, held: Roles, resource: string, action: string): boolean =>
  [...held].some((name) => {
    const permissions: Readonly<Record<string, readonly string[]>> = roles.get(name) ?? {}
    return Object.hasOwn(permissions, resource) && permissions[resource]?.includes(action) === true
  })

/** True when any one of the roles allows the action. */
export const isAllowed: <R extends Resource>(table: RoleTable, held: Roles, resource: R, action: Action<R>) => boolean = allows

/** True when the roles allow all of the permissions; those of unknown resources or actions are allowed to nobody. */
export const allowsAll = (table: RoleTable, held: Roles, wanted: Readonly<Record<string, readonly string[]>>): boolean =>
  Object.entries(wanted).every(([resource, actions]) => actions.every((action) => allows(table, held, resource, action)))

/** All that the roles allow together: actions by resource. */
export const allowedTo = (table: RoleTable, held: Roles): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(resources).map(([resource, actions]) => [
      resource,
      actions.filter((action) => allowsAll(table, held, { [resource]: [action] })),
    ]),
  )

export const holdsCreatorRole = ({ creatorRole }: RoleTable, held: Roles): boolean => held.has(creatorRole)

/**
 * True when a holder of `mine` may change or take `theirs`: nobody reaches above what they may do themselves, and the creator role is
 * touched by its holders only.
 */
export const mayHandle = (table: RoleTable, mine: Roles, theirs: Roles): boolean =>
  (!holdsCreatorRole(table, theirs) || holdsCreatorRole(table, mine)) &&
  [...theirs].every((name) => allowsAll(table, mine, table.roles.get(name) ?? {}))

/**
 * True when a holder of `mine` may give `given` to somebody who has `held`: all of it must be theirs to handle, and an application's role
 * that is new to the other must be their own too, or name one of theirs in `grants`; the creator role gives every role.
 */
export const mayGive = (table: RoleTable, mine: Roles, given: Roles, held: Roles = new Set()): boolean => {
  const isGrantor = (name: string) => {
    const grantors = table.grantors.get(name)
    return grantors === undefined || mine.has(name) || !grantors.isDisjointFrom(mine)
  }
  return mayHandle(table, mine, given) && (holdsCreatorRole(table, mine) || [...given.difference(held)].every(isGrantor))
}
