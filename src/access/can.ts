import { impersonationPermissions, type Permission, permissions } from './permissions.ts'
import { isImpersonated, type PersonPrincipal, type Principal } from './principal.ts'

/** The resource of a permission: an account, or a membership with the permissions of its roles. */
export type Resource = { readonly ownerId: string } | { readonly allows: (permission: Permission) => boolean }

const isPerson = (principal: Principal): principal is PersonPrincipal =>
  principal.kind === 'user' || (principal.kind === 'api-key' && principal.owner === 'user')

/** Permissions of a key limit it; a session has no such limit. */
const hasByKey = (principal: Principal, permission: Permission): boolean =>
  principal.kind !== 'api-key' || principal.permissions.has(permission)

/**
 * The one decision about permissions. Without `resource` it decides whether the principal can have the permission for any resource: an
 * endpoint checks this before it reads the database, and the service checks the resource in its transaction.
 */
export const can = (principal: Principal, permission: Permission, resource?: Resource): boolean => {
  if (principal.kind === 'system') return true
  if (principal.kind === 'anonymous') return false
  if (isImpersonated(principal) && !impersonationPermissions.includes(permission)) return false
  switch (permissions[permission]) {
    // Only people have an account and belong to organizations. Keys of people act for them, and keys of organizations for those, within
    // their permissions.
    case 'account':
      return (
        isPerson(principal) &&
        hasByKey(principal, permission) &&
        (resource === undefined || ('ownerId' in resource && resource.ownerId === principal.user.id))
      )
    case 'organization':
      return (
        principal.kind !== 'application' &&
        hasByKey(principal, permission) &&
        (resource === undefined || ('allows' in resource && resource.allows(permission)))
      )
    case 'instance':
      return principal.permissions.has(permission)
  }
}
