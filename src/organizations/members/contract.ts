import { z } from 'zod'
import { organizationName, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { Id, Member, MemberWithUser, ofOrganization, paged } from '../contract.ts'

/** A role, several roles separated by commas, or a list of roles. The names are those that the configuration defines. */
export const RoleInput = z.union([plainText(255, 1), z.array(plainText(64, 1)).min(1).max(20)])

export const memberContract = contract('Members', {
  listMembers: {
    method: 'GET',
    path: '/organization/list-members',
    summary: 'List the members of an organization, page by page',
    access: { permission: 'member:read' },
    query: z.object({
      ...ofOrganization,
      organizationSlug: plainText(256, 1).optional(),
      ...paged,
      sortBy: z.enum(['createdAt', 'role', 'name', 'email']).default('createdAt'),
      sortDirection: z.enum(['asc', 'desc']).default('asc'),
      /** Finds members by a part of their name or email address. */
      search: plainText(200).optional(),
      filterField: z.enum(['role', 'userId', 'teamId']).optional(),
      filterOperator: z.enum(['eq']).default('eq'),
      filterValue: plainText(255).optional(),
    }),
    response: z.object({ members: z.array(MemberWithUser), total: z.number() }),
    errors: ['NO_ACTIVE_ORGANIZATION', 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION'],
  },
  removeMember: {
    method: 'POST',
    path: '/organization/remove-member',
    summary: 'Remove a member, named by member id or address',
    access: { permission: 'member:delete' },
    body: z.object({ memberIdOrEmail: plainText(320, 1), ...ofOrganization }),
    response: z.object({ member: MemberWithUser }),
    errors: [
      'NO_ACTIVE_ORGANIZATION',
      'MEMBER_NOT_FOUND',
      'YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER',
      'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
    ],
  },
  updateMemberRole: {
    method: 'POST',
    path: '/organization/update-member-role',
    summary: 'Give a member other roles',
    access: { permission: 'member:update' },
    body: z.object({ memberId: Id, role: RoleInput, ...ofOrganization }),
    response: Member,
    errors: [
      'SESSION_IS_NOT_FRESH',
      'NO_ACTIVE_ORGANIZATION',
      'MEMBER_NOT_FOUND',
      'ROLE_NOT_FOUND',
      'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER',
      'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
    ],
  },
  transferOwnership: {
    method: 'POST',
    path: '/organization/transfer-ownership',
    summary: 'Transfer ownership to another member; the caller keeps their other roles or becomes an admin',
    access: { permission: 'member:update', session: true },
    body: z.object({ memberId: Id, ...ofOrganization }),
    response: Member,
    errors: [
      'SESSION_IS_NOT_FRESH',
      'NO_ACTIVE_ORGANIZATION',
      'MEMBER_NOT_FOUND',
      'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER',
      'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
    ],
  },
  getActiveMember: {
    method: 'GET',
    path: '/organization/get-active-member',
    summary: 'Get the caller’s own membership in the active organization',
    access: { permission: 'member:read' },
    query: z.object(ofOrganization),
    response: MemberWithUser,
    errors: ['NO_ACTIVE_ORGANIZATION', 'MEMBER_NOT_FOUND'],
  },
  getActiveMemberRole: {
    method: 'GET',
    path: '/organization/get-active-member-role',
    summary: 'Get the roles of a member, or the caller’s own roles if no member is named',
    access: { permission: 'member:read' },
    query: z.object({ ...ofOrganization, organizationSlug: plainText(256, 1).optional(), userId: Id.optional() }),
    response: z.object({ role: z.string() }),
    errors: ['NO_ACTIVE_ORGANIZATION', 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION', 'MEMBER_NOT_FOUND'],
  },
  leaveOrganization: {
    method: 'POST',
    path: '/organization/leave',
    summary: 'Leave an organization',
    access: { permission: 'memberships:update' },
    body: z.object({ organizationId: organizationName }),
    response: MemberWithUser,
    errors: ['MEMBER_NOT_FOUND', 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'],
  },
  hasPermission: {
    method: 'POST',
    path: '/organization/has-permission',
    summary: 'Check whether the signed-in user has all of these permissions in the organization',
    access: { permission: 'member:read' },
    body: z
      .object({
        permissions: z.record(z.string(), z.array(z.string())).optional(),
        /** The former name of the field `permissions`. */
        permission: z.record(z.string(), z.array(z.string())).optional(),
        ...ofOrganization,
      })
      .refine((body) => body.permissions !== undefined || body.permission !== undefined, {
        path: ['permissions'],
        message: 'a map of resource to actions is expected',
      }),
    response: z.object({ error: z.null(), success: z.boolean() }),
    errors: ['NO_ACTIVE_ORGANIZATION', '400 USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION'],
  },
})
