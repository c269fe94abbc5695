import type { Feature } from '../feature.ts'
import { organizationErrors } from './errors.ts'
import { createOrganizations, type Organization, type Organizations } from './service.ts'

export type { Organization, Organizations }

export const organizationsFeature = (deps: Parameters<typeof createOrganizations>[0]): Feature & { api: Organizations } => ({
  api: createOrganizations(deps),
  errors: organizationErrors.table,
})
