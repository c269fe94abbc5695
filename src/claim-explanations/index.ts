import { type Base, type Built, defineFeature } from '../feature.ts'
import { bind, documented } from '../http/handlers.ts'
import { claimExplanationCommands } from './cli.ts'
import { claimExplanationContract, claimExplanationDocumentation } from './contract.ts'
import { type ClaimExplanations, createClaimExplanations, type Needs } from './service.ts'

const build = (base: Base, _: object, needs: Needs) => {
  const claimExplanations: ClaimExplanations = createClaimExplanations({ ...base, ...needs })
  return {
    api: { claimExplanations },
    routes: bind(documented(claimExplanationContract, claimExplanationDocumentation), {
      explainClaims: (principal, { query }) => claimExplanations.ofUser(principal, query),
      explainEntitlements: (principal, { query }) => claimExplanations.ofOrganization(principal, query.organization),
    }),
  } satisfies Built
}

/** Explains why an application gets certain claims about a user. It is built after all features that provide claims. */
export const claimExplanationsFeature = defineFeature({
  name: 'claimExplanations',
  commands: [claimExplanationCommands],
  build,
})
