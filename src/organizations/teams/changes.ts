import type { Sessions } from '../../authentication/sessions/index.ts'
import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import type { OrganizationsConfig } from '../config.ts'
import { organizationErrors } from '../errors.ts'
import { organizationEvents } from '../events.ts'
import * as store from './store.ts'

/** Changes teams, for members and for administrators. The caller has locked the organization and checked the permission. */
export interface TeamChanges {
  /** Creates a team. Throws YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS. */
  create(tx: Tx, actor: Actor, organizationId: string, name: string): Promise<store.TeamRow>
  rename(tx: Tx, actor: Actor, team: store.TeamRow, name: string): Promise<store.TeamRow>
  /** Deletes a team. Throws UNABLE_TO_REMOVE_LAST_TEAM. */
  remove(tx: Tx, actor: Actor, organizationId: string, id: string): Promise<void>
  /** Removes a user from a team. Throws USER_IS_NOT_A_MEMBER_OF_THE_TEAM. */
  removeMember(tx: Tx, actor: Actor, organizationId: string, id: string, userId: string): Promise<void>
}

interface Deps extends Pick<Core, 'clock' | 'random' | 'events'> {
  readonly sessions: Sessions
  readonly config: Pick<OrganizationsConfig, 'teamLimit' | 'removingAllTeamsEnabled'>
}

const { error } = organizationErrors

export const createTeamChanges = ({ clock, random, events, sessions, config }: Deps): TeamChanges => ({
  create: async (tx, actor, organizationId, name) => {
    if (config.teamLimit !== null && (await store.countTeams(tx, organizationId)) >= config.teamLimit)
      throw error('YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS')
    const now = clock.now()
    const team = { id: random.id(), organizationId, name, createdAt: now, updatedAt: now }
    await store.insertTeam(tx, team)
    await events.record(tx, actor, organizationEvents['team.created'], { subject: team.id, organizationId, data: {} })
    return team
  },
  rename: async (tx, actor, team, name) => {
    const { id, organizationId } = team
    const changed = { ...team, name, updatedAt: clock.now() }
    await store.renameTeam(tx, changed)
    await events.record(tx, actor, organizationEvents['team.updated'], { subject: id, organizationId, data: {} })
    return changed
  },
  remove: async (tx, actor, organizationId, id) => {
    if (!config.removingAllTeamsEnabled && (await store.countTeams(tx, organizationId)) <= 1)
      throw error('UNABLE_TO_REMOVE_LAST_TEAM')
    await store.deleteTeam(tx, organizationId, id)
    await events.record(tx, actor, organizationEvents['team.deleted'], { subject: id, organizationId, data: {} })
  },
  removeMember: async (tx, actor, organizationId, id, userId) => {
    if (!(await store.deleteTeamMember(tx, organizationId, id, userId))) throw error('USER_IS_NOT_A_MEMBER_OF_THE_TEAM')
    await sessions.clearActive(tx, { organizationId, teamId: id, userId })
    await events.record(tx, actor, organizationEvents['team.member_removed'], { subject: id, organizationId, data: { userId } })
  },
})
