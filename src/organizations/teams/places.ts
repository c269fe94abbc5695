import type { Clock } from '../../core/clock.ts'
import type { Tx } from '../../core/database.ts'
import type { Entropy } from '../../core/entropy.ts'
import { organizationErrors } from '../errors.ts'
import * as store from './store.ts'

interface Joiner {
  readonly organizationId: string
  readonly userId: string
}

/** The one door to teams. The organization is locked by whoever asks, and the user is its member. */
export interface Places {
  /** Puts a member into a team; who is in it already stays. Throws TEAM_MEMBER_LIMIT_REACHED. */
  take(tx: Tx, joiner: Joiner, teamId: string): Promise<store.TeamMemberRow>
  /** The same with several teams. Those that are gone are left out. Gives the ids of the others. */
  takeAll(tx: Tx, joiner: Joiner, teamIds: readonly string[]): Promise<readonly string[]>
}

interface Deps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly config: { readonly teamMemberLimit: number | null }
}

export const createPlaces = ({ clock, entropy, config }: Deps): Places => {
  const take: Places['take'] = async (tx, { organizationId, userId }, teamId) => {
    const present = await store.findTeamMember(tx, teamId, userId)
    if (present !== undefined) return present
    if (config.teamMemberLimit !== null && (await store.countTeamMembers(tx, teamId)) >= config.teamMemberLimit)
      throw organizationErrors.refuse('TEAM_MEMBER_LIMIT_REACHED')
    const place = { id: entropy.id(), organizationId, teamId, userId, createdAt: clock.now() }
    await store.insertTeamMember(tx, place)
    return place
  }
  return {
    take,
    takeAll: async (tx, joiner, teamIds) => {
      const existing = new Set((await store.listTeamsById(tx, joiner.organizationId, teamIds)).map(({ id }) => id))
      const taken = teamIds.filter((id) => existing.has(id))
      for (const teamId of taken) await take(tx, joiner, teamId)
      return taken
    },
  }
}
