import { isBanned } from '../../access/ban.ts'
import { verificationEvents } from '../../authentication/verification/events.ts'
import type { Clock } from '../../core/clock.ts'
import type { Core } from '../../core/core.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { AppError } from '../../core/errors.ts'
import { type Actor, type Reaction, reactTo } from '../../core/events/record.ts'
import { userEvents } from '../../identity/users/contract.ts'
import { organizationErrors } from '../errors.ts'
import { organizationEvents } from '../events.ts'
import * as members from '../members/store.ts'
import { canAssign, type RoleTable, splitRoles } from '../rules.ts'
import { stateOf } from './rules.ts'
import * as store from './store.ts'
import { redactedId } from './tokens.ts'

/** True if a person with these roles may assign the roles that the invitation gives. */
const standsFor = (table: RoleTable, roles: string, { role }: Pick<store.InvitationRow, 'role'>): boolean =>
  canAssign(table, splitRoles(roles), splitRoles(role))

const noLongerMember = () => organizationErrors.error('INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION')

const findInviter = (db: Db, { organizationId, inviterId }: store.InvitationRow) =>
  inviterId === null ? undefined : members.findWithBan(db, organizationId, inviterId)

interface Rules {
  readonly roles: RoleTable
  readonly clock: Clock
}

/**
 * Checks that the inviter may still invite, and returns the inviter's membership; undefined if an operator sent the invitation. Throws an
 * error if the inviter has left the organization or was deleted. Throws `notFoundError` if the inviter may no longer assign the roles of
 * the invitation (security baseline, section 8). Throws INVITATION_CANNOT_BE_ACCEPTED_NOW while the inviter is banned.
 */
export const requireInviter = async (
  db: Db,
  { roles, clock }: Rules,
  invitation: store.InvitationRow,
  notFoundError: () => AppError,
): Promise<members.MemberRow | undefined> => {
  if (invitation.byOperator) return undefined
  const inviter = await findInviter(db, invitation)
  if (inviter === undefined) throw noLongerMember()
  if (!standsFor(roles, inviter.role, invitation)) throw notFoundError()
  if (isBanned(inviter, clock.now())) throw organizationErrors.error('INVITATION_CANNOT_BE_ACCEPTED_NOW')
  return inviter
}

/** False if the inviter has left the organization, was deleted, or may no longer assign the roles of the invitation. */
export const isAnsweredFor = async (db: Db, table: RoleTable, invitation: store.InvitationRow): Promise<boolean> => {
  const inviter = await findInviter(db, invitation)
  return invitation.byOperator || (inviter !== undefined && standsFor(table, inviter.role, invitation))
}

/**
 * Throws unless the invitation is pending. If the invitation was canceled because its inviter left, an error says so. Otherwise the error
 * is `notFoundError`.
 */
export const requireOpen = async (
  db: Db,
  invitation: store.InvitationRow,
  now: Date,
  notFoundError: () => AppError,
): Promise<void> => {
  const state = stateOf(invitation, now)
  if (state === 'canceled' && invitation.inviterId !== null && (await findInviter(db, invitation)) === undefined)
    throw noLongerMember()
  if (state !== 'pending') throw notFoundError()
}

interface Deps extends Pick<Core, 'clock' | 'events'> {
  readonly roles: RoleTable
}

export interface InvitationEndings {
  /** Cancels a pending invitation. False if the invitation was answered or canceled before. */
  cancel(tx: Tx, actor: Actor, invitation: store.InvitationRow): Promise<boolean>
  /** Reactions to events after which an inviter must not have pending invitations any more. */
  readonly reactions: readonly Reaction[]
}

/**
 * Cancels the pending invitations of an inviter who has left the organization, was banned or deleted, or lost a role (decision 0251). It
 * happens in the transaction of the event. So lists, seats and other inviters need no rule about such invitations.
 */
export const createInvitationEndings = ({ clock, events, roles }: Deps): InvitationEndings => {
  const cancel: InvitationEndings['cancel'] = async (tx, actor, invitation) => {
    if (!(await store.settle(tx, invitation, 'canceled'))) return false
    const about = { subject: redactedId(invitation.id), organizationId: invitation.organizationId, data: {} }
    await events.record(tx, actor, organizationEvents['invitation.canceled'], about)
    return true
  }

  /**
   * Cancels those pending invitations of a person that the person may no longer send. `held` are the roles that the person has now.
   * Undefined if the person has none.
   */
  const endOf = async (tx: Tx, actor: Actor, sent: store.SentBy, held?: string) => {
    for (const invitation of await store.listPendingBy(tx, sent, clock.now()))
      if (held === undefined || !standsFor(roles, held, invitation)) await cancel(tx, actor, invitation)
  }

  const { 'member.removed': removed, 'member.role_changed': roleChanged } = organizationEvents
  return {
    cancel,
    reactions: [
      reactTo(removed, (tx, { subjectId, organizationId }, { actor }) =>
        endOf(tx, actor, { inviterId: subjectId, organizationId }),
      ),
      reactTo(roleChanged, (tx, { subjectId, organizationId, data }, { actor }) =>
        endOf(tx, actor, { inviterId: subjectId, organizationId }, data.role),
      ),
      reactTo(userEvents['user.deleted'], (tx, { subjectId }, { actor }) => endOf(tx, actor, { inviterId: subjectId })),
      // Only a ban without an end cancels the invitations. While a ban with an end lasts, the invitations cannot be accepted.
      reactTo(userEvents['user.banned'], async (tx, { subjectId, data }, { actor }) => {
        if (data.expiresAt === null) await endOf(tx, actor, { inviterId: subjectId })
      }),
      // The account now belongs to the owner of its email address. The invitations that the former owner has sent are canceled.
      reactTo(verificationEvents['user.claimed'], (tx, { subjectId }, { actor }) => endOf(tx, actor, { inviterId: subjectId })),
    ],
  }
}
