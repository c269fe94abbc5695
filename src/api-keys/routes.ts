import type { Names } from '../access/names.ts'
import { cursorOf, placedPage } from '../core/page.ts'
import { bind, documented } from '../http/handlers.ts'
import { adminApiKeyContract, apiKeyContract } from './contract.ts'
import { adminApiKeyDocumentation, apiKeyDocumentation } from './documentation.ts'
import type { ApiKey, ApiKeys } from './service.ts'

type Query = Parameters<typeof cursorOf<'createdAt'>>[0]

const owners = ({ userId, organizationId, createdBy }: Pick<ApiKey, 'userId' | 'organizationId' | 'createdBy'>) => ({
  owner:
    userId !== null
      ? { kind: 'user', id: userId }
      : organizationId === null
        ? null
        : { kind: 'organization', id: organizationId },
  creator: createdBy === null ? null : { kind: 'user', id: createdBy },
})

export const apiKeyRoutes = (apiKeys: ApiKeys, names: Names) => {
  const page = async (filter: Parameters<ApiKeys['list']>[0], query: Query) => {
    const { rows, next, total } = placedPage(query, await apiKeys.list(filter, cursorOf(query)))
    return { apiKeys: rows, next, total }
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
      adminListApiKeys: async (principal, { query: { ownerKind, userId, organizationId, search, ...query } }) => {
        const found = await page({ ownerKind, userId, organizationId, search }, query)
        return { ...found, apiKeys: await names.add(principal, found.apiKeys, owners) }
      },
      adminGetApiKey: async (principal, { params }) => names.addTo(principal, await apiKeys.find(params.id), owners),
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
