import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { instant } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

/** A role that users can have on the instance, with its permissions. */
export const Role = z
  .object({
    name: z.string(),
    description: z.string(),
    /** False for a role that the configuration defines. That includes a role that replaces a built-in role. */
    isBuiltIn: z.boolean(),
    permissions: z.array(z.string()),
  })
  .meta({ id: 'InstanceRole' })

/** A permission that the caller has, and to which resources it applies. */
export const Permission = z
  .object({
    name: z.string(),
    /** `account`: the caller's own account. `organization`: the caller's organizations. `instance`: everything on the instance. */
    area: z.enum(['account', 'organization', 'instance']),
  })
  .meta({ id: 'Permission' })

/** What the caller may do on the instance. The console needs it first. */
export const InstanceAccess = z
  .object({
    user: z.object({ id: z.string(), name: z.string(), email: z.string(), image: z.string().nullable(), role: z.string() }),
    /** The permissions on the instance that the caller has in this session now. */
    permissions: z.array(z.string()),
    /**
     * True if a role of the person requires a second factor, and the session was not started with one. Then none of the roles'
     * permissions are allowed in the session.
     */
    lacksSecondFactor: z.boolean(),
    /** The administrator who impersonates the user in this session. Null if nobody does. */
    impersonatedBy: z.string().nullable(),
    sessionExpiresAt: instant,
    /** The roles that give permissions on the instance. For people without any permission on the instance, the lists of permissions are empty. */
    roles: z.array(z.object({ name: z.string(), permissions: z.array(z.string()) })),
  })
  .meta({ id: 'InstanceAccess' })

export const roleContract = contract('Administration of users', {
  readAccess: {
    method: 'GET',
    path: '/admin/access',
    summary: 'Get the signed-in person, their permissions on the instance, and the roles that give each permission',
    access: { permission: 'account:read', session: true },
    response: InstanceAccess,
    errors: [],
  },
  listInstanceRoles: {
    method: 'GET',
    path: '/admin/roles',
    summary: 'List the roles of users on the instance, with their permissions',
    access: { permission: 'users:read' },
    response: z.object({ roles: z.array(Role) }),
    errors: [],
  },
  listPermissions: {
    method: 'GET',
    path: '/admin/permissions',
    summary: 'List all permissions that roles, keys and machines can have',
    access: { permission: 'users:read' },
    query: z.object({ area: z.enum(['account', 'organization', 'instance']).optional() }),
    response: z.object({ permissions: z.array(Permission) }),
    errors: [],
  },
})

export const roleErrors = errorsOf({
  ROLE_IS_NOT_KNOWN: [400, 'Role is not known'],
})

/** Descriptions and examples for the API document, of the calls in this file. */
export const roleDocumentation = {
  readAccess: {
    description:
      'Any signed-in person may call it. `permissions` is empty for people whose roles give none. Roles without permissions are left out.',
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
    description: 'Built-in roles come first, then the roles of `access.roles`. `/admin/set-role` gives a role to a user.',
    example: {
      response: {
        roles: [
          {
            name: 'clerk',
            description: 'Reads what customers have paid.',
            isBuiltIn: false,
            permissions: ['customers:read', 'deliveries:read'],
          },
        ],
      },
    },
  },
  listPermissions: { example: { response: { permissions: [{ name: 'users:read', area: 'instance' }] } } },
}
