import { bind } from '../../http/handlers.ts'
import { hostedOrganizationContract } from './contract.ts'
import type { HostedOrganizations } from './service.ts'

export const hostedOrganizationRoutes = (hosted: HostedOrganizations) =>
  bind(hostedOrganizationContract, {
    viewOrganization: (caller, { query }) => hosted.view(caller, query.organizationSlug),
  })
