import type { Clock } from '../core/clock.ts'
import type { Tx } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import { organizationErrors } from './errors.ts'
import * as members from './members/store.ts'
import { joinRoles, type Roles } from './rules.ts'
import { lockOrganization } from './store.ts'

/** How many seats an organization has paid for; null: no limit. */
export type SeatLimit = (tx: Tx, organizationId: string) => Promise<number | null>

/** The one door to membership. */
export interface Joining {
  /**
   * Makes a user a member. Locks the organization, so that the last seat goes to one of several. `held` are the
   * seats of open invitations, which are left to those who were invited. Throws USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION,
   * ORGANIZATION_MEMBERSHIP_LIMIT_REACHED and SEAT_LIMIT_REACHED.
   */
  join(
    tx: Tx,
    member: { readonly organizationId: string; readonly userId: string; readonly roles: Roles },
    held?: number,
  ): Promise<members.MemberRow>
  /**
   * Throws SEAT_LIMIT_REACHED when so many fill the seats; the membership limit is asked on joining alone (accounts specification, section
   * 5). The organization is locked.
   */
  requireSeat(tx: Tx, organizationId: string, taken: number): Promise<void>
}

interface Deps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly config: { readonly membershipLimit: number }
  readonly seatLimits: readonly SeatLimit[]
}

export const createJoining = ({ clock, entropy, config, seatLimits }: Deps): Joining => {
  const requireSeat: Joining['requireSeat'] = async (tx, organizationId, taken) => {
    // Whoever creates an organization belongs to it: what it pays is decided later.
    if (taken === 0) return
    for (const seatsOf of seatLimits) {
      const seats = await seatsOf(tx, organizationId)
      if (seats !== null && taken >= seats) throw organizationErrors.refuse('SEAT_LIMIT_REACHED')
    }
  }

  return {
    requireSeat,
    join: async (tx, { organizationId, userId, roles }, held = 0) => {
      await lockOrganization(tx, organizationId)
      if ((await members.findMembership(tx, organizationId, userId)) !== undefined)
        throw organizationErrors.refuse('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
      const present = await members.countMembers(tx, organizationId)
      if (present >= config.membershipLimit) throw organizationErrors.refuse('ORGANIZATION_MEMBERSHIP_LIMIT_REACHED')
      await requireSeat(tx, organizationId, present + held)
      const member = { id: entropy.id(), organizationId, userId, role: joinRoles(roles), createdAt: clock.now() }
      await members.insertMember(tx, member)
      return member
    },
  }
}
