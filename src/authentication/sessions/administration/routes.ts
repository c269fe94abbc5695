import type { Names } from '../../../access/names.ts'
import { bind } from '../../../http/handlers.ts'
import { sessionAdministrationContract } from './contract.ts'
import type { SessionAdministration } from './service.ts'

type Session = Awaited<ReturnType<SessionAdministration['list']>>['sessions'][number]

const named = ({ impersonatedBy, activeOrganizationId }: Session) => ({
  impersonator: impersonatedBy === null ? null : { kind: 'user', id: impersonatedBy },
  organization: activeOrganizationId === null ? null : { kind: 'organization', id: activeOrganizationId },
})

export const sessionAdministrationRoutes = (administration: SessionAdministration, names: Names) =>
  bind(sessionAdministrationContract, {
    adminListSessions: async (principal, { query }) => {
      const { sessions, next, total } = await administration.list(query)
      return { sessions: await names.add(principal, sessions, named), next, total }
    },
    adminListSessionsOfUser: async (principal, { params, query }) => {
      const { sessions, next, total } = await administration.listOf(params.id, query)
      return { sessions: await names.add(principal, sessions, named), next, total }
    },
    adminEndSession: async (principal, { params }) => {
      await administration.end(principal, params.id)
      return { success: true }
    },
  })
