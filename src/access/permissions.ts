/**
 * Which resources a permission applies to. `account`: the principal's own account. `organization`: organizations of the principal, where
 * the member's roles decide. `instance`: everything on the instance, where the user's roles decide.
 */
export type PermissionArea = 'account' | 'organization' | 'instance'

/**
 * All permissions, each written as `resource:action`. An endpoint names the permission that it requires. Permissions that the
 * specification names keep their names (accounts specification, section 6).
 */
export const permissions = {
  'account:read': 'account',
  'account:update': 'account',
  'account:delete': 'account',
  'identities:read': 'account',
  'identities:update': 'account',
  'provider-tokens:read': 'account',
  'sessions:read': 'account',
  'sessions:update': 'account',
  'sessions:delete': 'account',
  'consents:read': 'account',
  'consents:update': 'account',
  'organizations:read': 'account',
  'organizations:create': 'account',
  'memberships:update': 'account',
  'entitlements:read': 'account',
  'own-api-keys:read': 'account',
  'own-api-keys:create': 'account',
  'own-api-keys:update': 'account',
  'own-api-keys:delete': 'account',
  'organization:read': 'organization',
  'organization:update': 'organization',
  'organization:delete': 'organization',
  'member:read': 'organization',
  'member:create': 'organization',
  'member:update': 'organization',
  'member:delete': 'organization',
  'invitation:read': 'organization',
  'invitation:create': 'organization',
  'invitation:cancel': 'organization',
  'team:read': 'organization',
  'team:create': 'organization',
  'team:update': 'organization',
  'team:delete': 'organization',
  'billing:read': 'organization',
  'api-key:read': 'organization',
  'api-key:create': 'organization',
  'api-key:update': 'organization',
  'api-key:delete': 'organization',
  'audit:read': 'organization',
  'users:read': 'instance',
  'users:create': 'instance',
  'users:update': 'instance',
  'users:delete': 'instance',
  'users:ban': 'instance',
  'users:set-role': 'instance',
  'users:set-password': 'instance',
  'users:impersonate': 'instance',
  'user-sessions:read': 'instance',
  'user-sessions:delete': 'instance',
  'sign-ins:read': 'instance',
  'all-organizations:read': 'instance',
  'all-organizations:create': 'instance',
  'all-organizations:update': 'instance',
  'all-organizations:delete': 'instance',
  'clients:read': 'instance',
  'clients:create': 'instance',
  'clients:update': 'instance',
  'clients:delete': 'instance',
  'apis:read': 'instance',
  'apis:create': 'instance',
  'apis:update': 'instance',
  'apis:delete': 'instance',
  'grants:read': 'instance',
  'grants:delete': 'instance',
  'api-keys:read': 'instance',
  'api-keys:create': 'instance',
  'api-keys:update': 'instance',
  'api-keys:delete': 'instance',
  'providers:read': 'instance',
  'providers:test': 'instance',
  'signing-keys:read': 'instance',
  'signing-keys:update': 'instance',
  'mails:read': 'instance',
  'mails:update': 'instance',
  'tasks:read': 'instance',
  'tasks:update': 'instance',
  'customers:read': 'instance',
  'customers:update': 'instance',
  'customers:delete': 'instance',
  'deliveries:read': 'instance',
  'deliveries:update': 'instance',
  'webhook-endpoints:update': 'instance',
  'events:read': 'instance',
  'settings:read': 'instance',
  'settings:update': 'instance',
  'declarations:apply': 'instance',
  'health:read': 'instance',
  'backups:read': 'instance',
  'backups:create': 'instance',
  'backups:download': 'instance',
} as const satisfies Readonly<Record<string, PermissionArea>>

export type Permission = keyof typeof permissions

/**
 * The permissions that an administrator has while impersonating a user (decision 0137). The administrator can read the user's data and
 * switch between the user's organizations, but cannot change sign-in methods, other people's permissions or stored data.
 */
export const impersonationPermissions: readonly Permission[] = [
  'account:read',
  'identities:read',
  'sessions:read',
  'sessions:update',
  'consents:read',
  'organizations:read',
  'entitlements:read',
  'organization:read',
  'member:read',
  'invitation:read',
  'team:read',
  'billing:read',
]

/** The permissions of one area. */
export type PermissionOf<Area extends PermissionArea> = {
  [P in Permission]: (typeof permissions)[P] extends Area ? P : never
}[Permission]

/** Permissions on the whole instance. */
export type InstancePermission = PermissionOf<'instance'>
export const instancePermissions: readonly InstancePermission[] = Object.entries(permissions).flatMap(([name, area]) =>
  area === 'instance' ? [name as InstancePermission] : [],
)

const areas: Readonly<Record<string, PermissionArea>> = permissions
/** True for the name of a permission of the instance. */
export const isInstancePermission = (name: string): name is InstancePermission =>
  Object.hasOwn(areas, name) && areas[name] === 'instance'

/**
 * The built-in roles of users with their instance permissions (accounts specification, section 6). `roles.ts` adds the roles of the
 * configuration.
 */
export const instanceRoles: Readonly<Record<string, readonly InstancePermission[]>> = {
  admin: instancePermissions,
  /** An auditor reads everything and changes nothing. */
  auditor: instancePermissions.filter((name) => name.endsWith(':read')),
  /** Support staff help people with their accounts and sessions. They have no access to clients and keys. */
  support: [
    'users:read',
    'users:update',
    'users:ban',
    'user-sessions:read',
    'user-sessions:delete',
    'sign-ins:read',
    'all-organizations:read',
    'mails:read',
    'mails:update',
    'events:read',
    'health:read',
  ],
  user: [],
}
