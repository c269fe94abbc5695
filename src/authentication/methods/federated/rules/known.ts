import type { ProviderDefinition } from './definition.ts'
import { github, oauthProviders } from './oauth-providers.ts'
import { openidProviders } from './openid-providers.ts'

/** The providers that the specification names (accounts specification, section 3). */
export const knownProviders: Readonly<Record<string, ProviderDefinition>> = { github, ...openidProviders, ...oauthProviders }

/** The ids of the known providers, in the order in which documents and buttons show them. */
export const knownIds: readonly string[] = Object.keys(knownProviders).sort()

/** The keys of a section that set an address. A provider with one of them is self-managed, such as GitHub Enterprise or GitLab. */
const addresses = ['issuer', 'discoveryUrl', 'authorizationUrl', 'tokenUrl', 'userinfoUrl', 'emailsUrl', 'jwksUrl'] as const

/**
 * True if an address that the provider calls verified counts as verified. The configuration decides. By default it is true for built-in
 * providers that verify addresses, unless the configuration sets other endpoints.
 */
export const trustsEmail = (
  id: string,
  section: { readonly trustsEmail?: boolean | undefined } & Readonly<
    Partial<Record<(typeof addresses)[number], string | undefined>>
  >,
): boolean =>
  section.trustsEmail ?? (knownProviders[id]?.provesEmail === true && addresses.every((name) => section[name] === undefined))

/** True for an id that a provider can have. `credential` stands for the password. Names with capital letters are settings of the section. */
export const isProviderId = (id: string): boolean => /^[a-z0-9][a-z0-9_-]{0,31}$/.test(id) && id !== 'credential'
