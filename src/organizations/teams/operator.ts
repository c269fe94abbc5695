import type { z } from 'zod'
import { can } from '../../access/can.ts'
import type { PermittedPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Total } from '../../core/db/count.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { anyState, type IfMatch } from '../../core/etag.ts'
import { cursorOf, placedPage } from '../../core/page.ts'
import { organizationErrors } from '../errors.ts'
import { findMembership } from '../members/store.ts'
import { findOrganization, lockOrganization } from '../store.ts'
import type { TeamChanges } from './changes.ts'
import type { teamList, teamMemberList } from './contract.ts'
import type { TeamMemberships } from './memberships.ts'
import * as store from './store.ts'

interface Page<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
  readonly total: Total | null
}

/** Manages the teams of any organization, for a principal with a permission on the instance. The limits for teams still apply. */
export interface TeamOperator {
  /** Throws NOT_FOUND if the organization does not exist. */
  requireOrganization(id: string): Promise<void>
  /** Lists the teams of an organization. Throws NOT_FOUND for an unknown organization. */
  list(organizationId: string, query: z.output<(typeof teamList)['query']>): Promise<Page<store.CountedTeam>>
  /** Finds a team. Throws TEAM_NOT_FOUND. */
  get(organizationId: string, id: string): Promise<store.CountedTeam>
  find(organizationId: string, id: string): Promise<store.TeamRow | undefined>
  /** Finds the teams with this name, but at most two of them. */
  findByName(organizationId: string, name: string): Promise<readonly store.TeamRow[]>
  /** Creates a team. Throws NOT_FOUND for an unknown organization, and YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS. */
  create(principal: PermittedPrincipal, organizationId: string, name: string): Promise<store.TeamRow>
  /** Gives a team another name. Throws TEAM_NOT_FOUND. */
  rename(
    principal: PermittedPrincipal,
    organizationId: string,
    id: string,
    name: string,
    ifMatch?: IfMatch<store.CountedTeam>,
  ): Promise<store.TeamRow>
  /** Deletes a team. Throws TEAM_NOT_FOUND and UNABLE_TO_REMOVE_LAST_TEAM. */
  remove(principal: PermittedPrincipal, organizationId: string, id: string, ifMatch?: IfMatch<store.CountedTeam>): Promise<void>
  /** Lists the members of a team. Throws TEAM_NOT_FOUND. */
  listMembers(
    organizationId: string,
    id: string,
    query: z.output<(typeof teamMemberList)['query']>,
  ): Promise<Page<store.ListedTeamMember>>
  /** Adds a member of the organization to a team. Throws TEAM_NOT_FOUND, MEMBER_NOT_FOUND and TEAM_MEMBER_LIMIT_REACHED. */
  addMember(principal: PermittedPrincipal, organizationId: string, id: string, userId: string): Promise<store.TeamMemberRow>
  /** Removes a user from a team. Throws TEAM_NOT_FOUND and USER_IS_NOT_A_MEMBER_OF_THE_TEAM. */
  removeMember(principal: PermittedPrincipal, organizationId: string, id: string, userId: string): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'transact'> {
  readonly teamMemberships: TeamMemberships
  readonly teamChanges: TeamChanges
}

const { error } = organizationErrors

export const createTeamOperator = (deps: Deps): TeamOperator => {
  const { db, transact, teamMemberships, teamChanges } = deps
  const lock = async (tx: Tx, principal: PermittedPrincipal, organizationId: string) => {
    if (!can(principal, 'all-organizations:update')) throw coreErrors.error('FORBIDDEN')
    await lockOrganization(tx, organizationId)
  }
  const lockTeam = async (tx: Tx, principal: PermittedPrincipal, organizationId: string, id: string) => {
    await lock(tx, principal, organizationId)
    return require(tx, organizationId, id)
  }
  const require = async (reader: Db, organizationId: string, id: string): Promise<store.CountedTeam> => {
    const team = await store.findTeam(reader, organizationId, id)
    if (team === undefined) throw error('TEAM_NOT_FOUND')
    return { ...team, memberCount: await store.countTeamMembers(reader, id) }
  }
  const requireIn = async (reader: Db, id: string): Promise<void> => {
    if ((await findOrganization(reader, { id })) === undefined)
      throw coreErrors.error('NOT_FOUND', { message: 'Organization not found' })
  }
  const requireOrganization: TeamOperator['requireOrganization'] = (id) => requireIn(db, id)

  return {
    requireOrganization,
    list: async (organizationId, query) => {
      await requireOrganization(organizationId)
      return placedPage(query, await store.pageOfTeams(db, organizationId, cursorOf(query)))
    },
    get: (organizationId, id) => require(db, organizationId, id),
    listMembers: async (organizationId, id, query) => {
      if ((await store.findTeam(db, organizationId, id)) === undefined) throw error('TEAM_NOT_FOUND')
      return placedPage(query, await store.pageOfTeamMembers(db, id, cursorOf(query)))
    },
    addMember: (principal, organizationId, id, userId) =>
      transact(async (tx) => {
        await lockTeam(tx, principal, organizationId, id)
        if ((await findMembership(tx, organizationId, userId)) === undefined) throw error('MEMBER_NOT_FOUND')
        return teamMemberships.add(tx, principal, { organizationId, userId }, id)
      }),
    removeMember: (principal, organizationId, id, userId) =>
      transact(async (tx) => {
        await lockTeam(tx, principal, organizationId, id)
        await teamChanges.removeMember(tx, principal, organizationId, id, userId)
      }),
    find: (organizationId, id) => store.findTeam(db, organizationId, id),
    findByName: (organizationId, name) => store.listTeamsByName(db, organizationId, name),
    create: (principal, organizationId, name) =>
      transact(async (tx) => {
        await lock(tx, principal, organizationId)
        // The organization may have been deleted while this transaction waited for the lock.
        await requireIn(tx, organizationId)
        return teamChanges.create(tx, principal, organizationId, name)
      }),
    rename: (principal, organizationId, id, name, ifMatch = anyState) =>
      transact(async (tx) => {
        const { memberCount, ...team } = await lockTeam(tx, principal, organizationId, id)
        ifMatch({ ...team, memberCount })
        return teamChanges.rename(tx, principal, team, name)
      }),
    remove: (principal, organizationId, id, ifMatch = anyState) =>
      transact(async (tx) => {
        ifMatch(await lockTeam(tx, principal, organizationId, id))
        await teamChanges.remove(tx, principal, organizationId, id)
      }),
  }
}
