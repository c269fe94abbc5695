import { z } from 'zod'
import { type Base, defineFeature } from '../../feature.ts'
import { identityErrors, identityEvents } from './contract.ts'
import { type Credential, type Credentials, createCredentials } from './credentials.ts'
import type { AccountChoice } from './rules.ts'
import { createIdentities, type Identities, type Identity, type ProviderTokens, type SealedTokens } from './service.ts'
import { countMethods, ownIdentities, sealedColumns } from './store.ts'

/** Settings in the section `accounts`. */
const identitySettings = {
  unlinkingAllAllowed: z
    .boolean()
    .default(false)
    .describe('Users may remove their last sign-in method.')
    .meta({ weakened: 'never' }),
}

export type { AccountChoice, Credential, Credentials, Identities, Identity, ProviderTokens, SealedTokens }

const build = (base: Base) => ({
  personalData: [ownIdentities],
  api: { identities: createIdentities(base), credentials: createCredentials(base) },
  guards: { signInMethods: countMethods },
})

export const identitiesFeature = defineFeature({
  name: 'identities',
  config: { accounts: identitySettings },
  errors: identityErrors.table,
  events: identityEvents,
  sealedColumns,
  build,
})
