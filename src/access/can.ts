import { impersonationPermissions, type Permission, permissions } from './permissions.ts'
import { isImpersonated, type PersonPrincipal, type Principal } from './principal.ts'

/**
 * The resource that a permission is checked for. It is an account, given by its owner, or an organization, given by what the principal
 * may do there.
 */
export type Resource = { readonly ownerId: string } | { readonly allows: (permission: Permission) => boolean }

const isPerson = (principal: Principal): principal is PersonPrincipal =>
  principal.kind === 'user' || (principal.kind === 'api-key' && principal.owner === 'user')

/**
 * True if the principal's API key has the permission. Also true for a principal without an API key, because only a key limits permissions
 * in this way.
 */
const hasByKey = (principal: Principal, permission: Permission): boolean =>
  principal.kind !== 'api-key' || principal.permissions.has(permission)

/**
 * Decides whether a principal has a permission. Every such decision is made here. If `resource` is absent, the answer is whether the
 * principal could have the permission for any resource. An endpoint asks that before it reads the database; then the service asks for the
 * particular resource in its transaction.
 */
export const can = (principal: Principal, permission: Permission, resource?: Resource): boolean => {
  if (principal.kind === 'system') return true
  if (principal.kind === 'anonymous') return false
  if (isImpersonated(principal) && !impersonationPermissions.includes(permission)) return false
  switch (permissions[permission]) {
    // Only people have accounts and belong to organizations. A person's API key acts for the person, and an organization's API key for
    // the organization, each within the permissions of the key.
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
