import type { z } from 'zod'
import type { OrganizationPrincipal, PersonPrincipal, Principal } from '../../access/principal.ts'
import type { SignUp } from '../../authentication/methods/password/index.ts'
import type { Core } from '../../core/core.ts'
import type { Users } from '../../identity/users/index.ts'
import type { OrganizationsConfig } from '../config.ts'
import { organizationErrors } from '../errors.ts'
import { findMembership, requireOrganization } from '../memberships.ts'
import { type Manager, managerCanAssign, type RoleTable, splitRoles } from '../rules.ts'
import { findOrganization } from '../store.ts'
import { notFound, notFoundLegacyText, requireRecipient } from './accept.ts'
import type { invitationContract } from './contract.ts'
import { requireInviter, requireOpen } from './inviter.ts'
import { stateOf } from './rules.ts'
import * as store from './store.ts'
import { type InvitationTokens, redactedId } from './tokens.ts'

type Calls = typeof invitationContract

export interface ReadInvitations {
  /**
   * Shows an invitation to the person who may accept it. The conditions are those for accepting it. Throws NOT_AUTHENTICATED without a
   * session.
   */
  get(
    principal: Principal,
    id: string,
    token: string | undefined,
  ): Promise<store.InvitationOfUser & { readonly inviterEmail: string | null }>
  /**
   * Lists all invitations of an organization, the newest first. Every member may list them (wire behaviour, section 11). Some members get
   * hashes in the place of ids (`redactFor`).
   */
  list(principal: OrganizationPrincipal, query: z.output<Calls['listInvitations']['query']>): Promise<store.InvitationRow[]>
  /**
   * Lists the pending invitations for the user's email address. The address must be verified: otherwise the invitations may be for
   * another person.
   */
  listOwn(principal: PersonPrincipal, email: string | undefined): Promise<store.InvitationOfUser[]>
  /** Shows an invitation on the page that the link in the mail opens. Only a valid token reveals whether the invited address has an account. */
  view(principal: Principal, id: string, token: string | undefined): Promise<z.output<Calls['viewInvitation']['response']>>
}

/**
 * Makes the function that shows an invitation to a member. Anybody who knows the id of an invitation can sign up with the invited
 * address. So a member who may neither create nor cancel the invitation gets a hash in the place of the id (security baseline, section 8;
 * docs/design/organizations.md#invitations).
 */
export const redactFor =
  (table: RoleTable, own: Manager) =>
  <T extends { readonly id: string; readonly role: string }>(invitation: T): T => {
    const managesInvitations = own.allows('invitation:create') || own.allows('invitation:cancel')
    return managesInvitations && managerCanAssign(table, own, splitRoles(invitation.role))
      ? invitation
      : { ...invitation, id: redactedId(invitation.id) }
  }

export interface ReadDeps extends Pick<Core, 'db' | 'clock'> {
  readonly users: Users
  readonly accounts: Pick<SignUp, 'isSignUpOpen'>
  readonly tokens: InvitationTokens
  readonly roles: RoleTable
  readonly config: OrganizationsConfig
}

const ownLimit = 100

export const createReadInvitations = ({ db, clock, users, accounts, tokens, roles, config }: ReadDeps): ReadInvitations => ({
  get: async (principal, id, token) => {
    if (principal.kind !== 'user') throw organizationErrors.error('NOT_AUTHENTICATED')
    const invitation = await store.findInvitation(db, id)
    if (invitation === undefined) throw notFoundLegacyText()
    await requireOpen(db, invitation, clock.now(), notFoundLegacyText)
    const user = await users.find(db, principal.user.id)
    if (user === undefined) throw organizationErrors.error('NOT_AUTHENTICATED')
    requireRecipient(invitation, user, {
      hasValidToken: tokens.verify(invitation, token),
      needsVerified: config.acceptNeedsVerifiedEmail,
    })
    const organization = await findOrganization(db, { id: invitation.organizationId })
    if (organization === undefined) throw notFoundLegacyText()
    const membership = await requireInviter(db, { roles, clock }, invitation, notFoundLegacyText)
    const inviter = membership === undefined ? undefined : await users.find(db, membership.userId)
    return {
      ...invitation,
      organizationName: organization.name,
      organizationSlug: organization.slug,
      inviterEmail: inviter?.email ?? null,
    }
  },

  list: async (principal, query) => {
    const own = await findMembership(db, roles, principal, requireOrganization(principal, query, 'ORGANIZATION_ID_IS_REQUIRED'))
    if (own === undefined) throw organizationErrors.error('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
    return (await store.listInvitations(db, own.organization.id, query)).map(redactFor(roles, own))
  },

  listOwn: async ({ user }, email) => {
    if (email !== undefined && users.requireEmail(email) !== user.email)
      throw organizationErrors.error('YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION')
    if (!user.emailVerified)
      throw organizationErrors.error('EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION')
    return store.listPendingFor(db, user.email, clock.now(), ownLimit)
  },

  view: async (principal, id, token) => {
    const invitation = await store.findInvitation(db, id)
    const organization = invitation && (await findOrganization(db, { id: invitation.organizationId }))
    if (invitation === undefined || organization === undefined) throw notFound()
    const { email, inviterId, role, expiresAt } = invitation
    const state = stateOf(invitation, clock.now())
    const inviter = inviterId === null ? undefined : await users.find(db, inviterId)
    const hasAccount = !tokens.verify(invitation, token) || (await users.findByEmail(db, email)) !== undefined
    return {
      ...{ state, email, expiresAt, hasAccount },
      organizationName: organization.name,
      organizationLogo: organization.logo,
      inviterName: inviter?.name ?? null,
      roles: [...splitRoles(role)],
      signedInAs: principal.kind === 'user' ? { email: principal.user.email, isInvited: principal.user.email === email } : null,
      maySignUp: !hasAccount && state === 'pending' && accounts.isSignUpOpen(config.invitedSignUpEnabled),
    }
  },
})
