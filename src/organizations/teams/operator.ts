import { can } from '../../access/can.ts'
import type { PermittedPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import type { OrganizationsConfig } from '../config.ts'
import { organizationErrors } from '../errors.ts'
import { organizationEvents } from '../events.ts'
import { lockOrganization } from '../store.ts'
import * as store from './store.ts'

/** What an operator does with teams of any organization: the permission is one of the instance, the limits are those of organizations. */
export interface TeamOperator {
  find(organizationId: string, id: string): Promise<store.TeamRow | undefined>
  /** Teams with this name, two at most. */
  findByName(organizationId: string, name: string): Promise<readonly store.TeamRow[]>
  /** Throws YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS. */
  create(principal: PermittedPrincipal, organizationId: string, name: string): Promise<store.TeamRow>
  /** Throws TEAM_NOT_FOUND. */
  rename(principal: PermittedPrincipal, organizationId: string, id: string, name: string): Promise<store.TeamRow>
  /** Throws TEAM_NOT_FOUND and UNABLE_TO_REMOVE_LAST_TEAM. */
  remove(principal: PermittedPrincipal, organizationId: string, id: string): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'events'> {
  readonly config: Pick<OrganizationsConfig, 'teamLimit' | 'removingAllTeamsEnabled'>
}

const { error } = organizationErrors

export const createTeamOperator = ({ db, transact, clock, random, events, config }: Deps): TeamOperator => {
  const lock = async (tx: Tx, principal: PermittedPrincipal, organizationId: string) => {
    if (!can(principal, 'all-organizations:update')) throw coreErrors.error('FORBIDDEN')
    await lockOrganization(tx, organizationId)
  }
  const lockTeam = async (tx: Tx, principal: PermittedPrincipal, organizationId: string, id: string) => {
    await lock(tx, principal, organizationId)
    const team = await store.findTeam(tx, organizationId, id)
    if (team === undefined) throw error('TEAM_NOT_FOUND')
    return team
  }

  return {
    find: (organizationId, id) => store.findTeam(db, organizationId, id),
    findByName: (organizationId, name) => store.listTeamsByName(db, organizationId, name),
    create: (principal, organizationId, name) =>
      transact(async (tx) => {
        await lock(tx, principal, organizationId)
        if (config.teamLimit !== null && (await store.countTeams(tx, organizationId)) >= config.teamLimit)
          throw error('YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS')
        const now = clock.now()
        const team = { id: random.id(), organizationId, name, createdAt: now, updatedAt: now }
        await store.insertTeam(tx, team)
        await events.record(tx, principal, organizationEvents['team.created'], { subject: team.id, organizationId, data: {} })
        return team
      }),
    rename: (principal, organizationId, id, name) =>
      transact(async (tx) => {
        const changed = { ...(await lockTeam(tx, principal, organizationId, id)), name, updatedAt: clock.now() }
        await store.renameTeam(tx, changed)
        await events.record(tx, principal, organizationEvents['team.updated'], { subject: id, organizationId, data: {} })
        return changed
      }),
    remove: (principal, organizationId, id) =>
      transact(async (tx) => {
        await lockTeam(tx, principal, organizationId, id)
        if (!config.removingAllTeamsEnabled && (await store.countTeams(tx, organizationId)) <= 1)
          throw error('UNABLE_TO_REMOVE_LAST_TEAM')
        await store.deleteTeam(tx, organizationId, id)
        await events.record(tx, principal, organizationEvents['team.deleted'], { subject: id, organizationId, data: {} })
      }),
  }
}
