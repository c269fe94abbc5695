import type { Social } from '../authentication/methods/federated/index.ts'
import { type Base, defineFeature } from '../feature.ts'
import type { Users } from '../identity/users/index.ts'
import type { Oidc } from '../oidc/index.ts'
import { healthCommands } from './cli.ts'
import { type CheckedSettings, instanceChecks } from './diagnosis/checks.ts'
import { healthAdminRoutes } from './diagnosis/routes.ts'
import { createDiagnosis } from './diagnosis/service.ts'
import { healthErrors } from './errors.ts'
import { type HostedSettings, healthRoutes } from './routes.ts'
import { createHealth, type Health } from './service.ts'

export { configWarnings } from './warnings.ts'
export type { Health }

type Config = HostedSettings & CheckedSettings

interface Needs {
  readonly users: Users
  readonly oidc: Oidc
  readonly social?: Social
}

export const healthFeature = defineFeature({
  name: 'health',
  errors: healthErrors.table,
  commands: [healthCommands],
  build: (base: Base, config: Config, { users, oidc, social }: Needs) => {
    const health = createHealth({ ...base, isSigningKeyPresent: oidc.isSigningKeyPresent })
    const diagnosis = createDiagnosis(health, base.checks)
    return {
      api: { health, diagnosis },
      checks: instanceChecks({ ...base, config }),
      routes: [
        ...healthRoutes(health, config, social?.listProviders() ?? [], users.fields.writable),
        ...healthAdminRoutes(diagnosis),
      ],
    }
  },
})
