import type { Social } from '../authentication/methods/federated/index.ts'
import { type Base, defineFeature } from '../feature.ts'
import type { Users } from '../identity/users/index.ts'
import type { Oidc } from '../oidc/index.ts'
import { healthCommands } from './cli.ts'
import { healthErrors } from './errors.ts'
import { type HostedSettings, healthRoutes } from './routes.ts'
import { createHealth, type Health } from './service.ts'

export { configWarnings } from './warnings.ts'
export type { Health }

interface Needs {
  readonly users: Users
  readonly oidc: Oidc
  readonly social?: Social
}

export const healthFeature = defineFeature({
  name: 'health',
  errors: healthErrors.table,
  commands: [healthCommands],
  build: (base: Base, config: HostedSettings, { users, oidc, social }: Needs) => {
    const health = createHealth({ ...base, isSigningKeyPresent: oidc.isSigningKeyPresent })
    return { api: { health }, routes: healthRoutes(health, config, social?.listProviders() ?? [], users.fields.writable) }
  },
})
