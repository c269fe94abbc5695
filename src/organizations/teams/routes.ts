import { bind } from '../../http/handlers.ts'
import { teamContract } from './contract.ts'
import type { Teams } from './service.ts'

export const teamRoutes = (teams: Teams) =>
  bind(teamContract, {
    createTeam: (caller, { body }) => teams.create(caller, body),
    updateTeam: (caller, { body }) => teams.update(caller, body),
    removeTeam: async (caller, { body }) => {
      await teams.remove(caller, body)
      return { message: 'Team removed successfully.' }
    },
    listTeams: (caller, { query }) => teams.list(caller, query),
    listUserTeams: (caller, { query }) => teams.listOf(caller, query),
    setActiveTeam: async (caller, { body }) => (await teams.setActive(caller, body.teamId)) ?? null,
    listTeamMembers: (caller, { query }) => teams.listMembers(caller, query),
    addTeamMember: (caller, { body }) => teams.addMember(caller, body),
    removeTeamMember: async (caller, { body }) => {
      await teams.removeMember(caller, body)
      return { message: 'Team member removed successfully.' }
    },
  })
