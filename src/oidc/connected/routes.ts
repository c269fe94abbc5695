import { bind, documented } from '../../http/handlers.ts'
import { connectedContract, connectedDocumentation } from './contract.ts'
import type { ConnectedApplications } from './service.ts'

export const connectedRoutes = (connected: ConnectedApplications) =>
  bind(documented(connectedContract, connectedDocumentation), {
    listConnectedApplications: async ({ user }) => ({ applications: await connected.list(user.id) }),
    removeConnectedApplication: async (principal, { body }) => {
      await connected.remove(principal, body.clientId)
      return { status: true }
    },
  })
