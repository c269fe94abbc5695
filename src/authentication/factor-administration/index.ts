import { type Base, defineFeature } from '../../feature.ts'
import type { ManagedUsers, Users } from '../../identity/users/index.ts'
import type { Attempts } from '../attempts/index.ts'
import type { SecondFactors } from '../second-factors/index.ts'
import { factorCommands } from './cli.ts'
import { factorAdministrationErrors } from './errors.ts'
import { factorAdministrationRoutes } from './routes.ts'
import { createFactorAdministration } from './service.ts'

interface Needs {
  readonly users: Users
  readonly managedUsers: ManagedUsers
  readonly secondFactors: SecondFactors
  readonly attempts: Attempts
}

/** Second factors of others, for administrators and the command line. */
export const factorAdministrationFeature = defineFeature({
  name: 'factor-administration',
  errors: factorAdministrationErrors.table,
  commands: [factorCommands],
  build: (base: Base, _config: object, needs: Needs) => {
    const factorAdministration = createFactorAdministration({ ...base, ...needs })
    return { api: { factorAdministration }, routes: factorAdministrationRoutes(factorAdministration) }
  },
})
