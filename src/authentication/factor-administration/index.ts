import { type Base, defineFeature } from '../../feature.ts'
import { bind, documented } from '../../http/handlers.ts'
import type { ManagedUsers, Users } from '../../identity/users/index.ts'
import type { Attempts } from '../attempts/index.ts'
import type { SecondFactors } from '../second-factors/index.ts'
import { factorCommands } from './cli.ts'
import { factorAdministrationContract, factorAdministrationDocumentation, factorAdministrationErrors } from './contract.ts'
import type { FactorAdministration } from './service.ts'
import { createFactorAdministration } from './service.ts'

const factorAdministrationRoutes = (factors: FactorAdministration) =>
  bind(documented(factorAdministrationContract, factorAdministrationDocumentation), {
    adminListFactors: (_, { params }) => factors.get(params.id),
    adminRequireFactor: (principal, { params, body, ifMatch }) => factors.require(principal, params.id, body.required, ifMatch),
    adminRemoveFactors: (principal, { params, ifMatch }) => factors.removeAll(principal, params.id, ifMatch),
    adminRemoveFactor: (principal, { params, ifMatch }) => factors.remove(principal, params.id, params.factorId, ifMatch),
  })

interface Needs {
  readonly users: Users
  readonly managedUsers: ManagedUsers
  readonly secondFactors: SecondFactors
  readonly attempts: Attempts
}

/** Lets administrators, and operators on the command line, manage the second factors of other people. */
export const factorAdministrationFeature = defineFeature({
  name: 'factor-administration',
  errors: factorAdministrationErrors.table,
  commands: [factorCommands],
  build: (base: Base, _config: object, needs: Needs) => {
    const factorAdministration = createFactorAdministration({ ...base, ...needs })
    return { api: { factorAdministration }, routes: factorAdministrationRoutes(factorAdministration) }
  },
})
