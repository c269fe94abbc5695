import { impersonationPermissions, type Permission, permissions } from './permissions.ts'
import { isImpersonated, type PersonPrincipal, type Principal } from './principal.ts'

/** The resource of a permission, where it is known: an account, or a membership with the permissions of its roles. */
export type Resource = { readonly ownerId: string } | { readonly allows: (permission: Permission) => boolean }

const isPerson = (principal: Principal): principal is PersonPrincipal =>
  principal.kind === 'user' || (principal.kind === 'api-key' && principal.owner === 'user')

/** A session is not narrowed; a key has what it was given. */
const hasByKey = (principal: Principal, permission: Permission): boolean =>
  principal.kind !== 'api-key' || principal.permissions.has(permission)

/**
 * The one decision about permissions. Without `resource` it answers whether the principal can have the permission for any resource, which
 * is what an endpoint checks before it reads the database; the service asks again with the resource, inside its transaction.
 */
export const can = (principal: Principal, permission: Permission, resource?: Resource): boolean => {
  if (principal.kind === 'system') return true
  if (principal.kind === 'anonymous') return false
  if (isImpersonated(principal) && !impersonationPermissions.includes(permission)) return false
  switch (permissions[permission]) {
    // Only people have an account and belong to organizations; their keys do, and those of organizations, as far as their permissions go.
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
