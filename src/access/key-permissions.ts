import { type Permission, type PermissionArea, permissions } from './permissions.ts'

/**
 * Permissions that no API key can have. With them, a key could change how people sign in, create or change API keys, give access to other
 * people's tokens, or change the session of the call.
 */
const sessionPermissions = [
  'account:delete',
  'identities:update',
  'provider-tokens:read',
  'sessions:update',
  'sessions:delete',
  'consents:update',
  'own-api-keys:read',
  'own-api-keys:create',
  'own-api-keys:update',
  'own-api-keys:delete',
  'api-key:create',
  'api-key:update',
  'api-keys:create',
  'api-keys:update',
  'users:set-password',
  'users:impersonate',
] as const satisfies readonly Permission[]

export type SessionPermission = (typeof sessionPermissions)[number]
/** A permission that an API key can have. */
export type KeyPermission = Exclude<Permission, SessionPermission>

/** What can own an API key: a person, an organization, or the instance itself. */
export const keyOwnerKinds = ['user', 'organization', 'instance'] as const
export type KeyOwnerKind = (typeof keyOwnerKinds)[number]

const withheld: ReadonlySet<string> = new Set(sessionPermissions)

/** True for a permission that an API key can have. */
export const isKeyPermission = (permission: string): permission is KeyPermission =>
  Object.hasOwn(permissions, permission) && !withheld.has(permission)

/** All permissions that an API key can have. */
export const keyPermissions: readonly KeyPermission[] = Object.keys(permissions).filter(isKeyPermission)

const areasOf: Readonly<Record<KeyOwnerKind, readonly PermissionArea[]>> = {
  user: ['account', 'organization', 'instance'],
  organization: ['organization'],
  instance: ['instance'],
}

/**
 * True if an API key with this kind of owner can have the permission. An organization has no account, so its keys have no permissions of
 * the area `account`. The instance belongs to no organization.
 */
export const canKeyOf = (owner: KeyOwnerKind, permission: Permission): boolean =>
  isKeyPermission(permission) && areasOf[owner].includes(permissions[permission])
