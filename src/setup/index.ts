import type { Feature } from '../feature.ts'
import { setupErrors } from './errors.ts'
import { setupRoutes } from './routes.ts'
import { createSetup, type Setup } from './service.ts'

export type { Setup }

export const setupFeature = (deps: Parameters<typeof createSetup>[0]): Feature & { api: Setup } => {
  const api = createSetup(deps)
  return {
    api,
    routes: setupRoutes(api),
    errors: setupErrors.table,
  }
}
