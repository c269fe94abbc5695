import type { Principal } from '../../../access/principal.ts'
import type { Db } from '../../../core/db/database.ts'
import { createOutbound, type OutboundConfig } from '../../../core/fetch.ts'
import { type Base, defineFeature } from '../../../feature.ts'
import type { Cookies } from '../../../http/cookies.ts'
import type { Identities } from '../../../identity/identities/index.ts'
import type { ManagedUsers, Users } from '../../../identity/users/index.ts'
import type { Attempts } from '../../attempts/index.ts'
import type { SignInFailures } from '../../failures/index.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { AddressClaims } from '../../verification/index.ts'
import { createAccounts } from './accounts.ts'
import { builtInProviders, describeProviders } from './administration/describe.ts'
import { providerAdministrationRoutes } from './administration/routes.ts'
import { createProviderTest } from './administration/test.ts'
import { createProviderCounts, createProviderUse } from './administration/use.ts'
import { createAuthorization } from './authorization.ts'
import { createCallback } from './callback.ts'
import { roundedIdsCheck } from './check.ts'
import { createClientTokens } from './client-tokens.ts'
import { type SocialConfig, socialConfig } from './config.ts'
import { socialErrors, socialEvents } from './contract.ts'
import { linkedAccountRoutes } from './linked-accounts/routes.ts'
import { createLinkedAccounts } from './linked-accounts/service.ts'
import { createProviderTokens, type ProviderTokensService } from './provider-tokens.ts'
import { createIdentityProviders } from './providers/create.ts'
import { createSocialStart, socialRoutes, stateCookieOf } from './routes.ts'
import { sealedColumns } from './store.ts'

export interface SocialProvider {
  readonly id: string
  readonly name: string
}

export interface Social {
  /** The enabled identity providers, in the order of the configuration. */
  listProviders(): readonly SocialProvider[]
  readonly tokens: ProviderTokensService
  /**
   * Starts a sign-in at an identity provider in this browser. Returns the URL to which the browser is sent. Throws PROVIDER_NOT_FOUND or
   * SERVICE_UNAVAILABLE.
   */
  beginSignIn(
    principal: Principal,
    input: { readonly provider: string; readonly callbackURL: string; readonly errorCallbackURL: string },
    cookies: Cookies,
  ): Promise<string>
}

interface Config {
  readonly social: SocialConfig
  readonly accounts: { readonly signUpEnabled: boolean; readonly unlinkingAllAllowed: boolean }
  readonly outbound: OutboundConfig
  readonly secondFactor: { readonly trustedProviders: readonly string[] }
}

interface Needs {
  readonly users: Users
  readonly managedUsers: ManagedUsers
  readonly sessions: Sessions
  readonly attempts: Attempts
  readonly identities: Identities
  readonly addressClaims: AddressClaims
  readonly signInFailures?: SignInFailures
}

const build = (base: Base, { social: config, accounts: settings, outbound, secondFactor }: Config, needs: Needs) => {
  const { signUpEnabled } = settings
  const ttlSeconds = config.stateTtlSeconds
  const calls = createOutbound(outbound)
  const providers = createIdentityProviders(config, base.url, { ...base, outbound: calls, allowHttp: outbound.allowHttp })
  const deps = { ...base, ...needs, providers }
  const accounts = createAccounts({ ...deps, config, signUpEnabled, trustedProviders: secondFactor.trustedProviders })
  const authorization = createAuthorization({ ...deps, ttlSeconds })
  const tokens = createProviderTokens(deps)
  const begin = createSocialStart(authorization, stateCookieOf(base, ttlSeconds), ttlSeconds)
  const social: Social = {
    listProviders: () => [...providers.values()].map(({ id, name }) => ({ id, name })),
    tokens,
    beginSignIn: begin.signIn,
  }
  const routes = socialRoutes({
    begin,
    callback: createCallback({ ...deps, authorization, accounts, trusted: base.trustedUrls }),
    clientTokens: createClientTokens({ ...deps, accounts }),
    tokens,
  })
  const describe = () => describeProviders(config, { url: base.url, signUpEnabled })
  const count = createProviderCounts({ ...base, ...needs })
  const use = createProviderUse({ ...base, ...needs })
  const { test, trials } = createProviderTest({ ...base, outbound: calls, config, providers })
  return {
    api: { social },
    routes: [
      ...routes,
      ...linkedAccountRoutes(createLinkedAccounts({ ...base, ...needs, config: settings })),
      ...providerAdministrationRoutes({ describe, builtIn: builtInProviders(base.url), count, use, test }),
    ],
    guards: {
      signsIn: async (db: Db, userId: string) =>
        (await needs.identities.listOf(db, userId)).some(({ providerId }) => providers.has(providerId)),
    },
    checks: [roundedIdsCheck({ ...base, ...needs, config })],
    trials,
  }
}

export const socialFeature = defineFeature({
  name: 'social',
  config: { social: socialConfig },
  errors: socialErrors.table,
  events: socialEvents,
  sealedColumns,
  build,
})
