import type { z } from 'zod'
import { can } from '../../access/can.ts'
import type { OrganizationPrincipal, UserPrincipal } from '../../access/principal.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { Core } from '../../core/core.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import { organizationErrors } from '../errors.ts'
import * as members from '../members/store.ts'
import { findMembership, lockMembership, type Membership, requireOrganization } from '../memberships.ts'
import type { RoleTable } from '../rules.ts'
import type { TeamChanges } from './changes.ts'
import type { teamContract } from './contract.ts'
import type { TeamMemberships } from './memberships.ts'
import * as store from './store.ts'

type Calls = typeof teamContract
type Body<Name extends 'createTeam' | 'updateTeam' | 'removeTeam' | 'addTeamMember'> = z.output<Calls[Name]['body']>
type Query<Name extends 'listTeams' | 'listUserTeams' | 'listTeamMembers'> = z.output<Calls[Name]['query']>

/** Teams in organizations. Clients rely on the error codes, and on the order of the checks (wire behaviour, section 11). */
export interface Teams {
  create(principal: OrganizationPrincipal, input: Body<'createTeam'>): Promise<store.TeamRow>
  update(principal: OrganizationPrincipal, input: Body<'updateTeam'>): Promise<store.TeamRow>
  remove(principal: OrganizationPrincipal, input: Body<'removeTeam'>): Promise<void>
  list(principal: OrganizationPrincipal, query: Query<'listTeams'>): Promise<store.TeamRow[]>
  /** Lists the teams of the principal. A principal who may change members can also list the teams of another member. */
  listOf(principal: OrganizationPrincipal, query: Query<'listUserTeams'>): Promise<store.TeamRow[]>
  /**
   * Sets the active team of the session. With null, the session has no active team afterwards. If `teamId` is undefined, the active team
   * does not change.
   */
  setActive(principal: UserPrincipal, teamId: string | null | undefined): Promise<store.TeamRow | undefined>
  listMembers(principal: OrganizationPrincipal, query: Query<'listTeamMembers'>): Promise<store.TeamMemberRow[]>
  addMember(principal: OrganizationPrincipal, input: Body<'addTeamMember'>): Promise<store.TeamMemberRow>
  removeMember(principal: OrganizationPrincipal, input: Body<'addTeamMember'>): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'transact'> {
  readonly sessions: Sessions
  readonly teamMemberships: TeamMemberships
  readonly roles: RoleTable
  readonly teamChanges: TeamChanges
}

const { error } = organizationErrors

export const createTeams = (deps: Deps): Teams => {
  const { db, transact, sessions, teamMemberships, teamChanges, roles } = deps

  const requireTeam = async (reader: Db, organizationId: string, teamId: string): Promise<store.TeamRow> => {
    const team = await store.findTeam(reader, organizationId, teamId)
    if (team === undefined) throw error('TEAM_NOT_FOUND')
    return team
  }

  /**
   * Locks the organization and checks that the principal may change teams. The error is the same for people who are not members and for
   * members without the permission.
   */
  const lockUpdater = async (
    tx: Tx,
    principal: OrganizationPrincipal,
    name: Parameters<typeof lockMembership>[3],
  ): Promise<Membership> => {
    const own = await lockMembership(tx, roles, principal, name)
    if (own === undefined || !can(principal, 'team:update', own)) throw error('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_TEAM')
    return own
  }

  /** Checks that the team and the member belong to the organization. Then runs `work`, which changes the membership of the team. */
  const changeMember = <T>(
    principal: OrganizationPrincipal,
    { teamId, userId, ...named }: Body<'addTeamMember'>,
    work: (tx: Tx, organizationId: string) => Promise<T>,
  ) => {
    const name = requireOrganization(principal, named)
    return transact(async (tx) => {
      const { organization } = await lockUpdater(tx, principal, name)
      await requireTeam(tx, organization.id, teamId)
      if ((await members.findMembership(tx, organization.id, userId)) === undefined) throw error('MEMBER_NOT_FOUND')
      return work(tx, organization.id)
    })
  }

  return {
    create: async (principal, { name, ...named }) => {
      const of = requireOrganization(principal, named)
      return transact(async (tx) => {
        const own = await lockMembership(tx, roles, principal, of)
        if (own === undefined || !can(principal, 'team:create', own))
          throw error('YOU_ARE_NOT_ALLOWED_TO_CREATE_TEAMS_IN_THIS_ORGANIZATION')
        return teamChanges.create(tx, principal, own.organization.id, name)
      })
    },

    update: async (principal, { teamId, data, organizationId }) => {
      const of = requireOrganization(principal, { organizationId: organizationId ?? data.organizationId })
      return transact(async (tx) => {
        const { organization } = await lockUpdater(tx, principal, of)
        const team = await requireTeam(tx, organization.id, teamId)
        return data.name === undefined ? team : teamChanges.rename(tx, principal, team, data.name)
      })
    },

    remove: async (principal, { teamId, ...named }) => {
      const of = requireOrganization(principal, named)
      await transact(async (tx) => {
        const own = await lockMembership(tx, roles, principal, of)
        const place = own?.member && (await store.findTeamMember(tx, teamId, own.member.userId))
        if (own === undefined || place?.organizationId === own.organization.id)
          throw error('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_TEAM')
        if (!can(principal, 'team:delete', own)) throw error('YOU_ARE_NOT_ALLOWED_TO_DELETE_TEAMS_IN_THIS_ORGANIZATION')
        const organizationId = own.organization.id
        await requireTeam(tx, organizationId, teamId)
        await teamChanges.remove(tx, principal, organizationId, teamId)
      })
    },

    list: async (principal, { limit, offset, ...named }) => {
      const own = await findMembership(db, roles, principal, requireOrganization(principal, named))
      if (own === undefined) throw error('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
      return store.listTeams(db, own.organization.id, limit, offset)
    },

    listOf: async (principal, { userId: named, organizationId }) => {
      const ownId = 'user' in principal ? principal.user.id : undefined
      const userId = named ?? ownId
      if (userId === undefined) throw error('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
      const isOwn = userId === ownId
      if (isOwn && organizationId === undefined) return store.listTeamsOfUser(db, userId)
      const own = await findMembership(db, roles, principal, requireOrganization(principal, { organizationId }))
      if (own === undefined) throw error('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
      if (!isOwn && !can(principal, 'member:update', own)) throw error('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
      return store.listTeamsOfUser(db, userId, own.organization.id)
    },

    setActive: (principal, teamId = principal.session.activeTeamId) =>
      transact(async (tx) => {
        const { id, activeOrganizationId: organizationId } = principal.session
        if (organizationId === null) {
          if (teamId === null) return undefined
          throw error('NO_ACTIVE_ORGANIZATION')
        }
        // The team is locked before the team membership, in the order in which deleting a team locks them. Storing the active team in the
        // session locks the team, too (foreign key).
        const team = teamId === null ? undefined : await store.lockTeam(tx, organizationId, teamId)
        if (teamId !== null && team === undefined) throw error('TEAM_NOT_FOUND')
        // The membership of the team is locked. So if the user is being removed from the team at the same time, the removal has either
        // finished, or it clears the active team of the session afterwards.
        if (team !== undefined && (await store.lockTeamMember(tx, team.id, principal.user.id)) === undefined)
          throw error('USER_IS_NOT_A_MEMBER_OF_THE_TEAM')
        const isActive = await sessions.setActiveTeam(tx, id, organizationId, teamId)
        if (team !== undefined && !isActive) throw error('NO_ACTIVE_ORGANIZATION')
        return team
      }),

    listMembers: async (principal, { teamId: named, organizationId, limit, offset }) => {
      const teamId = named ?? (principal.kind === 'user' ? principal.session.activeTeamId : null)
      const within =
        organizationId === undefined
          ? undefined
          : await findMembership(db, roles, principal, requireOrganization(principal, { organizationId }))
      if (organizationId !== undefined && within === undefined) throw error('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
      const team = teamId === null ? undefined : await store.findTeamById(db, teamId)
      const isWithin = team !== undefined && (within?.organization.id ?? team.organizationId) === team.organizationId
      // A team of another organization counts as unknown.
      if (!isWithin || (await findMembership(db, roles, principal, { id: team.organizationId })) === undefined)
        throw error('TEAM_NOT_FOUND')
      return store.listTeamMembers(db, team.organizationId, team.id, limit, offset)
    },

    addMember: async (principal, input) =>
      changeMember(principal, input, (tx, organizationId) =>
        teamMemberships.add(tx, principal, { organizationId, userId: input.userId }, input.teamId),
      ),

    removeMember: async (principal, input) =>
      changeMember(principal, input, (tx, organizationId) =>
        teamChanges.removeMember(tx, principal, organizationId, input.teamId, input.userId),
      ),
  }
}
