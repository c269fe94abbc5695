import { bind, documented } from '../../http/handlers.ts'
import type { Applications } from './applications.ts'
import { applicationContract } from './contract.ts'
import { applicationAdminDocumentation } from './documentation.ts'
import type { ClientSecrets } from './secrets.ts'
import type { Clients } from './service.ts'

interface Deps {
  readonly clients: Clients
  readonly applications: Applications
  readonly clientSecrets: ClientSecrets
}

/** The administration of applications and their secrets. */
export const applicationRoutes = ({ clients, applications, clientSecrets }: Deps) =>
  bind(documented(applicationContract, applicationAdminDocumentation), {
    listApplications: (principal, { query }) => applications.list(principal, query),
    getApplication: (principal, { params }) => applications.get(principal, params.clientId),
    createApplication: async (principal, { body: { scopes, clientSecret, redirectUris = [], ...rest } }) => {
      const { client, secret } = await clients.register(principal, { ...rest, redirectUris, scope: scopes, secret: clientSecret })
      return { client, clientSecret: secret ?? null }
    },
    updateApplication: (principal, { params, body, ifMatch }) => applications.update(principal, params.clientId, body, ifMatch),
    deleteApplication: async (principal, { params, ifMatch }) => {
      const { clientId } = await applications.remove(principal, params.clientId, ifMatch)
      return { clientId }
    },
    listSecrets: async (principal, { params }) => ({ secrets: [...(await clientSecrets.list(principal, params.clientId))] }),
    rotateSecret: async (principal, { params, body }) => {
      const { secret, secrets, ...rest } = await clientSecrets.rotate(principal, params.clientId, {
        overlapSeconds: body.overlapSeconds,
        secret: body.clientSecret,
      })
      return { ...rest, clientSecret: secret, secrets: [...secrets] }
    },
    revokeSecret: async (principal, { params }) => ({
      secrets: [...(await clientSecrets.revoke(principal, params.clientId, params.secretId))],
    }),
  })
