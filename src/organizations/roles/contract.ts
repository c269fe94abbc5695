import { z } from 'zod'
import { contract } from '../../http/contract.ts'

/** A role that members can have. It has the same permissions in every organization of the instance. */
export const OrganizationRole = z
  .object({
    name: z.string(),
    /** False for a role that the configuration defines. That includes a role that replaces a built-in role. */
    isBuiltIn: z.boolean(),
    permissions: z.array(z.string()),
    /** The roles that may assign this role. */
    givenBy: z.array(z.string()),
  })
  .meta({ id: 'OrganizationRole' })

export const organizationRoleContract = contract('Organizations', {
  listOrganizationRoles: {
    method: 'GET',
    path: '/admin/organization-roles',
    summary: 'List the roles of members, each with its permissions and the roles that may assign it',
    access: { permission: 'all-organizations:read' },
    response: z.object({
      roles: z.array(OrganizationRole),
      /** The role that the creator of an organization gets. An organization always has at least one member with this role. */
      creatorRole: z.string(),
      /** All permissions that a role can have, in the order in which they are shown. */
      permissions: z.array(z.string()),
      /** True if organizations can have teams. */
      teamsEnabled: z.boolean(),
    }),
    errors: [],
  },
})
