import { bind } from '../../http/handlers.ts'
import { hostedOrganizationContract } from './contract.ts'
import type { HostedOrganizations } from './service.ts'

export const hostedOrganizationRoutes = (hosted: HostedOrganizations) =>
  bind(hostedOrganizationContract, {
    viewOrganization: (principal, { query }) => hosted.view(principal, query.organizationSlug),
    listOnlyOwned: async ({ user }) => ({ organizations: await hosted.listOnlyOwned(user.id) }),
  })
