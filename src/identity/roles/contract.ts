import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { instant } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

/** A role of users on the instance, with its permissions. */
export const Role = z
  .object({
    name: z.string(),
    description: z.string(),
    /** False for a role of the configuration, even if it replaces a built-in role. */
    isBuiltIn: z.boolean(),
    permissions: z.array(z.string()),
  })
  .meta({ id: 'InstanceRole' })

/** A permission that the caller has, and the resources to which it applies. */
export const Permission = z
  .object({
    name: z.string(),
    /** `account` is the caller's own account, `organization` the caller's organizations, `instance` everything. */
    area: z.enum(['account', 'organization', 'instance']),
  })
  .meta({ id: 'Permission' })

/** What the console needs to know first about the caller's rights. */
export const InstanceAccess = z
  .object({
    user: z.object({ id: z.string(), name: z.string(), email: z.string(), image: z.string().nullable(), role: z.string() }),
    /** The instance permissions that this session has now. */
    permissions: z.array(z.string()),
    /** True if the person's roles require a second factor that the session does not have. The session then has none of the roles' permissions. */
    lacksSecondFactor: z.boolean(),
    /** The administrator who impersonates the user in this session. */
    impersonatedBy: z.string().nullable(),
    sessionExpiresAt: instant,
    /** The instance roles that have permissions. People without any instance permission see only the names of the roles. */
    roles: z.array(z.object({ name: z.string(), permissions: z.array(z.string()) })),
  })
  .meta({ id: 'InstanceAccess' })

export const roleContract = contract('Administration of users', {
  readAccess: {
    method: 'GET',
    path: '/admin/access',
    summary: 'The signed-in person, their permissions on the instance, and the roles that give each',
    access: { permission: 'account:read', session: true },
    response: InstanceAccess,
    errors: [],
  },
  listInstanceRoles: {
    method: 'GET',
    path: '/admin/roles',
    summary: 'The roles of users on the instance and their permissions',
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

export const roleErrors = errorsOf({
  ROLE_IS_NOT_KNOWN: [400, 'Role is not known'],
})

/** Descriptions and examples of the API document. */
export const roleDocumentation = {
  readAccess: {
    description:
      'Any signed-in person may ask: without a role that gives something, `permissions` is empty. Roles that give nothing are left out.',
    example: {
      response: {
        user: { id: 'u1', name: 'Ada Lovelace', email: 'ada@example.com', image: null, role: 'clerk' },
        permissions: ['customers:read'],
        lacksSecondFactor: false,
        impersonatedBy: null,
        sessionExpiresAt: '2026-12-01T09:15:00.000Z',
        roles: [{ name: 'clerk', permissions: ['customers:read'] }],
      },
    },
  },
  listInstanceRoles: {
    description: 'Built-in roles first, then those of `access.roles`. A role is given with `/admin/set-role`.',
    example: {
      response: {
        roles: [
          {
            name: 'clerk',
            description: 'Reads what was paid.',
            isBuiltIn: false,
            permissions: ['customers:read', 'deliveries:read'],
          },
        ],
      },
    },
  },
  listPermissions: { example: { response: { permissions: [{ name: 'users:read', area: 'instance' }] } } },
}
