import type { Core, SeatLimit } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import { organizationErrors } from '../errors.ts'
import { organizationEvents } from '../events.ts'
import { joinRoles, type Roles } from '../rules.ts'
import * as members from './store.ts'

/** The only place that inserts a member. */
export interface MemberAdder {
  /**
   * Makes a user a member. The caller has locked the organization, so that of several at once one gets the last seat. `reservedSeats`: seats of pending
   * invitations, which stay free for the invited people. Throws USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION,
   * ORGANIZATION_MEMBERSHIP_LIMIT_REACHED and SEAT_LIMIT_REACHED.
   */
  add(
    tx: Tx,
    actor: Actor,
    member: { readonly organizationId: string; readonly userId: string; readonly roles: Roles },
    reservedSeats?: number,
  ): Promise<members.MemberRow>
  /**
   * Throws SEAT_LIMIT_REACHED when `taken` seats are all that the organization has. The organization is locked. The membership limit is
   * checked only when a member is added (accounts specification, section 5).
   */
  requireSeat(tx: Tx, organizationId: string, taken: number): Promise<void>
}

interface Deps extends Pick<Core, 'clock' | 'random' | 'events'> {
  readonly config: { readonly membershipLimit: number }
  readonly seatLimits: readonly SeatLimit[]
}

export const createMemberAdder = ({ clock, random, events, config, seatLimits }: Deps): MemberAdder => {
  const requireSeat: MemberAdder['requireSeat'] = async (tx, organizationId, taken) => {
    // The creator always fits: a new organization has paid for nothing yet.
    if (taken === 0) return
    for (const seatsOf of seatLimits) {
      const seats = await seatsOf(tx, organizationId)
      if (seats !== null && taken >= seats) throw organizationErrors.error('SEAT_LIMIT_REACHED')
    }
  }

  return {
    requireSeat,
    add: async (tx, actor, { organizationId, userId, roles }, reservedSeats = 0) => {
      const { count: memberCount, isMember } = await members.countMembersWith(tx, organizationId, userId)
      if (isMember) throw organizationErrors.error('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
      if (memberCount >= config.membershipLimit) throw organizationErrors.error('ORGANIZATION_MEMBERSHIP_LIMIT_REACHED')
      await requireSeat(tx, organizationId, memberCount + reservedSeats)
      const member = { id: random.id(), organizationId, userId, role: joinRoles(roles), createdAt: clock.now() }
      await members.insertMember(tx, member)
      await events.record(tx, actor, organizationEvents['member.added'], {
        subject: userId,
        organizationId,
        data: { memberId: member.id, role: member.role },
      })
      return member
    },
  }
}
