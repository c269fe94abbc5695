import type { InstancePermission } from '../../access/permissions.ts'
import { isInstancePermission } from '../../access/permissions.ts'
import type { Principal } from '../../access/principal.ts'
import { coversPermissions, expandPermission } from '../../access/roles.ts'
import { oidcErrors } from '../contract.ts'
import type { ClientType } from '../rules.ts'

/** Permissions that a machine can never have. A person has to answer for impersonations and for copies of all data. */
const forPeople: ReadonlySet<string> = new Set<InstancePermission>([
  'users:impersonate',
  'backups:read',
  'backups:create',
  'backups:download',
])

/** Returns the stored permissions that a machine may have. Earlier versions stored permissions that machines may not have. */
export const permissionsOfMachine = (names: readonly string[]): readonly string[] => names.filter((name) => !forPeople.has(name))

/** Throws YOU_CANNOT_GIVE_PERMISSIONS_THAT_YOU_DO_NOT_HAVE if the principal lacks one of the permissions. */
export const requireCovered = (principal: Principal, permissions: readonly string[]): void => {
  const named = permissions.filter(isInstancePermission)
  // Anonymous registrations call this function too. They ask for no permissions, so nothing is checked.
  if (named.length > 0 && !coversPermissions(principal, named))
    throw oidcErrors.error('YOU_CANNOT_GIVE_PERMISSIONS_THAT_YOU_DO_NOT_HAVE')
}

/**
 * Returns the instance permissions of a client, each by its own name. A pattern such as `users:*` stands for all permissions about users
 * that exist now. Throws INVALID_CLIENT_METADATA and YOU_CANNOT_GIVE_PERMISSIONS_THAT_YOU_DO_NOT_HAVE.
 */
export const checkPermissions = (
  principal: Principal,
  type: ClientType,
  names: readonly string[],
): readonly InstancePermission[] => {
  const invalid = (message: string) =>
    oidcErrors.error('INVALID_CLIENT_METADATA', { message: `Invalid client metadata: ${message}` })
  if (names.length > 0 && type !== 'machine')
    throw invalid(`permissions are for clients of the type machine, which act for themselves; this one is ${type}`)
  const permissions = names.flatMap((name) => {
    const all = expandPermission(name)
    const meant = all.filter((one) => one === name || !forPeople.has(one))
    if (all.length > 0 && meant.length === 0) throw invalid(`permission ${name} is for people only`)
    if (meant.length === 0) throw invalid(`permission ${name} is none of the instance (docs/reference/roles.md)`)
    return meant
  })
  const ofPeople = permissions.find((name) => forPeople.has(name))
  if (ofPeople !== undefined) throw invalid(`permission ${ofPeople} is for people only`)
  requireCovered(principal, permissions)
  return [...new Set(permissions)]
}
