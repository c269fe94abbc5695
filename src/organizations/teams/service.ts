import type { z } from 'zod'
import type { UserCaller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import type { Db, Transact, Tx } from '../../core/database.ts'
import type { Entropy } from '../../core/entropy.ts'
import type { Sessions } from '../../sessions/index.ts'
import { findMembership, lockMembership, type Membership, requireOrganization } from '../access.ts'
import type { OrganizationsConfig } from '../config.ts'
import { organizationErrors } from '../errors.ts'
import * as members from '../members/store.ts'
import { isAllowed, type RoleTable } from '../rules.ts'
import type { teamContract } from './contract.ts'
import type { Places } from './places.ts'
import * as store from './store.ts'

type Calls = typeof teamContract
type Body<Name extends 'createTeam' | 'updateTeam' | 'removeTeam' | 'addTeamMember'> = z.output<Calls[Name]['body']>
type Query<Name extends 'listTeams' | 'listUserTeams' | 'listTeamMembers'> = z.output<Calls[Name]['query']>

/** Teams inside organizations. Each refusal is that of the wire behaviour, section 11, in its order. */
export interface Teams {
  create(caller: UserCaller, input: Body<'createTeam'>): Promise<store.TeamRow>
  update(caller: UserCaller, input: Body<'updateTeam'>): Promise<store.TeamRow>
  /** Nobody removes a team they are in themselves. */
  remove(caller: UserCaller, input: Body<'removeTeam'>): Promise<void>
  list(caller: UserCaller, query: Query<'listTeams'>): Promise<store.TeamRow[]>
  /** The caller's teams, or those of another member for who may change members. */
  listOf(caller: UserCaller, query: Query<'listUserTeams'>): Promise<store.TeamRow[]>
  /** The session acts for a team of its active organization; for none with null. Without an id: for the same as before. */
  setActive(caller: UserCaller, teamId: string | null | undefined): Promise<store.TeamRow | undefined>
  listMembers(caller: UserCaller, query: Query<'listTeamMembers'>): Promise<store.TeamMemberRow[]>
  addMember(caller: UserCaller, input: Body<'addTeamMember'>): Promise<store.TeamMemberRow>
  removeMember(caller: UserCaller, input: Body<'addTeamMember'>): Promise<void>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly sessions: Sessions
  readonly places: Places
  readonly roles: RoleTable
  readonly config: OrganizationsConfig
}

const { refuse } = organizationErrors

export const createTeams = (deps: Deps): Teams => {
  const { db, transact, clock, entropy, sessions, places, roles, config } = deps

  const requireTeam = async (reader: Db, organizationId: string, teamId: string): Promise<store.TeamRow> => {
    const team = await store.findTeam(reader, organizationId, teamId)
    if (team === undefined) throw refuse('TEAM_NOT_FOUND')
    return team
  }

  /** Outsiders and members without the right are told the same. */
  const lockUpdater = async (tx: Tx, caller: UserCaller, name: Parameters<typeof lockMembership>[2]): Promise<Membership> => {
    const own = await lockMembership(tx, caller, name)
    if (own === undefined || !isAllowed(roles, own.roles, 'team', 'update'))
      throw refuse('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_TEAM')
    return own
  }

  /** Changes who is in a team: the team and the member are of the organization. */
  const changeMember = <T>(
    caller: UserCaller,
    { teamId, userId, ...named }: Body<'addTeamMember'>,
    work: (tx: Tx, organizationId: string) => Promise<T>,
  ) => {
    const name = requireOrganization(caller, named)
    return transact(async (tx) => {
      const { organization } = await lockUpdater(tx, caller, name)
      await requireTeam(tx, organization.id, teamId)
      if ((await members.findMembership(tx, organization.id, userId)) === undefined) throw refuse('MEMBER_NOT_FOUND')
      return work(tx, organization.id)
    })
  }

  return {
    create: async (caller, { name, ...named }) => {
      const of = requireOrganization(caller, named)
      return transact(async (tx) => {
        const own = await lockMembership(tx, caller, of)
        if (own === undefined || !isAllowed(roles, own.roles, 'team', 'create'))
          throw refuse('YOU_ARE_NOT_ALLOWED_TO_CREATE_TEAMS_IN_THIS_ORGANIZATION')
        const organizationId = own.organization.id
        if (config.teamLimit !== null && (await store.countTeams(tx, organizationId)) >= config.teamLimit)
          throw refuse('YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS')
        const now = clock.now()
        const team = { id: entropy.id(), organizationId, name, createdAt: now, updatedAt: now }
        await store.insertTeam(tx, team)
        return team
      })
    },

    update: async (caller, { teamId, data, organizationId }) => {
      const of = requireOrganization(caller, { organizationId: organizationId ?? data.organizationId })
      return transact(async (tx) => {
        const { organization } = await lockUpdater(tx, caller, of)
        const team = await requireTeam(tx, organization.id, teamId)
        if (data.name === undefined) return team
        const changed = { ...team, name: data.name, updatedAt: clock.now() }
        await store.renameTeam(tx, changed)
        return changed
      })
    },

    remove: async (caller, { teamId, ...named }) => {
      const of = requireOrganization(caller, named)
      await transact(async (tx) => {
        const own = await lockMembership(tx, caller, of)
        const place = own && (await store.findTeamMember(tx, teamId, caller.user.id))
        if (own === undefined || place?.organizationId === own.organization.id)
          throw refuse('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_TEAM')
        if (!isAllowed(roles, own.roles, 'team', 'delete'))
          throw refuse('YOU_ARE_NOT_ALLOWED_TO_DELETE_TEAMS_IN_THIS_ORGANIZATION')
        const organizationId = own.organization.id
        await requireTeam(tx, organizationId, teamId)
        if (!config.removingAllTeamsEnabled && (await store.countTeams(tx, organizationId)) <= 1)
          throw refuse('UNABLE_TO_REMOVE_LAST_TEAM')
        await store.deleteTeam(tx, organizationId, teamId)
        await sessions.clearActive(tx, { organizationId, teamId })
      })
    },

    list: async (caller, { limit, offset, ...named }) => {
      const own = await findMembership(db, caller, requireOrganization(caller, named))
      if (own === undefined) throw refuse('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
      return store.listTeams(db, own.organization.id, limit, offset)
    },

    listOf: async (caller, { userId = caller.user.id, organizationId }) => {
      const isOwn = userId === caller.user.id
      if (isOwn && organizationId === undefined) return store.listTeamsOfUser(db, userId)
      const own = await findMembership(db, caller, requireOrganization(caller, { organizationId }))
      if (own === undefined) throw refuse('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
      if (!isOwn && !isAllowed(roles, own.roles, 'member', 'update')) throw refuse('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
      return store.listTeamsOfUser(db, userId, own.organization.id)
    },

    setActive: (caller, teamId = caller.session.activeTeamId) =>
      transact(async (tx) => {
        const { id, activeOrganizationId: organizationId } = caller.session
        if (organizationId === null) {
          if (teamId === null) return undefined
          throw refuse('NO_ACTIVE_ORGANIZATION')
        }
        const team = teamId === null ? undefined : await requireTeam(tx, organizationId, teamId)
        // Locked: who takes the place away clears the session after this, or has taken it.
        if (team !== undefined && (await store.lockTeamMember(tx, team.id, caller.user.id)) === undefined)
          throw refuse('USER_IS_NOT_A_MEMBER_OF_THE_TEAM')
        const isActive = await sessions.setActiveTeam(tx, id, organizationId, teamId)
        if (team !== undefined && !isActive) throw refuse('NO_ACTIVE_ORGANIZATION')
        return team
      }),

    listMembers: async (caller, { teamId = caller.session.activeTeamId, organizationId, limit, offset }) => {
      if (organizationId !== undefined && (await findMembership(db, caller, { id: organizationId })) === undefined)
        throw refuse('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
      const team = teamId === null ? undefined : await store.findTeamById(db, teamId)
      const isWithin = team !== undefined && (organizationId ?? team.organizationId) === team.organizationId
      // A team of others is none.
      if (!isWithin || (await findMembership(db, caller, { id: team.organizationId })) === undefined)
        throw refuse('TEAM_NOT_FOUND')
      return store.listTeamMembers(db, team.organizationId, team.id, limit, offset)
    },

    addMember: async (caller, input) =>
      changeMember(caller, input, (tx, organizationId) =>
        places.take(tx, { organizationId, userId: input.userId }, input.teamId),
      ),

    removeMember: async (caller, input) =>
      changeMember(caller, input, async (tx, organizationId) => {
        const { teamId, userId } = input
        if (!(await store.deleteTeamMember(tx, organizationId, teamId, userId))) throw refuse('USER_IS_NOT_A_MEMBER_OF_THE_TEAM')
        await sessions.clearActive(tx, { organizationId, teamId, userId })
      }),
  }
}
