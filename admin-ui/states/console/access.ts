import type { InstancePermission } from '../../../src/access/permissions.ts'
import { instanceRoles } from '../../../src/access/permissions.ts'
import { roleContract } from '../../../src/identity/roles/contract.ts'
import { daysAhead } from '../made-up.ts'
import type { Wire } from './typed.ts'
import { says } from './typed.ts'

export type Access = Wire<typeof roleContract, 'readAccess'>

/** The built-in roles, and a configured one with few permissions. */
const roles: Readonly<Record<string, readonly InstancePermission[]>> = {
  ...instanceRoles,
  'billing-desk': ['customers:read', 'deliveries:read'],
}

export const userId = 'fJ2mW8sVq0YbTz4nKd6x'

/** A person with these roles, in the server's form. */
export const accessOf = (names: readonly string[], more: Partial<Access> = {}): Access => ({
  user: { id: userId, name: 'Grace Hopper', email: 'grace.hopper@example.com', image: null, role: names.join(',') },
  permissions: [...new Set(names.flatMap((name) => roles[name] ?? []))],
  lacksSecondFactor: false,
  impersonatedBy: null,
  sessionExpiresAt: daysAhead(7),
  roles: Object.entries(roles).flatMap(([name, permissions]) =>
    permissions.length === 0 ? [] : [{ name, permissions: [...permissions] }],
  ),
  ...more,
})

/** A person whose role has other permissions, but not this one. */
export const accessWithout = (permission: InstancePermission): Access =>
  accessOf([['support', 'billing-desk'].find((name) => !roles[name]?.includes(permission)) ?? 'billing-desk'])

export const accessAnswer = (access: Access) => says(roleContract, 'readAccess', access)
