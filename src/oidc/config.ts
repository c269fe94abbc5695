import { z } from 'zod'
import { daySeconds, hourSeconds } from '../core/time.ts'
import { keyLeadSeconds } from './keys/rules.ts'
import { idTokenAlgs, type OwnPages, ownPageProblem, redirectUriProblem, standardScopes, unknownScopesModes } from './rules.ts'

const ttl = (seconds: number) => z.int().min(1).max(34_560_000).default(seconds)

const ownPage = (name: string) =>
  z
    .string()
    .refine((page) => ownPageProblem(page) === undefined, 'must be a path such as /login, or an https address without fragment')
    .optional()
    .describe(
      `A ${name} of your own: a path below the public address, or an address on an origin of trustedOrigins that is the same site. It gets \`interaction\` and the parameters of the request (docs/how-to/own-pages.md).`,
    )

/** The origins of the operator's own sign-in and consent pages, if they differ from the public address. */
export const ownPageOrigins = ({ loginPage, consentPage }: OwnPages): readonly string[] =>
  [loginPage, consentPage].flatMap((page) => (page !== undefined && URL.canParse(page) ? new URL(page).origin : []))

export const oidcConfig = z
  .strictObject({
    loginPage: ownPage('sign-in page'),
    consentPage: ownPage('consent page'),
    codeTtlSeconds: z.int().min(1).max(600).default(600).describe('Life of an authorization code.').meta({ weakened: 'higher' }),
    deviceCodeTtlSeconds: z
      .int()
      .min(60)
      .max(1800)
      .default(600)
      .describe('Time a person has to enter the code that a device shows, to sign in and to consent (docs/how-to/devices.md).'),
    commandLine: z
      .boolean()
      .default(true)
      .describe(
        'Whether administrators sign in with `gatehouse login` and administer this instance from another machine (docs/how-to/remote.md).',
      ),
    accessTokenTtlSeconds: ttl(hourSeconds).describe('Life of an access token.').meta({ weakened: 'higher' }),
    idTokenTtlSeconds: ttl(hourSeconds).describe('Life of an ID token.').meta({ weakened: 'higher' }),
    refreshTokenTtlSeconds: ttl(604_800)
      .describe('Life of a refresh token; each use gives a new one.')
      .meta({ weakened: 'higher' }),
    refreshTokenGraceSeconds: z
      .int()
      .min(0)
      .max(300)
      .default(30)
      .describe(
        'How long a refresh token that was used may be used again by the same client, as the newest of its family: for answers that got lost and requests at the same time. 0: never.',
      )
      .meta({ weakened: 'higher' }),
    refreshAbsoluteTtlSeconds: ttl(2_592_000)
      .describe('However often it is renewed, a refresh token ends this long after sign-in.')
      .meta({ weakened: 'higher' }),
    interactionTtlSeconds: z
      .int()
      .min(60)
      .max(hourSeconds)
      .default(600)
      .describe('Time a person has to sign in and to consent.')
      .meta({ weakened: 'higher' }),
    idTokenAlg: z.enum(idTokenAlgs).default('RS256').describe('Algorithm of ID tokens of newly registered confidential clients.'),
    offlineAccess: z
      .enum(['prompt', 'consented'])
      .default('prompt')
      .describe(
        'When the scope offline_access gives a refresh token: `prompt` with prompt=consent only, `consented` as soon as the person has agreed to it once. Clients registered with --skip-consent need neither.',
      ),
    dpopNonce: z
      .enum(['offered', 'required'])
      .default('offered')
      .describe(
        'Whether a DPoP proof needs a nonce of this server (RFC 9449, section 8): `offered` takes proofs without one that are not older than five minutes, `required` none. A client that lacks the nonce gets it with use_dpop_nonce.',
      ),
    consentTtlDays: z
      .int()
      .min(0)
      .max(3_650)
      .default(0)
      .describe(
        'How many days after people agreed to an application they are asked again when they next sign in to it. 0: never.',
      ),
    secretOverlapSeconds: z
      .int()
      .min(0)
      .max(366 * daySeconds)
      .default(7 * daySeconds)
      .describe('How long the previous secret of an application works beside a new one, where a rotation does not say it.')
      .meta({ weakened: 'higher' }),
    requirePkce: z
      .boolean()
      .default(false)
      .describe(
        'Whether clients with a secret that were not registered with --pkce need PKCE (S256), too. Clients without a secret always do; a challenge that was sent is always checked.',
      )
      .meta({ weakened: 'off' }),
    unknownScopes: z
      .enum(unknownScopesModes)
      .default('refuse')
      .describe(
        'The answer to scopes that an application cannot have, for applications registered without --unknown-scopes: `refuse` answers invalid_scope, `ignore` leaves the scopes out.',
      ),
    registration: z
      .enum(['off', 'authenticated', 'open'])
      .default('authenticated')
      .describe(
        'Whether clients register themselves at /oauth2/register: `off`, `authenticated` for people, API keys and initial access tokens, `open` for strangers, too (docs/how-to/registration.md).',
      ),
    registrationPeople: z
      .enum(['verified', 'everybody', 'nobody'])
      .default('verified')
      .describe(
        'The signed-in users who may register clients: users with a verified address, all users, or only users with the permission clients:create.',
      ),
    registrationRoles: z
      .array(z.string().min(1))
      .default([])
      .describe('Roles of which a person needs one to register clients; empty: any.'),
    registrationsPerHour: z
      .int()
      .min(1)
      .max(100_000)
      .default(20)
      .describe(
        'How many clients a person, or strangers of one network address, register in an hour, where limits apply; and how often such clients change themselves.',
      )
      .meta({ weakened: 'higher' }),
    registrationMaxUnknown: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(1_000)
      .describe('How many clients of strangers there are at once that no administrator has looked at.')
      .meta({ weakened: 'higher' }),
    registrationUnusedSeconds: z
      .int()
      .min(60)
      .max(34_560_000)
      .default(daySeconds)
      .describe(
        'Time after which a client registered by a stranger is deleted if nobody has signed in to it and no administrator has reviewed it.',
      )
      .meta({ weakened: 'never' }),
    clientMetadataDocuments: z
      .enum(['off', 'listed', 'open'])
      .default('off')
      .describe(
        'Whether a client_id may be the https address of a document with the metadata of the client: `off`, `listed` for documents on the hosts of clientMetadataDocumentHosts, `open` for any public host (docs/how-to/registration.md).',
      ),
    clientMetadataDocumentHosts: z
      .array(z.string().regex(/^[a-z0-9.-]+(:\d{1,5})?$/, 'a host in lower case, with its port where that is not 443'))
      .default([])
      .describe(
        'Hosts of metadata documents, such as `apps.example.com`. `outbound.allow` counts for documents on these hosts alone.',
      )
      .meta({ weakened: 'added' }),
    resources: z
      .array(
        z.strictObject({
          resource: z
            .string()
            .refine(
              (value) => redirectUriProblem(value, 'web') === undefined,
              'an https address without fragment (http on loopback)',
            ),
          clientId: z.string().min(1).max(128).optional(),
          name: z.string().min(1).max(200).optional(),
          scopes: z.array(z.string().min(1)).default([...standardScopes]),
        }),
      )
      .default([])
      .describe(
        'Servers that take tokens of this one, such as MCP servers: `resource` (their address), `clientId` (the client by which they look at tokens that are for them), `name`, `scopes` (docs/how-to/mcp.md). Another `resource` of a request is refused.',
      ),
    rsaModulusLength: z
      .int()
      .min(2048)
      .max(8192)
      .default(3072)
      .describe('Size of new RSA signing keys in bits.')
      .meta({ weakened: 'lower' }),
    keyOverlapSeconds: z
      .int()
      .min(60)
      .max(2_592_000)
      .default(daySeconds)
      .describe('How long a new signing key is published before it signs; at least as long as applications cache the key set.')
      .meta({ weakened: 'never' }),
    keySkewSeconds: z
      .int()
      .min(0)
      .max(daySeconds)
      .default(300)
      .describe('How much longer than its last ID token a replaced signing key stays published.')
      .meta({ weakened: 'never' }),
    keyRotationDays: z
      .int()
      .min(0)
      .max(3_650)
      .default(90)
      .describe(
        'How many days a signing key signs before the next one of its algorithm takes over by itself (docs/how-to/signing-keys.md). 0: keys change by `rotate-jwks` alone.',
      )
      .meta({ weakened: 'never' }),
    documentCacheSeconds: z
      .int()
      .min(0)
      .max(daySeconds)
      .default(300)
      .describe('How long others may cache discovery document and key set.')
      .meta({ weakened: 'never' }),
  })
  .refine((c) => c.keyOverlapSeconds >= c.documentCacheSeconds, 'keyOverlapSeconds must not be shorter than documentCacheSeconds')
  .refine(
    (c) => c.keyRotationDays === 0 || c.keyRotationDays * daySeconds >= 2 * keyLeadSeconds(c),
    'keyRotationDays must be 0 or at least twice as long as the next key is published before it signs (keyOverlapSeconds, documentCacheSeconds and keySkewSeconds together)',
  )
  .prefault({})

export type OidcConfig = z.output<typeof oidcConfig>
