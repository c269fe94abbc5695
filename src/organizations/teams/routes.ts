import { bind } from '../../http/handlers.ts'
import { teamAdministrationContract, teamContract } from './contract.ts'
import type { TeamOperator } from './operator.ts'
import type { Teams } from './service.ts'

export const teamRoutes = (teams: Teams) =>
  bind(teamContract, {
    createTeam: (principal, { body }) => teams.create(principal, body),
    updateTeam: (principal, { body }) => teams.update(principal, body),
    removeTeam: async (principal, { body }) => {
      await teams.remove(principal, body)
      return { message: 'Team removed successfully.' }
    },
    listTeams: (principal, { query }) => teams.list(principal, query),
    listUserTeams: (principal, { query }) => teams.listOf(principal, query),
    setActiveTeam: async (principal, { body }) => (await teams.setActive(principal, body.teamId)) ?? null,
    listTeamMembers: (principal, { query }) => teams.listMembers(principal, query),
    addTeamMember: (principal, { body }) => teams.addMember(principal, body),
    removeTeamMember: async (principal, { body }) => {
      await teams.removeMember(principal, body)
      return { message: 'Team member removed successfully.' }
    },
  })

export const teamAdministrationRoutes = (teams: TeamOperator) =>
  bind(teamAdministrationContract, {
    adminListTeams: async (_, { params, query }) => {
      const { rows, next, total } = await teams.list(params.id, query)
      return { teams: [...rows], next, total }
    },
    adminCreateTeam: async (principal, { params, body }) => {
      await teams.requireOrganization(params.id)
      return { ...(await teams.create(principal, params.id, body.name)), memberCount: 0 }
    },
    adminGetTeam: (_, { params }) => teams.get(params.id, params.teamId),
    adminPatchTeam: async (principal, { params, body, ifMatch }) => {
      await teams.rename(principal, params.id, params.teamId, body.name, ifMatch)
      return teams.get(params.id, params.teamId)
    },
    adminDeleteTeam: async (principal, { params, ifMatch }) => {
      await teams.remove(principal, params.id, params.teamId, ifMatch)
      return { success: true }
    },
    adminListTeamMembers: async (_, { params, query }) => {
      const { rows, next, total } = await teams.listMembers(params.id, params.teamId, query)
      return { members: [...rows], next, total }
    },
    adminAddTeamMember: (principal, { params }) => teams.addMember(principal, params.id, params.teamId, params.userId),
    adminRemoveTeamMember: async (principal, { params }) => {
      await teams.removeMember(principal, params.id, params.teamId, params.userId)
      return { success: true }
    },
  })
