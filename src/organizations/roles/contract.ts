import { z } from 'zod'
import { contract } from '../../http/contract.ts'

/** A role of members, with its permissions in every organization of this installation. */
export const OrganizationRole = z
  .object({
    name: z.string(),
    /** False for a role of the configuration, also where it replaces a built-in one. */
    isBuiltIn: z.boolean(),
    permissions: z.array(z.string()),
    /** Roles whose holders may give it to others. */
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
      /** The role of creators of an organization; at least one member always has it. */
      creatorRole: z.string(),
      /** Every permission that a role can have, in the order in which they are shown. */
      permissions: z.array(z.string()),
      /** Whether organizations have teams here. */
      teamsEnabled: z.boolean(),
    }),
    errors: [],
  },
})
