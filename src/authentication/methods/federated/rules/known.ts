import type { ProviderDefinition } from './definition.ts'
import { github, oauthProviders } from './oauth-providers.ts'
import { openidProviders } from './openid-providers.ts'

/** The providers of the specification (accounts specification, section 3) as one table. */
export const knownProviders: Readonly<Record<string, ProviderDefinition>> = { github, ...openidProviders, ...oauthProviders }

/** Their ids, in the order of documents and buttons. */
export const knownIds: readonly string[] = Object.keys(knownProviders).sort()

/** Addresses in a section: with one of them the provider is self-managed (GitHub Enterprise, GitLab). */
const addresses = ['issuer', 'discoveryUrl', 'authorizationUrl', 'tokenUrl', 'userinfoUrl', 'emailsUrl', 'jwksUrl'] as const

/**
 * True if an address that the provider calls verified counts as proven: by configuration, else for built-in providers that verify
 * addresses, at their own endpoints.
 */
export const trustsEmail = (
  id: string,
  section: { readonly trustsEmail?: boolean | undefined } & Readonly<
    Partial<Record<(typeof addresses)[number], string | undefined>>
  >,
): boolean =>
  section.trustsEmail ?? (knownProviders[id]?.provesEmail === true && addresses.every((name) => section[name] === undefined))

/** Ids that cannot be providers: `credential` is the password account, the others are switches of the section. */
export const isProviderId = (id: string): boolean => /^[a-z0-9][a-z0-9_-]{0,31}$/.test(id) && id !== 'credential'
