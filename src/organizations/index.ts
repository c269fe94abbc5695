import type { Feature } from '../feature.ts'
import type { ClaimSource, Memberships } from '../oidc/index.ts'
import { createOrganizationClaims, memberships } from './claims/service.ts'
import { organizationErrors } from './errors.ts'
import { createOrganizations, type Organization, type Organizations } from './service.ts'

export type { Organization, Organizations }

interface OrganizationsFeature extends Feature {
  readonly api: Organizations
  readonly claimSource: ClaimSource
  readonly memberships: Memberships
}

export const organizationsFeature = (deps: Parameters<typeof createOrganizations>[0]): OrganizationsFeature => ({
  api: createOrganizations(deps),
  claimSource: createOrganizationClaims({ teamsEnabled: true }),
  memberships,
  errors: organizationErrors.table,
})
