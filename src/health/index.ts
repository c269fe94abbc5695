import type { Feature } from '../feature.ts'
import type { AskedField } from '../users/index.ts'
import { healthErrors } from './errors.ts'
import { type HostedSettings, healthRoutes, type SocialButton } from './routes.ts'
import { createHealth, type Health } from './service.ts'

export { configWarnings } from './warnings.ts'
export type { Health }

type Deps = Parameters<typeof createHealth>[0] & {
  readonly config: HostedSettings
  readonly socialProviders: readonly SocialButton[]
  readonly userFields: readonly AskedField[]
}

export const healthFeature = (deps: Deps): Feature & { api: Health } => {
  const api = createHealth(deps)
  return { api, routes: healthRoutes(api, deps.config, deps.socialProviders, deps.userFields), errors: healthErrors.table }
}
