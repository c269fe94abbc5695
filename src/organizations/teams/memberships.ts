import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import { organizationErrors } from '../errors.ts'
import { organizationEvents } from '../events.ts'
import * as store from './store.ts'

interface Member {
  readonly organizationId: string
  readonly userId: string
}

/**
 * Adds members to teams. All team memberships are inserted here. The caller has locked the organization, and has checked that the user is
 * a member of the organization.
 */
export interface TeamMemberships {
  /** Adds a member to a team. If the member is already in the team, returns the existing team membership. Throws TEAM_MEMBER_LIMIT_REACHED. */
  add(tx: Tx, actor: Actor, member: Member, teamId: string): Promise<store.TeamMemberRow>
  /** Adds a member to several teams. Teams that were deleted are skipped. Returns the ids of the other teams. */
  addAll(tx: Tx, actor: Actor, member: Member, teamIds: readonly string[]): Promise<readonly string[]>
}

interface Deps extends Pick<Core, 'clock' | 'random' | 'events'> {
  readonly config: { readonly teamMemberLimit: number | null }
}

export const createTeamMemberships = ({ clock, random, events, config }: Deps): TeamMemberships => {
  const add: TeamMemberships['add'] = async (tx, actor, { organizationId, userId }, teamId) => {
    const present = await store.findTeamMember(tx, teamId, userId)
    if (present !== undefined) return present
    if (config.teamMemberLimit !== null && (await store.countTeamMembers(tx, teamId)) >= config.teamMemberLimit)
      throw organizationErrors.error('TEAM_MEMBER_LIMIT_REACHED')
    const membership = { id: random.id(), organizationId, teamId, userId, createdAt: clock.now() }
    await store.insertTeamMember(tx, membership)
    await events.record(tx, actor, organizationEvents['team.member_added'], { subject: teamId, organizationId, data: { userId } })
    return membership
  }
  return {
    add,
    addAll: async (tx, actor, member, teamIds) => {
      const existing = new Set((await store.listTeamsById(tx, member.organizationId, teamIds)).map(({ id }) => id))
      const found = teamIds.filter((id) => existing.has(id))
      for (const teamId of found) await add(tx, actor, member, teamId)
      return found
    },
  }
}
