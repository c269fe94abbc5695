import { z } from 'zod'
import { counted, sortedPage } from '../../core/page.ts'
import { emailInput, instant, nameInput, organizationName, passwordInput, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { User } from '../../identity/users/contract.ts'
import { Id, Invitation, InvitationState, Member, ofOrganization, paged } from '../contract.ts'
import { RoleInput } from '../members/contract.ts'

const TeamInput = z.union([Id, z.array(Id).max(20)])

/** The token in the link of an invitation mail. Whoever has the token can read the invited mailbox, so the token verifies the email address. */
const Proof = plainText(200, 1)

const inviting = {
  role: RoleInput,
  ...ofOrganization,
  /**
   * What happens if the address already has a pending invitation. True: that invitation is sent again with a new expiry. False: it is an
   * error.
   */
  resend: z.boolean().optional(),
  teamId: TeamInput.optional(),
} as const

const refusalsOfInviting = [
  'SESSION_IS_NOT_FRESH',
  'NO_ACTIVE_ORGANIZATION',
  'MEMBER_NOT_FOUND',
  'INVALID_EMAIL',
  'ROLE_NOT_FOUND',
  'TEAM_NOT_FOUND',
  'YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION',
  'EMAIL_VERIFICATION_REQUIRED_BEFORE_INVITING',
  'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE',
  'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
  'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION',
  'INVITATION_LIMIT_REACHED',
  'SEAT_LIMIT_REACHED',
] as const

const ofInvitation = z.object({ invitationId: Id, token: Proof.optional() })

const refusalsOfAnswering = [
  'INVITATION_NOT_FOUND',
  'YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION',
  'EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION',
] as const

export const invitationContract = contract('Invitations', {
  inviteMember: {
    method: 'POST',
    path: '/organization/invite-member',
    summary: 'Invite a person by address',
    access: { permission: 'invitation:create' },
    body: z.object({ email: emailInput, ...inviting }),
    response: Invitation,
    errors: refusalsOfInviting,
  },
  inviteMembers: {
    method: 'POST',
    path: '/organization/invite-members',
    summary: 'Invite several people at once; returns the outcome for each address',
    access: { permission: 'invitation:create' },
    body: z.object({ emails: z.array(emailInput).min(1).max(100), ...inviting }),
    response: z.object({
      invitations: z.array(Invitation),
      refused: z.array(z.object({ email: z.string(), code: z.string(), message: z.string() })),
    }),
    errors: refusalsOfInviting,
  },
  acceptInvitation: {
    method: 'POST',
    path: '/organization/accept-invitation',
    summary: 'Accept an invitation; the organization becomes the active one',
    access: { permission: 'memberships:update' },
    body: ofInvitation,
    response: z.object({ invitation: Invitation, member: Member }),
    errors: [
      ...refusalsOfAnswering,
      'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED',
      'SEAT_LIMIT_REACHED',
      'TEAM_MEMBER_LIMIT_REACHED',
      'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
      'INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION',
      'INVITATION_CANNOT_BE_ACCEPTED_NOW',
    ],
  },
  rejectInvitation: {
    method: 'POST',
    path: '/organization/reject-invitation',
    summary: 'Reject an invitation',
    access: { permission: 'memberships:update' },
    body: ofInvitation,
    response: z.object({ invitation: Invitation, member: z.null() }),
    errors: refusalsOfAnswering,
  },
  cancelInvitation: {
    method: 'POST',
    path: '/organization/cancel-invitation',
    summary: 'Cancel an invitation',
    access: { permission: 'invitation:cancel' },
    body: z.object({ invitationId: Id }),
    response: Invitation,
    errors: ['INVITATION_NOT_FOUND', 'MEMBER_NOT_FOUND', 'YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION'],
  },
  getInvitation: {
    method: 'GET',
    path: '/organization/get-invitation',
    summary: 'Get an invitation that the signed-in user may accept; the token of the mail counts as a verified address',
    access: 'public',
    query: z.object({ id: Id, token: Proof.optional() }),
    response: Invitation.extend({
      organizationName: z.string(),
      organizationSlug: z.string(),
      inviterEmail: z.string().nullable(),
    }),
    errors: [
      'NOT_AUTHENTICATED',
      'INVITATION_NOT_FOUND',
      'YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION',
      'EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION',
      'INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION',
      'INVITATION_CANNOT_BE_ACCEPTED_NOW',
    ],
  },
  listInvitations: {
    method: 'GET',
    path: '/organization/list-invitations',
    summary:
      'List the invitations of an organization, newest first; callers who may not invite to a role get a hash instead of the id',
    access: { permission: 'invitation:read' },
    query: z.object({ ...ofOrganization, ...paged }),
    response: z.array(Invitation),
    errors: ['ORGANIZATION_ID_IS_REQUIRED', 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION'],
  },
  listUserInvitations: {
    method: 'GET',
    path: '/organization/list-user-invitations',
    summary: 'List the pending invitations for the signed-in user, whose address has to be verified',
    access: { permission: 'organizations:read' },
    query: z.object({ email: z.string().optional() }),
    response: z.array(Invitation.extend({ organizationName: z.string(), organizationSlug: z.string() })),
    errors: [
      'YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION',
      'EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION',
    ],
  },
  /** Returns the data for the page that the link in an invitation mail opens. */
  viewInvitation: {
    method: 'GET',
    path: '/hosted/invitation',
    summary: 'Get the data for the page of an invitation’s link, with or without a session',
    access: 'public',
    query: z.object({ id: Id, token: Proof.optional() }),
    response: z.object({
      state: z.enum(['pending', 'accepted', 'rejected', 'canceled', 'expired']),
      organizationName: z.string(),
      organizationLogo: z.string().nullable(),
      inviterName: z.string().nullable(),
      /** The invited email address. */
      email: z.string(),
      roles: z.array(z.string()),
      expiresAt: instant,
      /** The email address of the signed-in account, and whether the invitation is for that address. Null if nobody is signed in. */
      signedInAs: z.object({ email: z.string(), isInvited: z.boolean() }).nullable(),
      /**
       * True if the invited email address has an account. If the call has no valid token, it is always true, so that only the owner of
       * the mailbox can find out.
       */
      hasAccount: z.boolean(),
      /** True if a person with this token can sign up with the invited email address. */
      maySignUp: z.boolean(),
    }),
    errors: ['INVITATION_NOT_FOUND'],
    hidden: true,
    ownPages: true,
  },
  signUpInvited: {
    method: 'POST',
    path: '/hosted/invitation/sign-up',
    summary: 'Create an account with the invited address, which the link verifies, and accept the invitation',
    access: 'public',
    /** The body may also contain the fields that `users.fields` lets users set, and a user name if the instance has user names. */
    body: z.looseObject({
      ...{ invitationId: Id, token: Proof, name: nameInput, password: passwordInput },
      ...{ username: z.unknown().optional(), displayUsername: z.unknown().optional() },
    }),
    response: z.object({ invitation: Invitation, member: Member, user: User }),
    errors: [
      'INVITATION_NOT_FOUND',
      'EMAIL_AND_PASSWORD_SIGN_UP_IS_NOT_ENABLED',
      'USER_ALREADY_EXISTS',
      'PASSWORD_TOO_SHORT',
      'PASSWORD_TOO_LONG',
      'PASSWORD_TOO_COMMON',
      'PASSWORD_WAS_LEAKED',
      '400 USERNAME_TOO_SHORT',
      '400 USERNAME_TOO_LONG',
      '400 INVALID_USERNAME',
      'INVALID_DISPLAY_USERNAME',
      'USERNAME_IS_ALREADY_TAKEN',
      'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED',
      'SEAT_LIMIT_REACHED',
      'TEAM_MEMBER_LIMIT_REACHED',
      'INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION',
      'INVITATION_CANNOT_BE_ACCEPTED_NOW',
    ],
    limit: 'strict',
    startsSession: true,
    hidden: true,
    ownPages: true,
  },
})

/**
 * An invitation in an operator's list for all organizations. `inviter` is null if an operator sent the invitation, or if the inviter was
 * deleted.
 */
export const ListedInvitation = Invitation.extend({
  status: InvitationState,
  organizationName: z.string(),
  organizationSlug: z.string(),
  inviter: z.object({ id: z.string(), name: z.string(), email: z.string() }).nullable(),
  byOperator: z.boolean(),
}).meta({ id: 'ListedInvitation' })

export const allInvitationsList = counted(
  sortedPage('invitations', ListedInvitation, {
    filter: {
      id: Id.optional(),
      email: plainText(320, 1)
        .optional()
        .meta({ description: 'The complete invited address. Upper and lower case do not matter.' }),
      status: InvitationState.optional().meta({
        description: 'A pending invitation can still be accepted. An expired one was not accepted in time.',
      }),
      organizationId: organizationName.optional(),
      inviterId: Id.optional().meta({ description: 'The user who invited.' }),
    },
    sorts: ['createdAt'],
  }),
)

/** The calls with which operators list invitations of all organizations. */
export const invitationAdministrationContract = contract('Invitations', {
  adminListAllInvitations: {
    method: 'GET',
    path: '/admin/invitations',
    holdsSecrets: true,
    summary: 'List the invitations of all organizations, page by page; ids are hashed for callers who cannot cancel',
    access: { permission: 'all-organizations:read' },
    ...allInvitationsList,
    errors: [],
  },
})

/** Descriptions and examples of the calls for the API document. They stand in a module of their own, so that pages do not load them. */
export const invitationDocumentation = {
  inviteMember: {
    description: 'Sends a mail with a link. If the person has no account, the link leads to the sign-up.',
    example: { body: { email: 'charles@example.com', role: 'member' } },
  },
}
