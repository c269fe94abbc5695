import { z } from 'zod'
import { contract } from '../../http/contract.ts'

/** A role of users on the instance, with what it gives. */
export const Role = z
  .object({
    name: z.string(),
    description: z.string(),
    /** False for a role of the configuration, also where it replaces a built-in one. */
    isBuiltIn: z.boolean(),
    permissions: z.array(z.string()),
  })
  .meta({ id: 'InstanceRole' })

/** What a principal may do, and where. */
export const Permission = z
  .object({
    name: z.string(),
    /** `account`: with the own account; `organization`: where the person is a member; `instance`: with everything here. */
    area: z.enum(['account', 'organization', 'instance']),
  })
  .meta({ id: 'Permission' })

export const roleContract = contract('Administration of users', {
  listInstanceRoles: {
    method: 'GET',
    path: '/admin/roles',
    summary: 'The roles of users on the instance and what they give',
    access: { permission: 'users:read' },
    response: z.object({ roles: z.array(Role) }),
    errors: [],
  },
  listPermissions: {
    method: 'GET',
    path: '/admin/permissions',
    summary: 'All permissions that roles, keys and machines can have',
    access: { permission: 'users:read' },
    query: z.object({ area: z.enum(['account', 'organization', 'instance']).optional() }),
    response: z.object({ permissions: z.array(Permission) }),
    errors: [],
  },
})
