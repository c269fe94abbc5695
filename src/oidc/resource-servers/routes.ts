import type { Names } from '../../access/names.ts'
import { bind, documented } from '../../http/handlers.ts'
import { apiContract, apiDocumentation } from './contract.ts'
import type { ListedApi, ResourceServers } from './service.ts'

const callersOf = ({ clients }: ListedApi) => ({ applications: clients.map(({ clientId: id }) => ({ kind: 'client', id })) })

export const apiRoutes = (apis: ResourceServers, names: Names) =>
  bind(documented(apiContract, apiDocumentation), {
    listApis: async (principal, { query }) => {
      const { apis: listed, next, total } = await apis.list(principal, query)
      return { apis: await names.add(principal, listed, callersOf), next, total }
    },
    getApi: async (principal, { params }) => names.addTo(principal, await apis.get(principal, params.apiId), callersOf),
    createApi: (principal, { body }) => apis.create(principal, body),
    updateApi: (principal, { params, body, ifMatch }) => apis.update(principal, params.apiId, body, ifMatch),
    deleteApi: async (principal, { params, ifMatch }) => ({ id: (await apis.remove(principal, params.apiId, ifMatch)).id }),
    listApiSecrets: async (principal, { params }) => ({ secrets: await apis.listSecrets(principal, params.apiId) }),
    rotateApiSecret: (principal, { params, body }) => apis.rotateSecret(principal, params.apiId, body.overlapSeconds),
    revokeApiSecret: async (principal, { params }) => ({
      secrets: await apis.revokeSecret(principal, params.apiId, params.secretId),
    }),
  })
