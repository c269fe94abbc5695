import type { Audit } from '../../audit/index.ts'
import { type Base, defineFeature } from '../../feature.ts'
import { bind, documented } from '../../http/handlers.ts'
import type { Credentials, Identities } from '../../identity/identities/index.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Oidc } from '../../oidc/index.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { Attempts } from '../attempts/index.ts'
import type { SignInFailures } from '../failures/index.ts'
import type { Social } from '../methods/federated/index.ts'
import type { Passkeys } from '../methods/passkey/index.ts'
import { explanationCommands } from './cli.ts'
import { explanationContract, explanationDocumentation, ownSignInContract, ownSignInDocumentation } from './contract.ts'
import { createFurtherFactors } from './further-factors.ts'
import type { OwnSignIns } from './own.ts'
import { createOwnSignIns } from './own.ts'
import { createExplanations, type Explanations } from './service.ts'
import { createVerdicts, type SignInRules } from './verdict.ts'

const explanationRoutes = (explanations: Explanations, ownSignIns: OwnSignIns) => [
  ...bind(documented(explanationContract, explanationDocumentation), {
    listSignInFailures: async (principal, { query }) => {
      const { rows, next, total } = await explanations.listFailures(principal, query)
      return { failures: [...rows], next, total }
    },
    explainSignIn: (principal, { query }) => explanations.explain(principal, query),
  }),
  ...bind(documented(ownSignInContract, ownSignInDocumentation), {
    listOwnSignIns: async ({ user }) => ({ signIns: await ownSignIns.list(user.id) }),
  }),
]

export type { Explanations }

interface Needs {
  readonly users: Users
  readonly identities: Identities
  readonly credentials: Credentials
  readonly attempts: Attempts
  readonly signInFailures: SignInFailures
  readonly audit: Audit
  readonly oidc?: Oidc
  readonly social?: Social
  readonly passkeys?: Passkeys
  readonly memberships?: Memberships
}

const build = (base: Base, { accounts: rules }: { readonly accounts: SignInRules }, needs: Needs) => {
  const providers = needs.social?.listProviders().map(({ id }) => id) ?? []
  const { memberships, oidc, passkeys } = needs
  const furtherFactors = createFurtherFactors({ ...base, memberships })
  const verdicts = createVerdicts({ ...base, ...needs, rules, providers, oidc, passkeys, furtherFactors })
  const explanations = createExplanations({ ...base, ...needs, verdicts })
  return { api: { explanations }, routes: explanationRoutes(explanations, createOwnSignIns({ ...base, ...needs })) }
}

/** Explains to support staff why a user cannot sign in. This feature reads many other features, and is built after them. */
export const explanationFeature = defineFeature({ name: 'explanation', commands: [explanationCommands], build })
