/**
 * The kind of resource of a permission, which decides who can have it: `account` is the principal's own account, `organization` an organization they
 * belong to (roles of members decide), `instance` everything that the instance holds (roles of users decide).
 */
export type PermissionArea = 'account' | 'organization' | 'instance'

/** All permissions: `resource:action`. Endpoints name the one they need; those of the specification's roles keep their names (section 6). */
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
  'consents:update': 'account',
  'organizations:read': 'account',
  'organizations:create': 'account',
  'memberships:update': 'account',
  'entitlements:read': 'account',
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
  'customers:read': 'instance',
  'deliveries:read': 'instance',
} as const satisfies Readonly<Record<string, PermissionArea>>

export type Permission = keyof typeof permissions

/** The permissions of one area. */
export type PermissionOf<Area extends PermissionArea> = {
  [P in Permission]: (typeof permissions)[P] extends Area ? P : never
}[Permission]

/** Roles of users (accounts specification, section 6) with the instance permissions they give. A role that is not here gives none. */
export const instanceRoles: Readonly<Record<string, readonly PermissionOf<'instance'>[]>> = {
  admin: ['customers:read', 'deliveries:read'],
  user: [],
}
