import { z } from 'zod'
import { didYouMean } from '../../../core/config-keys.ts'
import { hourSeconds } from '../../../core/time.ts'
import { isProviderId, knownIds, knownProviders } from './rules/known.ts'

const address = z.url({ protocol: /^https?$/, error: 'an http or https address' })
const scope = z.string().regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/, 'a scope without blanks')
const path = z.string().regex(/^[\w.:/-]+$/, 'the path of a field, such as data.user.id')

/**
 * The configuration of an identity provider, such as `social.github` or `social.google`. Any id that gatehouse does not know stands for
 * another OAuth 2.0 or OpenID provider.
 */
const providerSection = z.strictObject({
  clientId: z.string().min(1).optional().meta({
    variable: '<NAME>_CLIENT_ID',
    description: 'Client id that the provider gave; switches the provider on.',
  }),
  enabled: z
    .boolean()
    .default(true)
    .describe('Off: the provider cannot be used for sign-ins; its other settings and the linked accounts stay.')
    .meta({ weakened: 'on' }),
  clientSecret: z.string().min(1).optional().meta({
    variable: '<NAME>_CLIENT_SECRET',
    secret: true,
    description: 'Client secret that the provider gave.',
  }),
  name: z.string().min(1).max(50).optional().describe('Name on the button.').meta({ weakened: 'never' }),
  scopes: z
    .array(scope)
    .optional()
    .describe("Scopes to ask for instead of the provider's usual ones.")
    .meta({ weakened: 'never' }),
  authorizationUrl: address.optional().describe('Authorization endpoint.'),
  tokenUrl: address.optional().describe('Token endpoint.'),
  userinfoUrl: address.optional().describe('Profile endpoint.'),
  emailsUrl: address.optional().describe('GitHub: endpoint of the list of addresses.'),
  jwksUrl: address.optional().describe('Keys that sign ID tokens.'),
  issuer: z
    .string()
    .min(1)
    .optional()
    .describe('Issuer of ID tokens; for another OpenID provider its address, from which the rest is discovered.'),
  discoveryUrl: address.optional().describe('Discovery document, where it is not below the issuer.'),
  redirectUri: address.optional().describe('Callback address registered at the provider; `<url>/callback/<id>` when not set.'),
  authorizationParams: z.record(z.string(), z.string()).optional().describe('More parameters of the authorization request.'),
  pkce: z.boolean().optional().describe('Send PKCE (S256); another OAuth 2.0 provider gets it unless this is false.'),
  clientAuth: z
    .enum(['post', 'basic'])
    .optional()
    .describe('Where the client secret goes: into the body or into the Authorization header.'),
  audiences: z
    .array(z.string().min(1))
    .default([])
    .describe('Other client ids whose ID tokens are accepted (mobile applications).'),
  tenantId: z
    .string()
    .regex(/^[\w.-]+$/)
    .default('common')
    .describe('Microsoft: the tenant.'),
  teamId: z.string().min(1).optional().describe('Apple: team id.'),
  keyId: z.string().min(1).optional().describe('Apple: id of the key that signs client secrets.'),
  privateKey: z.string().min(1).optional().meta({ secret: true, description: 'Apple: that key, PKCS #8 in PEM.' }),
  claims: z
    .strictObject({
      id: path
        .default('sub')
        .describe('Another provider: field of the profile that is the identity; a number keeps all its digits.'),
      name: path.default('name').describe('Another provider: field with the name.'),
      email: path.default('email').describe('Another provider: field with the address.'),
      emailVerified: path.default('email_verified').describe('Another provider: field that says the address was proven.'),
      image: path.default('picture').describe('Another provider: field with the picture.'),
    })
    .prefault({}),
  trustsEmail: z
    .boolean()
    .optional()
    .describe(
      'An address that the provider reports as verified counts as verified here, and signs in the user with this verified address. ' +
        'When not set: on for Apple, Discord, Dropbox, GitHub, GitLab, Google, Hugging Face, LinkedIn, Twitch and X at their own addresses, ' +
        'off for all others, self-managed ones and any other provider.',
    ),
  signUpEnabled: z.boolean().default(true).describe('New people may come through this provider.').meta({ weakened: 'on' }),
  implicitSignUp: z
    .boolean()
    .default(true)
    .describe('New people need not ask for an account (`requestSignUp`).')
    .meta({ weakened: 'on' }),
  placeholderEmailDomain: z
    .string()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
    .optional()
    .describe('People without an address get an unverified one in this domain; without it they are refused (`email_not_found`).'),
})
export type ProviderSection = z.output<typeof providerSection>

