import { impersonationPermissions, type Permission, permissions } from './permissions.ts'
import { isImpersonated, type PersonPrincipal, type Principal } from './principal.ts'

/** The resource of a permission: an account with its owner, or an organization with the permissions that the member's roles give there. */
export type Resource = { readonly ownerId: string } | { readonly allows: (permission: Permission) => boolean }

const isPerson = (principal: Principal): principal is PersonPrincipal =>
  principal.kind === 'user' || (principal.kind === 'api-key' && principal.owner === 'user')

/** An API key limits its owner to the permissions of the key. A session has no such limit. */
const hasByKey = (principal: Principal, permission: Permission): boolean =>
  principal.kind !== 'api-key' || principal.permissions.has(permission)

/**
 * Decides every question about permissions. Without `resource` the answer is whether the principal could have the permission for any
 * resource. An endpoint checks that before it reads the database; the service then checks the resource in its transaction.
 */
export const can = (principal: Principal, permission: Permission, resource?: Resource): boolean => {
  if (principal.kind === 'system') return true
  if (principal.kind === 'anonymous') return false
  if (isImpersonated(principal) && !impersonationPermissions.includes(permission)) return false
  switch (permissions[permission]) {
    // Only people have accounts and belong to organizations. A person's key acts for the person, and an organization's key acts for the
    // organization, each within the permissions of the key.
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
