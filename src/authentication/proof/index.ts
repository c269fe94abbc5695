import { type Base, type Built, defineFeature } from '../../feature.ts'
import type { Credentials } from '../../identity/identities/index.ts'
import type { Users } from '../../identity/users/index.ts'
import type { PasswordService } from '../methods/password/index.ts'
import type { SecondFactors } from '../second-factors/index.ts'
import type { Sessions } from '../sessions/index.ts'
import { createRequireProof } from './service.ts'

interface Config {
  readonly accounts: { readonly changeEmailPasswordSeconds: number; readonly emailPasswordEnabled: boolean }
  readonly sessions: { readonly freshAgeSeconds: number }
}

interface Needs {
  readonly users: Users
  readonly credentials: Credentials
  readonly secondFactors: SecondFactors
  readonly sessions: Sessions
  readonly passwordService: PasswordService
}

/** Checks whether a caller has proven their identity recently. This feature reads the facts that the rules in `access/proof.ts` need. */
export const proofFeature = defineFeature({
  name: 'proof',
  build: (base: Base, { accounts, sessions: { freshAgeSeconds } }: Config, needs: Needs) =>
    ({
      api: {},
      requireProof: createRequireProof({
        ...{ ...base, ...needs, emailPasswordEnabled: accounts.emailPasswordEnabled },
        ...{ recentSeconds: accounts.changeEmailPasswordSeconds, freshSeconds: freshAgeSeconds },
      }),
    }) satisfies Built,
})
