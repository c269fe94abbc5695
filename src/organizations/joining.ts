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
   * Makes a user a member. Locks the organization, so that the last seat goes to one of several. Throws
   * USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION, ORGANIZATION_MEMBERSHIP_LIMIT_REACHED and SEAT_LIMIT_REACHED.
   */
  join(
    tx: Tx,
    member: { readonly organizationId: string; readonly userId: string; readonly roles: Roles },
  ): Promise<members.MemberRow>
  /** Throws ORGANIZATION_MEMBERSHIP_LIMIT_REACHED or SEAT_LIMIT_REACHED when no more fit beside so many. The organization is locked. */
  requireRoom(tx: Tx, organizationId: string, taken: { readonly members: number; readonly pending?: number }): Promise<void>
}

interface Deps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly config: { readonly membershipLimit: number }
  readonly seatLimits: readonly SeatLimit[]
}

export const createJoining = ({ clock, entropy, config, seatLimits }: Deps): Joining => {
  const requireRoom: Joining['requireRoom'] = async (tx, organizationId, { members: present, pending = 0 }) => {
    if (present >= config.membershipLimit) throw organizationErrors.refuse('ORGANIZATION_MEMBERSHIP_LIMIT_REACHED')
    // Whoever creates an organization belongs to it: what it pays is decided later.
    if (present === 0) return
    for (const seatsOf of seatLimits) {
      const seats = await seatsOf(tx, organizationId)
      if (seats !== null && present + pending >= seats) throw organizationErrors.refuse('SEAT_LIMIT_REACHED')
    }
  }

  return {
    requireRoom,
    join: async (tx, { organizationId, userId, roles }) => {
      await lockOrganization(tx, organizationId)
      if ((await members.findMembership(tx, organizationId, userId)) !== undefined)
        throw organizationErrors.refuse('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
      await requireRoom(tx, organizationId, { members: await members.countMembers(tx, organizationId) })
      const member = { id: entropy.id(), organizationId, userId, role: joinRoles(roles), createdAt: clock.now() }
      await members.insertMember(tx, member)
      return member
    },
  }
}
