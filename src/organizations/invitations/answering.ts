import type { z } from 'zod'
import type { Accounts } from '../../accounts/index.ts'
import type { Caller, UserCaller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import { afterCommit, type Db, lockRow, type Transact, type Tx } from '../../core/database.ts'
import { type AppError, coreErrors } from '../../core/errors.ts'
import type { SecurityLog } from '../../core/security-log.ts'
import type { Sessions, StartedSession } from '../../sessions/index.ts'
import type { User, Users } from '../../users/index.ts'
import { findMembership } from '../access.ts'
import type { OrganizationsConfig } from '../config.ts'
import { organizationErrors } from '../errors.ts'
import type { Joining } from '../joining.ts'
import * as members from '../members/store.ts'
import { isAllowed, mayGive, type RoleTable, splitRoles } from '../rules.ts'
import { lockOrganization } from '../store.ts'
import type { Places } from '../teams/places.ts'
import type { invitationContract } from './contract.ts'
import type { Proofs } from './proof.ts'
import { stateOf } from './rules.ts'
import * as store from './store.ts'

type SignUpInput = z.output<(typeof invitationContract)['signUpInvited']['body']>

export interface Accepted {
  readonly invitation: store.InvitationRow
  readonly member: members.MemberRow & { readonly teamId: string | null }
}

export interface Answering {
  /** The caller joins, and the session acts for the organization. With the token of the mail their address is verified. */
  accept(caller: UserCaller, id: string, token: string | undefined): Promise<Accepted>
  reject(caller: UserCaller, id: string, token: string | undefined): Promise<store.InvitationRow>
  /** Takes a pending invitation back, an expired one too. */
  cancel(caller: UserCaller, id: string): Promise<store.InvitationRow>
  /** An account for the invited address, which the token verifies; it joins at once. */
  signUp(caller: Caller, input: SignUpInput): Promise<Accepted & { readonly user: User; readonly started: StartedSession }>
}

export interface AnsweringDeps {
  readonly db: Db
  readonly transact: Transact
  readonly security: SecurityLog
  readonly clock: Clock
  readonly users: Users
  readonly sessions: Sessions
  readonly accounts: Pick<Accounts, 'prepare' | 'requireSignUp'>
  readonly joining: Joining
  readonly places: Places
  readonly proofs: Proofs
  readonly roles: RoleTable
  readonly config: OrganizationsConfig
}

/** The specification's two spellings of one refusal (wire behaviour, section 11). */
export const notFound = () => organizationErrors.refuse('INVITATION_NOT_FOUND')
export const notFoundWithMark = () => organizationErrors.refuse('INVITATION_NOT_FOUND', { message: 'Invitation not found!' })

/**
 * Who stands for an invitation, undefined for an operator. Throws when they have left, and `refusal` when they could not give its roles any
 * more (security baseline, section 8).
 */
export const requireInviter = async (
  db: Db,
  table: RoleTable,
  { organizationId, inviterId, role }: store.InvitationRow,
  refusal: () => AppError,
): Promise<members.MemberRow | undefined> => {
  if (inviterId === null) return undefined
  const inviter = await members.findMembership(db, organizationId, inviterId)
  if (inviter === undefined) throw organizationErrors.refuse('INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION')
  if (!mayGive(table, splitRoles(inviter.role), splitRoles(role))) throw refusal()
  return inviter
}

/** Throws unless the invitation is for the address of the user and, where it must be, verified; `isProven`: by the token of the mail. */
export const requireRecipient = (
  { email }: store.InvitationRow,
  user: Pick<User, 'email' | 'emailVerified'>,
  { isProven, needsVerified }: { readonly isProven: boolean; readonly needsVerified: boolean },
) => {
  if (user.email !== email) throw organizationErrors.refuse('YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION')
  if (needsVerified && !user.emailVerified && !isProven)
    throw organizationErrors.refuse('EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION')
}

export const createAnswering = (deps: AnsweringDeps): Answering => {
  const { db, transact, security, clock, users, sessions, accounts, joining, places, proofs, roles, config } = deps

  /** An invitation with its organization locked: until the transaction ends nobody else settles it. */
  const lock = async (tx: Tx, id: string): Promise<store.InvitationRow | undefined> => {
    const found = await store.findInvitation(tx, id)
    if (found === undefined) return undefined
    await lockOrganization(tx, found.organizationId)
    return store.findInvitation(tx, id)
  }

  const lockOpen = async (tx: Tx, id: string, refusal: () => AppError): Promise<store.InvitationRow> => {
    const invitation = await lock(tx, id)
    if (invitation === undefined || stateOf(invitation, clock.now()) !== 'pending') throw refusal()
    return invitation
  }

  const settle = async (tx: Tx, invitation: store.InvitationRow, status: store.InvitationStatus) => {
    if (!(await store.settle(tx, invitation, status))) throw notFound()
    return { ...invitation, status }
  }

  /** The caller as they are now, locked, so that they keep the address until they have joined with it. */
  const lockRecipient = async (tx: Tx, caller: UserCaller, invitation: store.InvitationRow, isProven: boolean): Promise<User> => {
    await lockRow(tx, 'user', caller.user.id)
    const user = await users.find(tx, caller.user.id)
    if (user === undefined) throw coreErrors.refuse('UNAUTHORIZED')
    requireRecipient(invitation, user, { isProven, needsVerified: config.acceptNeedsVerifiedEmail })
    return user
  }

  const join = async (
    tx: Tx,
    caller: Caller,
    sessionId: string,
    invitation: store.InvitationRow,
    userId: string,
  ): Promise<Accepted> => {
    const { organizationId } = invitation
    await requireInviter(tx, roles, invitation, notFound)
    const joiner = { organizationId, userId }
    const member = await joining.join(tx, { ...joiner, roles: splitRoles(invitation.role) })
    const [teamId = null, ...others] = config.teamsEnabled ? await places.takeAll(tx, joiner, invitation.teamIds) : []
    const accepted = await settle(tx, invitation, 'accepted')
    await sessions.setActive(tx, sessionId, organizationId, others.length === 0 ? teamId : null)
    afterCommit(tx, () => security(caller, 'role.changed', { userId, organizationId, role: member.role }))
    return { invitation: accepted, member: { ...member, teamId } }
  }

  return {
    accept: (caller, id, token) =>
      transact(async (tx) => {
        const invitation = await lockOpen(tx, id, notFound)
        const isProven = proofs.isGood(invitation, token)
        const user = await lockRecipient(tx, caller, invitation, isProven)
        if (isProven) await users.verifyEmail(tx, user.id, user)
        return join(tx, caller, caller.session.id, invitation, user.id)
      }),

    reject: (caller, id, token) =>
      transact(async (tx) => {
        const invitation = await lockOpen(tx, id, notFoundWithMark)
        await lockRecipient(tx, caller, invitation, proofs.isGood(invitation, token))
        return settle(tx, invitation, 'rejected')
      }),

    cancel: (caller, id) =>
      transact(async (tx) => {
        const invitation = await lock(tx, id)
        if (invitation === undefined) throw notFound()
        const own = await findMembership(tx, caller, { id: invitation.organizationId })
        if (own === undefined) throw organizationErrors.refuse('MEMBER_NOT_FOUND')
        if (!isAllowed(roles, own.roles, 'invitation', 'cancel'))
          throw organizationErrors.refuse('YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION')
        return settle(tx, invitation, 'canceled')
      }),

    signUp: async (caller, input) => {
      const { invitationId, token, name, password } = input
      const invited = await store.findInvitation(db, invitationId)
      if (invited === undefined || stateOf(invited, clock.now()) !== 'pending' || !proofs.isGood(invited, token)) throw notFound()
      accounts.requireSignUp(config.invitedSignUpEnabled)
      const email = invited.email
      const fields = users.fields.forSignUp(input)
      const account = await accounts.prepare(caller, { name, email, password, role: 'user', emailVerified: true, fields })
      return transact(async (tx) => {
        const invitation = await lockOpen(tx, invitationId, notFound)
        const user = await account.insert(tx)
        const started = await sessions.start(tx, caller, user.id, { rememberMe: true, byPassword: true })
        return { ...(await join(tx, caller, started.session.id, invitation, user.id)), user, started }
      })
    },
  }
}
