import { bind, documented } from '../../http/handlers.ts'
import { explanationContract, ownSignInContract } from './contract.ts'
import { explanationDocumentation, ownSignInDocumentation } from './documentation.ts'
import type { OwnSignIns } from './own.ts'
import type { Explanations } from './service.ts'

export const explanationRoutes = (explanations: Explanations, ownSignIns: OwnSignIns) => [
  ...bind(documented(explanationContract, explanationDocumentation), {
    listSignInFailures: async (principal, { query }) => {
      const { rows, next } = await explanations.listFailures(principal, query)
      return { failures: [...rows], next }
    },
    explainSignIn: (principal, { query }) => explanations.explain(principal, query),
  }),
  ...bind(documented(ownSignInContract, ownSignInDocumentation), {
    listOwnSignIns: async ({ user }) => ({ signIns: await ownSignIns.list(user.id) }),
  }),
]
