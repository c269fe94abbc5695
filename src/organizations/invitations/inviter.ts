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

/** True if a person with these roles may assign the role of the invitation. */
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
 * Returns the inviter's membership, or undefined for an operator. Throws if the inviter has left or was deleted; `notFoundError` if the
 * inviter may no longer assign the roles of the invitation (security baseline, section 8); and INVITATION_CANNOT_BE_ACCEPTED_NOW while
 * the inviter is banned.
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

/** False if the inviter has left, was deleted, or may no longer assign the roles of the invitation. */
export const isAnsweredFor = async (db: Db, table: RoleTable, invitation: store.InvitationRow): Promise<boolean> => {
  const inviter = await findInviter(db, invitation)
  return invitation.byOperator || (inviter !== undefined && standsFor(table, inviter.role, invitation))
}

/** Throws `notFoundError` unless the invitation is pending. Throws another error if it was canceled because its inviter left. */
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
  /** Cancels a pending invitation. False if it was answered or canceled before. */
  cancel(tx: Tx, actor: Actor, invitation: store.InvitationRow): Promise<boolean>
  /** Reactions to the events after which an inviter must not have invitations any more. */
  readonly reactions: readonly Reaction[]
}

/**
 * Ends invitations whose inviter must not have invitations any more (decision 0251). They are canceled in the transaction of the change
 * that caused it, so that lists, seats and other inviters need no rule about it.
 */
export const createInvitationEndings = ({ clock, events, roles }: Deps): InvitationEndings => {
  const cancel: InvitationEndings['cancel'] = async (tx, actor, invitation) => {
    if (!(await store.settle(tx, invitation, 'canceled'))) return false
    const about = { subject: redactedId(invitation.id), organizationId: invitation.organizationId, data: {} }
    await events.record(tx, actor, organizationEvents['invitation.canceled'], about)
    return true
  }

  /** Cancels the invitations that a person may no longer send. `held` are the person's present roles; undefined if they have none. */
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
      // During a temporary ban the person's invitations cannot be accepted.
      reactTo(userEvents['user.banned'], async (tx, { subjectId, data }, { actor }) => {
        if (data.expiresAt === null) await endOf(tx, actor, { inviterId: subjectId })
      }),
      // Also ends invitations of an account that was handed over to the owner of its address.
      reactTo(verificationEvents['user.claimed'], (tx, { subjectId }, { actor }) => endOf(tx, actor, { inviterId: subjectId })),
    ],
  }
}
