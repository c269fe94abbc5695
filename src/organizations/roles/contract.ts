import { z } from 'zod'
import { contract } from '../../http/contract.ts'

/** A role of members, with its permissions in every organization of this installation. */
export const OrganizationRole = z
  .object({
    name: z.string(),
    /** False for a role of the configuration, also one that replaces a built-in role. */
    isBuiltIn: z.boolean(),
    permissions: z.array(z.string()),
    /** Roles whose members may assign it. */
    givenBy: z.array(z.string()),
  })
  .meta({ id: 'OrganizationRole' })

export const organizationRoleContract = contract('Organizations', {
  listOrganizationRoles: {
    method: 'GET',
    path: '/admin/organization-roles',
    summary: 'The roles of members, their permissions, and the roles that may give each',
    access: { permission: 'all-organizations:read' },
    response: z.object({
      roles: z.array(OrganizationRole),
      /** The role of an organization's creator; at least one member always has it. */
      creatorRole: z.string(),
      /** All permissions that a role can have, in the order of display. */
      permissions: z.array(z.string()),
      /** True with teams in organizations. */
      teamsEnabled: z.boolean(),
    }),
    errors: [],
  },
})