/** Names the fields that are missing in the configuration of a provider that is not built in; undefined if none is missing. */
const missingOf = (id: string, section: ProviderSection): string | undefined => {
  if (id === 'apple' && section.clientSecret === undefined)
    return section.teamId && section.keyId && section.privateKey
      ? undefined
      : 'apple needs clientSecret, or teamId, keyId and privateKey'
  if (id in knownProviders) return section.clientSecret === undefined ? 'clientSecret is missing' : undefined
  if (section.issuer !== undefined || section.discoveryUrl !== undefined) return undefined
  return section.authorizationUrl && section.tokenUrl && section.userinfoUrl
    ? undefined
    : 'another provider needs issuer or discoveryUrl (OpenID), or authorizationUrl, tokenUrl and userinfoUrl (OAuth 2.0)'
}

const switches = {
  trustedProviders: z
    .array(z.string())
    .default([])
    .describe('Providers whose addresses count as verified when an account is linked by address.')
    .meta({ weakened: 'added' }),
  linkingEnabled: z
    .boolean()
    .default(true)
    .describe('Provider accounts may be linked to users that exist.')
    .meta({ weakened: 'on' }),
  allowDifferentEmails: z
    .boolean()
    .default(false)
    .describe('A signed-in user may link a provider account with another address.')
    .meta({ weakened: 'on' }),
  signUpEnabled: z
    .boolean()
    .default(true)
    .describe('New people may come through providers (`accounts.signUpEnabled` must be on too).')
    .meta({ weakened: 'on' }),
  implicitSignUp: z
    .boolean()
    .default(true)
    .describe('New people need not ask for an account (`requestSignUp`).')
    .meta({ weakened: 'on' }),
  autoRedirect: z
    .boolean()
    .default(false)
    .describe(
      'Where `accounts.emailPasswordEnabled` is off and there is exactly one provider, the sign-in page leads there at once; ' +
        'not after a sign-out or an error.',
    )
    .meta({ weakened: 'never' }),
  stateTtlSeconds: z
    .int()
    .min(60)
    .max(hourSeconds)
    .default(600)
    .describe('Time a person has at the provider.')
    .meta({ weakened: 'higher' }),
}

export const socialConfig = z
  .object(switches)
  .catchall(providerSection)
  .superRefine((config, context) => {
    for (const [id, section] of Object.entries(config)) {
      if (id in switches) continue
      const fail = (message: string) => context.addIssue({ code: 'custom', path: [id], message })
      if (!isProviderId(id)) fail('an id is up to 32 of a-z, 0-9, _ and -')
      else if ((section as ProviderSection).clientId !== undefined) {
        const missing = missingOf(id, section as ProviderSection)
        if (missing !== undefined) fail(`${missing}${id in knownProviders ? '' : didYouMean(id, knownIds)}`)
      }
    }
  })
  .meta({ names: knownIds })
  .prefault({})
  .transform((config) => {
    const {
      trustedProviders,
      linkingEnabled,
      allowDifferentEmails,
      signUpEnabled,
      implicitSignUp,
      autoRedirect,
      stateTtlSeconds,
      ...sections
    } = config
    return {
      ...{ trustedProviders, linkingEnabled, allowDifferentEmails, signUpEnabled, implicitSignUp, autoRedirect, stateTtlSeconds },
      providers: Object.fromEntries(
        Object.entries(sections as Readonly<Record<string, ProviderSection>>).map(([id, section]) => [
          id,
          section.enabled ? section : { ...section, clientId: undefined },
        ]),
      ) as Readonly<Record<string, ProviderSection>>,
    }
  })
export type SocialConfig = z.output<typeof socialConfig>
