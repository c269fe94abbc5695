import { bind } from '../../../http/handlers.ts'
import { sessionAdministrationContract } from './contract.ts'
import type { SessionAdministration } from './service.ts'

export const sessionAdministrationRoutes = (administration: SessionAdministration) =>
  bind(sessionAdministrationContract, {
    adminListSessions: async (_, { query }) => {
      const { sessions, next } = await administration.list(query)
      return { sessions: [...sessions], next }
    },
    adminListSessionsOfUser: async (_, { params, query }) => {
      const { sessions, next } = await administration.listOf(params.id, query)
      return { sessions: [...sessions], next }
    },
    adminEndSession: async (principal, { params }) => {
      await administration.end(principal, params.id)
      return { success: true }
    },
  })
