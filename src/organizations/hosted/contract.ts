import { z } from 'zod'
import { plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { Organization } from '../contract.ts'

/** Calls that only gatehouse's own pages about organizations make. */
export const hostedOrganizationContract = contract('Organizations', {
  viewOrganization: {
    method: 'GET',
    path: '/hosted/organization',
    summary: 'Get an organization for its pages, with the permissions of the signed-in user',
    access: { permission: 'organization:read', session: true },
    query: z.object({ organizationSlug: plainText(256, 1) }),
    response: z.object({
      organization: Organization,
      /**
       * The membership of the signed-in user. `isOnlyOwner`: the user is the only owner, and so can neither leave the organization nor
       * give up the creator role.
       */
      member: z.object({ id: z.string(), role: z.string(), createdAt: Organization.shape.createdAt, isOnlyOwner: z.boolean() }),
      /** The actions that the user may do in the organization, by resource. Actions that the configuration disables are left out. */
      permissions: z.record(z.string(), z.array(z.string())),
      /**
       * The limit for seats, and how many are taken by members and by pending invitations. Null if there is no limit, or if the user may
       * not invite people.
       */
      seats: z.object({ seats: z.int(), isFree: z.boolean(), members: z.int(), invitations: z.int() }).nullable(),
      /** The name of the organization's plan. Null if there is none, or if the user may neither invite people nor read purchases. */
      plan: z.string().nullable(),
      /** The name of the role that owners have. An owner can transfer it to another member. */
      ownerRole: z.string(),
      /**
       * All roles of the instance. `canAssign`: the user may assign the role. `canManage`: the user may change or remove a member who has
       * the role.
       */
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
