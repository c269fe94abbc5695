import { bind, documented } from '../../http/handlers.ts'
import { apiContract, apiDocumentation } from './contract.ts'
import type { ResourceServers } from './service.ts'

export const apiRoutes = (apis: ResourceServers) =>
  bind(documented(apiContract, apiDocumentation), {
    listApis: (principal, { query }) => apis.list(principal, query),
    getApi: (principal, { params }) => apis.get(principal, params.apiId),
    createApi: (principal, { body }) => apis.create(principal, body),
    updateApi: (principal, { params, body, ifMatch }) => apis.update(principal, params.apiId, body, ifMatch),
    deleteApi: async (principal, { params, ifMatch }) => ({ id: (await apis.remove(principal, params.apiId, ifMatch)).id }),
    listApiSecrets: async (principal, { params }) => ({ secrets: await apis.listSecrets(principal, params.apiId) }),
    rotateApiSecret: (principal, { params, body }) => apis.rotateSecret(principal, params.apiId, body.overlapSeconds),
    revokeApiSecret: async (principal, { params }) => ({
      secrets: await apis.revokeSecret(principal, params.apiId, params.secretId),
    }),
  })
