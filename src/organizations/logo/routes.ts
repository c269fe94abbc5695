import { bind, documented } from '../../http/handlers.ts'
import { logoAdministrationContract, organizationLogoContract, organizationLogoDocumentation } from './contract.ts'
import type { OrganizationLogos } from './service.ts'

export const organizationLogoRoutes = (logos: OrganizationLogos) =>
  bind(documented(organizationLogoContract, organizationLogoDocumentation), {
    setOrganizationLogo: (principal, { query, body }) => logos.set(principal, query, body),
    removeOrganizationLogo: (principal, { query }) => logos.remove(principal, query),
  })

export const logoAdministrationRoutes = (logos: OrganizationLogos) =>
  bind(logoAdministrationContract, {
    adminSetOrganizationLogo: (principal, { params, body, ifMatch }) => logos.setById(principal, params.id, body, ifMatch),
    adminRemoveOrganizationLogo: (principal, { params, ifMatch }) => logos.removeById(principal, params.id, ifMatch),
  })
