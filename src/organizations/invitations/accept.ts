import type { z } from 'zod'
import { can } from '../../access/can.ts'
import {
  type CurrentSession,
  type OrganizationPrincipal,
  type PermittedPrincipal,
  type PersonPrincipal,
  type Principal,
  sessionOf,
} from '../../access/principal.ts'
import { defaultRole } from '../../access/roles.ts'
import type { Attempts } from '../../authentication/attempts/index.ts'
import type { SignUp } from '../../authentication/methods/password/index.ts'
import type { Sessions, StartedSession } from '../../authentication/sessions/index.ts'
import type { Core } from '../../core/core.ts'
import { afterCommit, lockRow, type Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import type { User, Users } from '../../identity/users/index.ts'
import type { OrganizationsConfig } from '../config.ts'
import { organizationErrors } from '../errors.ts'
import { organizationEvents } from '../events.ts'
import type { MemberAdder } from '../members/add.ts'
import type * as members from '../members/store.ts'
import { findMembership } from '../memberships.ts'
import { type RoleTable, splitRoles } from '../rules.ts'
import { findOrganization, lockOrganization } from '../store.ts'
import type { TeamMemberships } from '../teams/memberships.ts'
import type { invitationContract } from './contract.ts'
import { type InvitationEndings, requireInviter, requireOpen } from './inviter.ts'
import { stateOf } from './rules.ts'
import * as store from './store.ts'
import { type InvitationTokens, redactedId } from './tokens.ts'

type SignUpInput = z.output<(typeof invitationContract)['signUpInvited']['body']>

export interface Accepted {
  readonly invitation: store.InvitationRow
  readonly member: members.MemberRow & { readonly teamId: string | null }
}

export interface AcceptInvitations {
  /**
   * Makes the user a member of the organization, and makes it the active organization of the session. With a valid token, the user's
   * email address becomes verified.
   */
  accept(principal: PersonPrincipal, id: string, token: string | undefined): Promise<Accepted>
  reject(principal: PersonPrincipal, id: string, token: string | undefined): Promise<store.InvitationRow>
  /** Cancels a pending invitation. An expired invitation can be canceled, too. */
  cancel(principal: OrganizationPrincipal, id: string): Promise<store.InvitationRow>
  /** Cancels an invitation for an operator. The operator has to name the organization of the invitation as well. Throws NOT_FOUND. */
  cancelAsOperator(principal: PermittedPrincipal, organizationId: string, id: string): Promise<store.InvitationRow>
  /** Creates an account with the invited email address, and makes the new user a member. The token verifies the address. */
  signUp(
    principal: Principal,
    input: SignUpInput,
  ): Promise<Accepted & { readonly user: User; readonly started: StartedSession | undefined }>
}

export interface AcceptDeps extends Pick<Core, 'db' | 'transact' | 'security' | 'clock' | 'events'> {
  readonly users: Users
  readonly sessions: Sessions
  readonly attempts: Attempts
  readonly accounts: Pick<SignUp, 'prepare' | 'requireSignUp'>
  readonly memberAdder: MemberAdder
  readonly teamMemberships: TeamMemberships
  readonly tokens: InvitationTokens
  readonly invitationEndings: InvitationEndings
  readonly roles: RoleTable
  readonly config: OrganizationsConfig
}

/**
 * The error for an invitation that was not found. The specification has two messages for this case; this is the one for most calls (wire
 * behaviour, section 11).
 */
export const notFound = () => organizationErrors.error('INVITATION_NOT_FOUND')
export const notFoundLegacyText = () => organizationErrors.error('INVITATION_NOT_FOUND', { message: 'Invitation not found!' })

/**
 * Checks that the invitation is for the user's email address. If the configuration requires verified addresses, also checks that the
 * address is verified, or that the call contains the token from the mail (`hasValidToken`). Throws if one of the checks fails.
 */
export const requireRecipient = (
  { email }: store.InvitationRow,
  user: Pick<User, 'email' | 'emailVerified'>,
  { hasValidToken, needsVerified }: { readonly hasValidToken: boolean; readonly needsVerified: boolean },
) => {
  if (user.email !== email) throw organizationErrors.error('YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION')
  if (needsVerified && !user.emailVerified && !hasValidToken)
    throw organizationErrors.error('EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION')
}

export const createAcceptInvitations = (deps: AcceptDeps): AcceptInvitations => {
  const {
    db,
    transact,
    security,
    clock,
    events,
    users,
    sessions,
    attempts,
    accounts,
    memberAdder,
    teamMemberships,
    tokens,
    invitationEndings,
    roles,
    config,
  } = deps

  /** Finds an invitation, and locks its organization until the transaction ends, so that nobody can change the status of the invitation. */
  const lock = async (tx: Tx, id: string): Promise<store.InvitationRow | undefined> => {
    const found = await store.findInvitation(tx, id)
    if (found === undefined) return undefined
    await lockOrganization(tx, found.organizationId)
    return store.findInvitation(tx, id)
  }

  const lockOpen = async (tx: Tx, id: string): Promise<store.InvitationRow> => {
    const invitation = await lock(tx, id)
    if (invitation === undefined) throw notFound()
    await requireOpen(tx, invitation, clock.now(), notFound)
    return invitation
  }

  const settle = async (tx: Tx, invitation: store.InvitationRow, status: store.InvitationStatus) => {
    if (!(await store.settle(tx, invitation, status))) throw notFound()
    return { ...invitation, status }
  }

  const cancel = async (tx: Tx, principal: Principal, invitation: store.InvitationRow) => {
    if (!(await invitationEndings.cancel(tx, principal, invitation))) throw notFound()
    return { ...invitation, status: 'canceled' as const }
  }

  /** Reads the user again and locks the user's row. So the user still has the invited email address at the moment when they become a member. */
  const lockRecipient = async (
    tx: Tx,
    principal: PersonPrincipal,
    invitation: store.InvitationRow,
    hasValidToken: boolean,
  ): Promise<User> => {
    await lockRow(tx, 'user', principal.user.id)
    await sessions.requireAlive(tx, principal)
    const user = await users.find(tx, principal.user.id)
    if (user === undefined) throw coreErrors.error('UNAUTHORIZED')
    requireRecipient(invitation, user, { hasValidToken, needsVerified: config.acceptNeedsVerifiedEmail })
    return user
  }

  const join = async (
    tx: Tx,
    principal: Principal,
    session: Pick<CurrentSession, 'id' | 'factors'> | undefined,
    invitation: store.InvitationRow,
    userId: string,
  ): Promise<Accepted> => {
    const { organizationId } = invitation
    await requireInviter(tx, deps, invitation, notFound)
    const joiner = { organizationId, userId }
    const member = await memberAdder.add(tx, principal, { ...joiner, roles: splitRoles(invitation.role) })
    const [teamId = null, ...others] = config.teamsEnabled
      ? await teamMemberships.addAll(tx, principal, joiner, invitation.teamIds)
      : []
    const accepted = await settle(tx, invitation, 'accepted')
    // Without a second factor that the organization requires, it does not become active in the session of the new member.
    const mayEnter =
      session !== undefined &&
      (session.factors >= 2 || (await findOrganization(tx, { id: organizationId }))?.requiresSecondFactor === false)
    if (mayEnter) await sessions.setActive(tx, session.id, organizationId, others.length === 0 ? teamId : null)
    const about = { subject: redactedId(invitation.id), organizationId, data: { memberId: member.id } }
    await events.record(tx, principal, organizationEvents['invitation.accepted'], about)
    afterCommit(tx, () => security(principal, 'role.changed', { userId, organizationId, role: member.role }))
    return { invitation: accepted, member: { ...member, teamId } }
  }

  return {
    accept: (principal, id, token) =>
      transact(async (tx) => {
        const invitation = await lockOpen(tx, id)
        const hasValidToken = tokens.verify(invitation, token)
        const user = await lockRecipient(tx, principal, invitation, hasValidToken)
        if (hasValidToken) await users.verifyEmail(tx, principal, user.id, user)
        return join(tx, principal, sessionOf(principal), invitation, user.id)
      }),

    reject: (principal, id, token) =>
      transact(async (tx) => {
        const invitation = await lock(tx, id)
        if (invitation === undefined || stateOf(invitation, clock.now()) !== 'pending') throw notFoundLegacyText()
        await lockRecipient(tx, principal, invitation, tokens.verify(invitation, token))
        const about = { subject: redactedId(invitation.id), organizationId: invitation.organizationId, data: {} }
        await events.record(tx, principal, organizationEvents['invitation.rejected'], about)
        return settle(tx, invitation, 'rejected')
      }),

    cancel: (principal, id) =>
      transact(async (tx) => {
        const invitation = await lock(tx, id)
        if (invitation === undefined) throw notFound()
        const own = await findMembership(tx, roles, principal, { id: invitation.organizationId })
        if (own === undefined) throw organizationErrors.error('MEMBER_NOT_FOUND')
        if (!can(principal, 'invitation:cancel', own))
          throw organizationErrors.error('YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION')
        return cancel(tx, principal, invitation)
      }),

    cancelAsOperator: (principal, organizationId, id) =>
      transact(async (tx) => {
        if (!can(principal, 'all-organizations:update') || !(await users.confirmPermissions(tx, principal)))
          throw coreErrors.error('FORBIDDEN')
        const invitation = await lock(tx, id)
        if (invitation?.organizationId !== organizationId || invitation.status !== 'pending')
          throw coreErrors.error('NOT_FOUND', { message: 'Invitation not found' })
        return cancel(tx, principal, invitation)
      }),

    signUp: async (principal, input) => {
      const { invitationId, token, name, password } = input
      const invited = await store.findInvitation(db, invitationId)
      if (invited === undefined || !tokens.verify(invited, token)) throw notFound()
      await requireOpen(db, invited, clock.now(), notFound)
      accounts.requireSignUp(config.invitedSignUpEnabled)
      const email = invited.email
      const given = { fields: users.fields.forSignUp(input), names: users.names.forSignUp(input) }
      // This check avoids hashing a password in vain. The unique index decides when the user is stored.
      const { username } = given.names
      if (username !== null && (await users.findByName(db, username)) !== undefined) throw users.names.taken()
      const account = await accounts.prepare(principal, {
        ...{ name, email, password, role: defaultRole, emailVerified: true },
        ...given,
      })
      return transact(async (tx) => {
        const invitation = await lockOpen(tx, invitationId)
        const { user, proof } = await account.insert(tx)
        const started = await attempts.startIfEnough(tx, principal, user, [proof], { rememberMe: true })
        return { ...(await join(tx, principal, started?.session, invitation, user.id)), user, started }
      })
    },
  }
}
