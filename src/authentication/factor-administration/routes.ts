import { bind, documented } from '../../http/handlers.ts'
import { factorAdministrationContract } from './contract.ts'
import { factorAdministrationDocumentation } from './documentation.ts'
import type { FactorAdministration } from './service.ts'

export const factorAdministrationRoutes = (factors: FactorAdministration) =>
  bind(documented(factorAdministrationContract, factorAdministrationDocumentation), {
    adminListFactors: (_, { params }) => factors.get(params.id),
    adminRequireFactor: (principal, { params, body, ifMatch }) => factors.require(principal, params.id, body.required, ifMatch),
    adminRemoveFactors: (principal, { params, ifMatch }) => factors.removeAll(principal, params.id, ifMatch),
    adminRemoveFactor: (principal, { params, ifMatch }) => factors.remove(principal, params.id, params.factorId, ifMatch),
  })
