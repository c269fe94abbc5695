import type { Names } from '../../access/names.ts'
import { bind, documented } from '../../http/handlers.ts'
import type { Application } from './application.ts'
import type { Applications } from './applications.ts'
import type { ClaimsPreview } from './claims-preview.ts'
import { applicationContract } from './contract.ts'
import { applicationAdminDocumentation } from './documentation.ts'
import type { ClientLogos } from './logos.ts'
import type { ClientSecrets } from './secrets.ts'
import type { Clients } from './service.ts'

/** The kinds of registrants that have names, each with the kind of record in which the name is looked up. */
const registrantKinds: Readonly<Record<string, string>> = {
  ...{ person: 'user', administrator: 'user', 'api-key': 'api-key', 'initial-access-token': 'initial_access_token' },
}

const registrantOf = ({ registeredBy, registrantId: id }: Application) => {
  const kind = registrantKinds[registeredBy]
  return { registrant: id === null || kind === undefined ? null : { kind, id } }
}

interface Deps {
  readonly names: Names
  readonly clients: Clients
  readonly applications: Applications
  readonly logos: ClientLogos
  readonly clientSecrets: ClientSecrets
  readonly previewClaims: ClaimsPreview
}

/** The endpoints for managing applications and their secrets. */
export const applicationRoutes = ({ names, clients, applications, logos, clientSecrets, previewClaims }: Deps) =>
  bind(documented(applicationContract, applicationAdminDocumentation), {
    listApplications: async (principal, { query }) => {
      const { clients, next, total } = await applications.list(principal, query)
      return { clients: await names.add(principal, clients, registrantOf), next, total }
    },
    getApplication: async (principal, { params }) =>
      names.addTo(principal, await applications.get(principal, params.clientId), registrantOf),
    previewClaims: (principal, { params, query }) => previewClaims(principal, params.clientId, query),
    createApplication: async (principal, { body: { scopes, clientSecret, redirectUris = [], ...rest } }) => {
      const { client, secret } = await clients.register(principal, { ...rest, redirectUris, scope: scopes, secret: clientSecret })
      return {
        client: client.icon === null ? client : await logos.fetch(principal, client.clientId),
        clientSecret: secret ?? null,
      }
    },
    updateApplication: async (principal, { params, body, ifMatch }) => {
      const changed = await applications.update(principal, params.clientId, body, ifMatch)
      // The logo of a client with an unknown registrant is fetched only after an administrator has approved the client.
      const isLogoWanted = body.icon != null || (body.review === 'approved' && changed.icon !== null && changed.logo === null)
      return isLogoWanted ? logos.fetch(principal, params.clientId) : changed
    },
    countDependents: (principal, { params }) => applications.dependentsOf(principal, params.clientId),
    setLogo: (principal, { params, body, ifMatch }) => logos.upload(principal, params.clientId, body, ifMatch),
    removeLogo: (principal, { params, ifMatch }) => logos.remove(principal, params.clientId, ifMatch),
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
