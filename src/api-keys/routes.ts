import { type Cursor, cursorOf, cutPage, nextAfter, timeAfter } from '../core/page.ts'
import { bind, documented } from '../http/handlers.ts'
import { adminApiKeyContract, apiKeyContract } from './contract.ts'
import { adminApiKeyDocumentation, apiKeyDocumentation } from './documentation.ts'
import type { ApiKey, ApiKeys } from './service.ts'

type Query = Pick<Cursor<'createdAt'>, 'sort' | 'order' | 'limit'> & { readonly after?: string | undefined }

export const apiKeyRoutes = (apiKeys: ApiKeys) => {
  const page = async (filter: Parameters<ApiKeys['list']>[0], query: Query) => {
    const { order, limit, after } = cursorOf(query)
    const found = await apiKeys.list(filter, { order, limit, after: timeAfter(after) })
    const nextOf = ({ createdAt, id }: ApiKey) => nextAfter(query, { value: createdAt.getTime(), id })
    const { rows, next } = cutPage(found, query.limit, nextOf)
    return { apiKeys: rows, next }
  }
  return [
    ...bind(documented(apiKeyContract, apiKeyDocumentation), {
      createApiKey: (principal, { body: { organizationId, ...input } }) =>
        apiKeys.create(
          principal,
          organizationId === undefined
            ? { kind: 'user', user: principal.user.id }
            : { kind: 'organization', organization: organizationId },
          input,
        ),
      listApiKeys: async (principal, { query: { organizationId, ...query } }) =>
        page(
          organizationId === undefined
            ? { userId: principal.user.id }
            : { organizationId: await apiKeys.requireReadable(principal, organizationId) },
          query,
        ),
      updateApiKey: (principal, { body: { keyId, ...input } }) => apiKeys.update(principal, 'own', keyId, input),
      rotateApiKey: (principal, { body: { keyId, ...input } }) => apiKeys.rotate(principal, 'own', keyId, input),
      deleteApiKey: async (principal, { body }) => {
        await apiKeys.revoke(principal, 'own', body.keyId)
        return { success: true }
      },
    }),
    ...bind(documented(adminApiKeyContract, adminApiKeyDocumentation), {
      adminListApiKeys: (_principal, { query: { ownerKind, userId, organizationId, ...query } }) =>
        page({ ownerKind, userId, organizationId }, query),
      adminGetApiKey: (_principal, { params }) => apiKeys.find(params.id),
      adminCreateApiKey: (principal, { body }) => apiKeys.create(principal, { kind: 'instance' }, body),
      adminUpdateApiKey: (principal, { params, body, ifMatch }) =>
        apiKeys.update(principal, 'instance', params.id, body, ifMatch),
      adminRotateApiKey: (principal, { params, body }) => apiKeys.rotate(principal, 'instance', params.id, body),
      adminDeleteApiKey: async (principal, { params, ifMatch }) => {
        await apiKeys.revoke(principal, 'instance', params.id, ifMatch)
        return { success: true }
      },
    }),
  ]
}
