import { bind, documented } from '../../http/handlers.ts'
import { explanationContract } from './contract.ts'
import { explanationDocumentation } from './documentation.ts'
import type { Explanations } from './service.ts'

export const explanationRoutes = (explanations: Explanations) =>
  bind(documented(explanationContract, explanationDocumentation), {
    explainSignIn: (principal, { query }) => explanations.explain(principal, query),
  })
