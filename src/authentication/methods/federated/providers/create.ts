import type { ProviderSection, SocialConfig } from '../config.ts'
import { type ProviderDefinition, profileOf } from '../rules/definition.ts'
import { flag, text } from '../rules/json.ts'
import { knownProviders, trustsEmail } from '../rules/known.ts'
import { github } from '../rules/oauth-providers.ts'
import { createGitHubProvider } from './github.ts'
import { createOAuth2Provider } from './oauth2.ts'
import { createOpenidProvider } from './openid.ts'
import type { IdentityProvider, ProviderDeps, ProviderSettings } from './provider.ts'

/** Makes the definition of an OAuth 2.0 provider that is not built in. */
const otherProvider = (id: string, { name, claims, pkce }: ProviderSection): ProviderDefinition => ({
  name: name ?? id,
  authorizationUrl: '',
  tokenUrl: '',
  userinfoUrl: '',
  scopes: [],
  ...(pkce === false ? {} : { pkce: true }),
  profile: (json) =>
    profileOf(
      text(json, claims.id),
      text(json, claims.name),
      text(json, claims.email),
      flag(json, claims.emailVerified),
      text(json, claims.image),
    ),
})

/** Replaces values of a provider's definition by the configured values. */
const withSection = <D extends ProviderDefinition>(definition: D, section: ProviderSection): D => {
  const withTenant = (url: string) => url.replace('{tenant}', section.tenantId)
  const { idToken, userinfoUrl } = definition
  const profileUrl = section.userinfoUrl ?? userinfoUrl
  return {
    ...definition,
    authorizationUrl: section.authorizationUrl ?? withTenant(definition.authorizationUrl),
    tokenUrl: section.tokenUrl ?? withTenant(definition.tokenUrl),
    ...(profileUrl === undefined ? {} : { userinfoUrl: profileUrl }),
    ...(section.scopes === undefined ? {} : { scopes: section.scopes }),
    ...(idToken === undefined
      ? {}
      : {
          idToken: {
            issuers: section.issuer === undefined ? idToken.issuers : [section.issuer],
            jwksUrl: section.jwksUrl ?? withTenant(idToken.jwksUrl),
          },
        }),
  }
}

/** The definition of a provider, from the built-in definitions and the configuration. Undefined if the provider's endpoints are discovered. */
export const definitionOf = (id: string, section: ProviderSection): ProviderDefinition | undefined => {
  const builtIn = knownProviders[id]
  if (builtIn !== undefined) return withSection(builtIn, section)
  if (section.issuer !== undefined || section.discoveryUrl !== undefined) return undefined
  return withSection(otherProvider(id, section), section)
}

/** The callback URL that has to be registered at the provider. */
export const redirectUriOf = (id: string, { redirectUri }: ProviderSection, url: string): string =>
  redirectUri ?? `${url}/callback/${id}`

const createProvider = (settings: ProviderSettings): IdentityProvider => {
  const { id, section } = settings
  if (id === 'github') {
    const row = withSection(github, section)
    return createGitHubProvider(settings, { ...row, emailsUrl: section.emailsUrl ?? row.emailsUrl })
  }
  const definition = definitionOf(id, section)
  return definition === undefined ? createOpenidProvider(settings) : createOAuth2Provider(settings, definition)
}

/** Creates the enabled identity providers, by id. */
export const createIdentityProviders = (
  config: SocialConfig,
  url: string,
  deps: ProviderDeps,
): ReadonlyMap<string, IdentityProvider> => {
  const providers = new Map<string, IdentityProvider>()
  for (const [id, section] of Object.entries(config.providers)) {
    const { clientId, clientSecret } = section
    const redirectUri = redirectUriOf(id, section, url)
    if (clientId !== undefined)
      providers.set(
        id,
        createProvider({ ...deps, id, section, clientId, clientSecret, redirectUri, trustsEmail: trustsEmail(id, section) }),
      )
  }
  return providers
}
