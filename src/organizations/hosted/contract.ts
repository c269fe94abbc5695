import { z } from 'zod'
import { plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { Organization } from '../contract.ts'

/** Calls that gatehouse's own pages about organizations make. */
export const hostedOrganizationContract = contract('Organizations', {
  viewOrganization: {
    method: 'GET',
    path: '/hosted/organization',
    summary: 'Get an organization for its pages, with the permissions of the signed-in user',
    access: { permission: 'organization:read', session: true },
    query: z.object({ organizationSlug: plainText(256, 1) }),
    response: z.object({
      organization: Organization,
      /** The user's membership. `isOnlyOwner`: the user can neither leave nor give up the creator role. */
      member: z.object({ id: z.string(), role: z.string(), createdAt: Organization.shape.createdAt, isOnlyOwner: z.boolean() }),
      /** The actions that the user may do, by resource. Those that the configuration disables are left out. */
      permissions: z.record(z.string(), z.array(z.string())),
      /**
       * For members who may invite: the limit, and the number of members and pending invitations. Null if there is no limit, or if the
       * user may not see it.
       */
      seats: z.object({ seats: z.int(), isFree: z.boolean(), members: z.int(), invitations: z.int() }).nullable(),
      /** For members who may invite or read purchases: the name of the plan. Null if there is none, or if the user may not see it. */
      plan: z.string().nullable(),
      /** The role of owners, which an owner may transfer. */
      ownerRole: z.string(),
      /** All roles. `canAssign`: the user may assign the role. `canManage`: the user may change or remove members who have it. */
      roles: z.array(z.object({ name: z.string(), canAssign: z.boolean(), canManage: z.boolean() })),
    }),
    errors: ['400 USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION'],
    hidden: true,
    ownPages: true,
  },
  listOnlyOwned: {
    method: 'GET',
    path: '/hosted/only-owned-organizations',
    summary: 'List the organizations whose only owner is the signed-in user, at most 100; such a user cannot delete the account',
    access: { permission: 'organizations:read', session: true },
    response: z.object({ organizations: z.array(Organization.pick({ id: true, slug: true, name: true })) }),
    errors: [],
    hidden: true,
    ownPages: true,
  },
})
