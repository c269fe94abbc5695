import type { Sessions } from '../../authentication/sessions/index.ts'
import { type Base, defineFeature } from '../../feature.ts'
import type { ManagedUsers } from '../users/index.ts'
import { identitySettings } from './config.ts'
import { type Credential, type Credentials, createCredentials } from './credentials.ts'
import { identityErrors } from './errors.ts'
import { identityEvents } from './events.ts'
import { signInMethodRoutes } from './routes.ts'
import type { AccountChoice } from './rules.ts'
import { createIdentities, type Identities, type Identity, type ProviderTokens, type SealedTokens } from './service.ts'
import { createSignInMethods } from './sign-in-methods.ts'
import { countMethods, ownIdentities, sealedColumns } from './store.ts'

export type { AccountChoice, Credential, Credentials, Identities, Identity, ProviderTokens, SealedTokens }

interface Config {
  readonly accounts: { readonly unlinkingAllAllowed: boolean }
}

const build = (
  base: Base,
  { accounts: config }: Config,
  needs: { readonly managedUsers: ManagedUsers; readonly sessions: Sessions },
) => ({
  personalData: [ownIdentities],
  api: { identities: createIdentities(base), credentials: createCredentials(base) },
  guards: { signInMethods: countMethods },
  routes: signInMethodRoutes(createSignInMethods({ ...base, ...needs, config })),
})

export const identitiesFeature = defineFeature({
  name: 'identities',
  config: { accounts: identitySettings },
  errors: identityErrors.table,
  events: identityEvents,
  sealedColumns,
  build,
})
