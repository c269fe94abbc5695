import type { ProviderDefinition } from './definition.ts'
import { github, oauthProviders } from './oauth-providers.ts'
import { openidProviders } from './openid-providers.ts'

/** The built-in providers. The specification lists them (accounts specification, section 3). */
export const knownProviders: Readonly<Record<string, ProviderDefinition>> = { github, ...openidProviders, ...oauthProviders }

/** The ids of the built-in providers, in the order in which documents and buttons show them. */
export const knownIds: readonly string[] = Object.keys(knownProviders).sort()

/** The fields of the configuration that set an endpoint. A provider with such a field is self-managed, such as GitHub Enterprise or GitLab. */
const addresses = ['issuer', 'discoveryUrl', 'authorizationUrl', 'tokenUrl', 'userinfoUrl', 'emailsUrl', 'jwksUrl'] as const

/**
 * True if a mail address that the provider calls verified counts as verified here. The configuration can say so. By default it is true
 * for built-in providers that verify mail addresses, unless the configuration sets other endpoints.
 */
export const trustsEmail = (
  id: string,
  section: { readonly trustsEmail?: boolean | undefined } & Readonly<
    Partial<Record<(typeof addresses)[number], string | undefined>>
  >,
): boolean =>
  section.trustsEmail ?? (knownProviders[id]?.provesEmail === true && addresses.every((name) => section[name] === undefined))

/**
 * True for an id that a provider can have. `credential` is not possible, because it stands for the password. Names with capital letters
 * are not possible, because they are settings.
 */
export const isProviderId = (id: string): boolean => /^[a-z0-9][a-z0-9_-]{0,31}$/.test(id) && id !== 'credential'
