import type { z } from 'zod'
import type { ProviderSection, SocialConfig } from '../config.ts'
import { definitionOf, redirectUriOf } from '../providers/create.ts'
import { usualScopes } from '../providers/openid.ts'
import { knownIds, knownProviders, trustsEmail } from '../rules/known.ts'
import type { BuiltInProvider, EffectiveProvider } from './contract.ts'

/**
 * The fields of a provider's configuration that have no default. If such a field has a value, the configuration sets it. None of them is
 * a secret.
 */
const configurable = [
  ...([
    'name',
    'scopes',
    'authorizationUrl',
    'tokenUrl',
    'userinfoUrl',
    'emailsUrl',
    'jwksUrl',
    'issuer',
    'discoveryUrl',
  ] as const),
  ...([
    'redirectUri',
    'authorizationParams',
    'pkce',
    'clientAuth',
    'teamId',
    'keyId',
    'trustsEmail',
    'placeholderEmailDomain',
  ] as const),
] as const satisfies readonly (keyof ProviderSection)[]

const typeOf = (id: string, isDiscovered: boolean) =>
  id in knownProviders ? ('built-in' as const) : isDiscovered ? ('openid' as const) : ('oauth2' as const)

/** Lists the enabled providers from the configuration and the built-in definitions. No provider is called. */
export const describeProviders = (
  config: SocialConfig,
  { url, signUpEnabled }: { readonly url: string; readonly signUpEnabled: boolean },
): readonly z.output<typeof EffectiveProvider>[] =>
  Object.entries(config.providers).flatMap(([id, section]) => {
    const { clientId } = section
    if (clientId === undefined) return []
    const definition = definitionOf(id, section)
    return {
      id,
      name: section.name ?? definition?.name ?? id,
      type: typeOf(id, definition === undefined),
      clientId,
      hasClientSecret: section.clientSecret !== undefined,
      redirectUri: redirectUriOf(id, section, url),
      scopes: [...(definition === undefined ? (section.scopes ?? usualScopes) : definition.scopes)],
      addresses: {
        issuer: section.issuer ?? definition?.idToken?.issuers[0] ?? null,
        discovery: definition === undefined ? (section.discoveryUrl ?? section.issuer ?? null) : null,
        authorization: definition?.authorizationUrl ?? null,
        token: definition?.tokenUrl ?? null,
        userinfo: definition?.userinfoUrl ?? null,
        jwks: definition?.idToken?.jwksUrl ?? null,
      },
      pkce: definition === undefined ? section.pkce !== false : (section.pkce ?? definition.pkce === true),
      trustsEmail: trustsEmail(id, section),
      signUpEnabled: signUpEnabled && config.signUpEnabled && section.signUpEnabled,
      implicitSignUp: config.implicitSignUp && section.implicitSignUp,
      configured: configurable.filter((key) => section[key] !== undefined),
    }
  })

/** Lists the built-in providers, each with its callback URL. The URL has to be registered at the provider before the provider is enabled. */
export const builtInProviders = (url: string): readonly z.output<typeof BuiltInProvider>[] =>
  knownIds.flatMap((id) => {
    const name = knownProviders[id]?.name
    return name === undefined ? [] : [{ id, name, redirectUri: `${url}/callback/${id}` }]
  })
