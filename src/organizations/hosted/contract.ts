import { z } from 'zod'
import { plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { Organization } from '../contract.ts'

/** Calls of our own pages about organizations. */
export const hostedOrganizationContract = contract({
  viewOrganization: {
    method: 'GET',
    path: '/hosted/organization',
    summary: 'An organization as its pages show it to the caller: with what they may do there',
    access: 'session',
    query: z.object({ organizationSlug: plainText(256, 1) }),
    response: z.object({
      organization: Organization,
      /** The caller's membership. `isOnlyOwner`: they can neither leave nor give up the creator role. */
      member: z.object({ id: z.string(), role: z.string(), createdAt: Organization.shape.createdAt, isOnlyOwner: z.boolean() }),
      /** Actions the caller may take, by resource; what configuration switches off is left out. */
      permissions: z.record(z.string(), z.array(z.string())),
      /** The roles there are. `mayGive`: the caller may give it; `mayHandle`: may change or remove who has it. */
      roles: z.array(z.object({ name: z.string(), mayGive: z.boolean(), mayHandle: z.boolean() })),
    }),
    errors: ['USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION'],
    hidden: true,
    ownPages: true,
  },
})
