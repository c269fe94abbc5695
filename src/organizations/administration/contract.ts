import { z } from 'zod'
import { counted, sortedPage } from '../../core/page.ts'
import { resourceTag } from '../../core/resource-tag.ts'
import { emailInput, instant, nameInput, pictureInput, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import {
  CreateOrganization,
  Id,
  Invitation,
  InvitationState,
  Member,
  MemberWithUser,
  MetadataInput,
  Organization,
  requiresSecondFactorInput,
  Slug,
} from '../contract.ts'
import { RoleInput } from '../members/contract.ts'

/** An organization in the lists of administrators. Its metadata, which applications store, is left out. */
export const ListedOrganization = Organization.omit({ metadata: true })
  .extend({ memberCount: z.int() })
  .meta({ id: 'ListedOrganization' })

/** An organization as administrators see it. */
export const AdministeredOrganization = Organization.extend({ memberCount: z.int() }).meta({ id: 'AdministeredOrganization' })

/** The number of members does not affect the `ETag`, because it changes without a change of the organization itself. */
export const organizationTag = resourceTag(AdministeredOrganization, { except: ['memberCount'] })
export const memberTag = resourceTag(Member, { except: ['teamId'] })

export const organizationList = counted(
  sortedPage('organizations', ListedOrganization, {
    filter: {
      search: plainText(200, 1).optional().meta({
        description: 'Text in the name or the slug. Text of one or two characters matches only the beginning of a word.',
      }),
      createdSince: instant.optional(),
      createdUntil: instant.optional(),
    },
    sorts: ['createdAt', 'name', 'slug'],
  }),
)

export const memberList = counted(
  sortedPage('members', MemberWithUser.omit({ teamId: true }), {
    filter: { role: plainText(255, 1).optional().meta({ description: 'A role that the member has, alone or beside others.' }) },
    sorts: ['createdAt'],
  }),
)

/** An invitation in an administrator's list for one organization. Unlike the stored status, its status can be `expired`. */
export const AdministeredInvitation = Invitation.extend({ status: InvitationState }).meta({ id: 'AdministeredInvitation' })

export const invitationList = counted(
  sortedPage('invitations', AdministeredInvitation, { filter: { status: InvitationState.optional() }, sorts: ['createdAt'] }),
)

export const membershipList = counted(
  sortedPage(
    'organizations',
    z.object({ ...Organization.omit({ metadata: true }).shape, memberId: z.string(), role: z.string(), joinedAt: instant }),
    { filter: {}, sorts: ['joinedAt'] },
  ),
)

const ofOrganization = z.object({ id: Id })
const ofMember = z.object({ id: Id, memberId: Id })
const read = { permission: 'all-organizations:read' } as const
const update = { permission: 'all-organizations:update' } as const
/** True if the operator allows that the user's email address is not verified. */
const unverified = z.boolean().optional()
const success = z.object({ success: z.boolean() })
const onlyOwner = 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'

export const organizationAdministrationContract = contract('Organizations', {
  adminListOrganizations: {
    method: 'GET',
    path: '/admin/organizations',
    summary: 'List organizations, page by page; search by name and slug',
    access: read,
    ...organizationList,
    errors: [],
  },
  adminCreateOrganization: {
    method: 'POST',
    path: '/admin/organizations',
    summary: 'Create an organization, with or without an owner',
    access: { permission: 'all-organizations:create' },
    body: z.strictObject({
      ...CreateOrganization.shape,
      logo: pictureInput.nullable().optional(),
      metadata: MetadataInput.nullable().optional(),
      /** Id of the user who becomes the first member and gets the creator role. */
      ownerId: Id.optional(),
      unverified,
    }),
    response: AdministeredOrganization,
    etag: organizationTag,
    errors: ['ADDRESS_IS_NOT_VERIFIED', 'SESSION_IS_NOT_FRESH', 'NOT_FOUND', 'ORGANIZATION_ALREADY_EXISTS'],
  },
  adminGetOrganization: {
    method: 'GET',
    path: '/admin/organizations/:id',
    summary: 'Get one organization',
    access: read,
    params: ofOrganization,
    response: AdministeredOrganization,
    etag: organizationTag,
    errors: ['NOT_FOUND'],
  },
  adminPatchOrganization: {
    method: 'PATCH',
    path: '/admin/organizations/:id',
    summary: 'Change name, slug, logo or metadata of an organization, or require a second factor of its members',
    access: update,
    params: ofOrganization,
    body: z.strictObject({
      name: nameInput.optional(),
      slug: Slug.optional(),
      logo: pictureInput.nullable().optional(),
      metadata: MetadataInput.nullable().optional(),
      requiresSecondFactor: requiresSecondFactorInput.optional(),
    }),
    response: AdministeredOrganization,
    etag: organizationTag,
    ifMatch: organizationTag,
    errors: ['SESSION_IS_NOT_FRESH', 'NOT_FOUND', 'ORGANIZATION_ALREADY_EXISTS', 'SECOND_FACTOR_REQUIRED'],
  },
  adminDeleteOrganization: {
    method: 'DELETE',
    path: '/admin/organizations/:id',
    summary: 'Delete an organization with everything in it',
    access: { permission: 'all-organizations:delete', fresh: 'person' },
    params: ofOrganization,
    response: success,
    ifMatch: organizationTag,
    errors: ['NOT_FOUND'],
  },
  adminListMembers: {
    method: 'GET',
    path: '/admin/organizations/:id/members',
    summary: 'List the members of an organization, page by page',
    access: read,
    params: ofOrganization,
    ...memberList,
    errors: ['NOT_FOUND'],
  },
  adminAddMember: {
    method: 'POST',
    path: '/admin/organizations/:id/members',
    summary: 'Make a user a member, without an invitation',
    access: update,
    params: ofOrganization,
    body: z.strictObject({ userId: Id, role: RoleInput, unverified }),
    response: Member,
    errors: [
      'ADDRESS_IS_NOT_VERIFIED',
      'SESSION_IS_NOT_FRESH',
      'NOT_FOUND',
      'ROLE_NOT_FOUND',
      'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
      'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED',
      'SEAT_LIMIT_REACHED',
    ],
  },
  adminGetMember: {
    method: 'GET',
    path: '/admin/organizations/:id/members/:memberId',
    summary: 'Get one member of an organization',
    access: read,
    params: ofMember,
    response: Member,
    etag: memberTag,
    errors: ['NOT_FOUND'],
  },
  adminPatchMember: {
    method: 'PATCH',
    path: '/admin/organizations/:id/members/:memberId',
    summary: 'Give a member other roles; the organization keeps at least one owner',
    access: update,
    params: ofMember,
    body: z.strictObject({ role: RoleInput, unverified }),
    response: Member,
    etag: memberTag,
    ifMatch: memberTag,
    errors: ['ADDRESS_IS_NOT_VERIFIED', 'SESSION_IS_NOT_FRESH', 'NOT_FOUND', 'ROLE_NOT_FOUND', onlyOwner],
  },
  adminRemoveMember: {
    method: 'DELETE',
    path: '/admin/organizations/:id/members/:memberId',
    summary: 'Remove a member; the organization keeps at least one owner',
    access: update,
    params: ofMember,
    response: success,
    ifMatch: memberTag,
    errors: ['NOT_FOUND', onlyOwner],
  },
  adminListInvitations: {
    method: 'GET',
    path: '/admin/organizations/:id/invitations',
    holdsSecrets: true,
    summary: 'List the invitations of an organization, page by page; ids are hashed for callers who cannot cancel',
    access: read,
    params: ofOrganization,
    ...invitationList,
    errors: ['NOT_FOUND'],
  },
  adminInvite: {
    method: 'POST',
    path: '/admin/organizations/:id/invitations',
    summary: 'Invite a person by address, in the name of the organization',
    access: update,
    params: ofOrganization,
    body: z.strictObject({
      email: emailInput,
      role: RoleInput,
      resend: z.boolean().optional(),
      /** Ids or names of the teams that the new member joins. */
      teamId: z.array(plainText(200, 1)).max(20).optional(),
    }),
    response: Invitation,
    errors: [
      'SESSION_IS_NOT_FRESH',
      'NOT_FOUND',
      'INVALID_EMAIL',
      'ROLE_NOT_FOUND',
      'TEAM_NOT_FOUND',
      'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
      'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION',
      'INVITATION_LIMIT_REACHED',
      'SEAT_LIMIT_REACHED',
    ],
  },
  adminCancelInvitation: {
    method: 'DELETE',
    path: '/admin/organizations/:id/invitations/:invitationId',
    summary: 'Cancel an invitation',
    access: update,
    params: z.object({ id: Id, invitationId: Id }),
    response: success,
    errors: ['NOT_FOUND'],
  },
  adminListOrganizationsOfUser: {
    method: 'GET',
    path: '/admin/users/:id/organizations',
    summary: 'List the organizations of a user with their roles in each, page by page',
    access: read,
    params: z.object({ id: Id }),
    ...membershipList,
    errors: ['NOT_FOUND'],
  },
})
