import type { Core, SeatCount, SeatLimit } from '../../core/core.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import { organizationErrors } from '../errors.ts'
import { organizationEvents } from '../events.ts'
import { joinRoles, type Roles } from '../rules.ts'
import * as members from './store.ts'

/** Makes users members of organizations. All members are inserted here. */
export interface MemberAdder {
  /**
   * Makes a user a member. The caller has locked the organization, so that only one of several people gets the last seat. `reservedSeats`
   * is the number of seats that stay free for people with pending invitations. Throws USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION,
   * ORGANIZATION_MEMBERSHIP_LIMIT_REACHED and SEAT_LIMIT_REACHED.
   */
  add(
    tx: Tx,
    actor: Actor,
    member: { readonly organizationId: string; readonly userId: string; readonly roles: Roles },
    reservedSeats?: number,
  ): Promise<members.MemberRow>
  /** How many seats an organization has, and how many of them are taken. Undefined if the number of seats has no limit. */
  seatsOf(db: Db, organizationId: string, taken: SeatsTaken): Promise<SeatUse | undefined>
  /**
   * Throws SEAT_LIMIT_REACHED, with the limit, if all seats of the organization are taken. The caller has locked the organization. The
   * limit on members is another one, and is checked only by `add` (accounts specification, section 5).
   */
  requireSeat(tx: Tx, organizationId: string, taken: SeatsTaken): Promise<void>
}

export interface SeatsTaken {
  readonly members: number
  /** Number of pending invitations. Each of them reserves a seat. */
  readonly invitations: number
}

export interface SeatUse extends SeatCount, SeatsTaken {}

/**
 * The limit that one more member would exceed, as a field with a text. To make room, an operator or a purchase can raise the limit, or an
 * invitation can be answered.
 */
const limitHit = ({ seats, isFree, members, invitations }: SeatUse): { readonly path: string; readonly message: string } => {
  if (members < seats) {
    const taken = `members (${members}) and pending invitations (${invitations}) take all seats (${seats})`
    return { path: 'pendingInvitations', message: taken }
  }
  return isFree
    ? { path: 'freeSeats', message: `all free seats are taken (billing.freeSeats: ${seats}), and no others were bought` }
    : { path: 'boughtSeats', message: `all seats that were bought are taken (${seats})` }
}

interface Deps extends Pick<Core, 'clock' | 'random' | 'events'> {
  readonly config: { readonly membershipLimit: number }
  readonly seatLimits: readonly SeatLimit[]
}

export const createMemberAdder = ({ clock, random, events, config, seatLimits }: Deps): MemberAdder => {
  const seatsOf: MemberAdder['seatsOf'] = async (db, organizationId, taken) => {
    let fewest: SeatCount | undefined
    for (const limit of seatLimits) {
      const found = await limit(db, organizationId)
      if (found !== null && (fewest === undefined || found.seats < fewest.seats)) fewest = found
    }
    return fewest && { ...fewest, ...taken }
  }

  const requireSeat: MemberAdder['requireSeat'] = async (tx, organizationId, taken) => {
    // The first member is always accepted, because a new organization has not bought any seats yet.
    if (taken.members + taken.invitations === 0) return
    const use = await seatsOf(tx, organizationId, taken)
    if (use === undefined || taken.members + taken.invitations < use.seats) return
    const hit = limitHit(use)
    throw organizationErrors.error('SEAT_LIMIT_REACHED', { message: `Seat limit reached: ${hit.message}`, issues: [hit] })
  }

  return {
    seatsOf,
    requireSeat,
    add: async (tx, actor, { organizationId, userId, roles }, reservedSeats = 0) => {
      const { count: memberCount, isMember } = await members.countMembersWith(tx, organizationId, userId)
      if (isMember) throw organizationErrors.error('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
      if (memberCount >= config.membershipLimit) throw organizationErrors.error('ORGANIZATION_MEMBERSHIP_LIMIT_REACHED')
      await requireSeat(tx, organizationId, { members: memberCount, invitations: reservedSeats })
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
