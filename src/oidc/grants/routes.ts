import { bind, documented } from '../../http/handlers.ts'
import { grantContract, grantDocumentation } from './contract.ts'
import type { Grants } from './service.ts'

export const grantRoutes = (grants: Grants) =>
  bind(documented(grantContract, grantDocumentation), {
    listGrants: async (principal, { query }) => {
      const { consents, next, total } = await grants.list(principal, query)
      return { grants: consents, next, total }
    },
    endGrant: async (principal, { params }) => ({ tokens: await grants.end(principal, params.grantId) }),
    listUserConsents: (principal, { params, query }) => grants.listOf(principal, params.userId, query),
    endUserConsent: async (principal, { params }) => ({
      tokens: await grants.endOf(principal, params.userId, params.clientId),
    }),
    endUserConsentForOrganization: async (principal, { params }) => ({
      tokens: await grants.endOf(principal, params.userId, params.clientId, params.organizationId),
    }),
  })
