import { instanceRoles, type Permission, permissions } from './permissions.ts'
import type { Principal } from './principal.ts'

/** The resource of a permission, where it is known: an account, or a membership with the permissions of its roles. */
export type Resource = { readonly ownerId: string } | { readonly allows: (permission: Permission) => boolean }

const hasInstanceRole = (role: string, permission: Permission): boolean => {
  const given: readonly Permission[] = Object.hasOwn(instanceRoles, role) ? (instanceRoles[role] ?? []) : []
  return given.includes(permission)
}

/**
 * The one decision about permissions. Without `resource` it answers whether the principal can have the permission for any resource, which
 * is what an endpoint checks before it reads the database; the service asks again with the resource, inside its transaction.
 */
export const can = (principal: Principal, permission: Permission, resource?: Resource): boolean => {
  if (principal.kind === 'system') return true
  if (principal.kind === 'anonymous') return false
  switch (permissions[permission]) {
    case 'account':
      return resource === undefined || ('ownerId' in resource && resource.ownerId === principal.user.id)
    case 'organization':
      return resource === undefined || ('allows' in resource && resource.allows(permission))
    case 'instance':
      return hasInstanceRole(principal.user.role, permission)
  }
}
