import { type Permission, permissions } from '../../../access/permissions.ts'

/** Actions of Better Auth's admin client, by the permission that each means here. `set-phone` and `impersonate-admins` are nobody's. */
const clientActions: Readonly<Record<string, Permission>> = {
  'user:create': 'users:create',
  'user:list': 'users:read',
  'user:get': 'users:read',
  'user:update': 'users:update',
  'user:set-email': 'users:update',
  'user:set-role': 'users:set-role',
  'user:ban': 'users:ban',
  'user:impersonate': 'users:impersonate',
  'user:delete': 'users:delete',
  'user:set-password': 'users:set-password',
  'session:list': 'user-sessions:read',
  'session:revoke': 'user-sessions:delete',
  'session:delete': 'user-sessions:delete',
}

const isPermission = (name: string): name is Permission => Object.hasOwn(permissions, name)

/**
 * The permissions of the instance that a map of resource to actions asks for, in the words of Better Auth or of gatehouse; undefined when it
 * asks for nothing or for something that nobody can have.
 */
export const permissionsOf = (asked: Readonly<Record<string, readonly string[]>>): readonly Permission[] | undefined => {
  const names = Object.entries(asked).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))
  const known = names.flatMap((name) => {
    const permission = Object.hasOwn(clientActions, name) ? clientActions[name] : isPermission(name) ? name : undefined
    return permission !== undefined && permissions[permission] === 'instance' ? [permission] : []
  })
  return names.length > 0 && known.length === names.length ? known : undefined
}
