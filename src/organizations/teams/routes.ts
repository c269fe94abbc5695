import { bind } from '../../http/handlers.ts'
import { teamContract } from './contract.ts'
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
