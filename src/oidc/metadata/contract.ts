import { z } from 'zod'
import { colorInput, lineInput, nameInput, plainText } from '../../core/wire.ts'

/** The type of an application. `web` and `machine` applications can keep a secret; `spa` and `native` applications cannot. */
export const clientTypes = ['web', 'spa', 'native', 'machine'] as const

/** The algorithms that can sign ID tokens. HS256 signs with the client's secret. */
export const idTokenAlgs = ['RS256', 'PS256', 'ES256', 'EdDSA', 'HS256'] as const

/** The algorithms of DPoP proofs (RFC 9449, section 4.2). The FAPI 2.0 Security Profile, section 5.4, has the same list. */
export const dpopAlgs = ['ES256', 'PS256', 'EdDSA', 'Ed25519'] as const

/** The algorithms of signed userinfo answers. All of them use a key pair. */
export const userinfoAlgs = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

/** The algorithms of signed request objects (RFC 9101). All of them use a key pair, because of most client secrets only a hash is stored. */
export const requestObjectAlgs = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

/** Whether a client has to use PKCE (RFC 7636). */
export const pkceModes = ['required', 'optional'] as const

/** What happens if a client requests scopes that it may not request: an error, or the scopes are left out (RFC 6749, section 3.3). */
export const unknownScopesModes = ['refuse', 'ignore'] as const

/** The security profiles that a client can choose. */
export const profiles = ['fapi2'] as const
/** The algorithms that the FAPI 2.0 Security Profile allows (section 5.4). */
export const profileAlgs = ['PS256', 'ES256', 'EdDSA', 'Ed25519'] as const

/** The places where a client can get the claims of the scopes `profile` and `email`. */
export const claimsPlaces = ['userinfo', 'id-token'] as const

/** The authentication classes that a client can require, by their short names. */
export const requiredAcrs = ['2fa', 'phishing-resistant'] as const

/** The authentication methods of clients (RFC 7591, section 2; OpenID Connect Core 1.0, section 9). */
export const authMethods = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt', 'none'] as const

/** The kinds of subject identifiers (OpenID Connect Core 1.0, section 8). */
export const subjectTypes = ['public', 'pairwise'] as const

const addresses = z.array(plainText(2000)).max(100)
const address = plainText(2000).nullable()

/** A language tag (RFC 5646) in the form that may be part of the name of a metadata field. */
export const languageTag = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/

/** Texts in one language that tell people about an application (RFC 7591, section 2.2). */
const Translation = z
  .strictObject({ name: nameInput, uri: plainText(2000), policyUri: plainText(2000), tosUri: plainText(2000) })
  .partial()
const Translations = z
  .record(z.string().regex(languageTag, 'a language tag such as de or pt-BR'), Translation)
  .refine((languages) => Object.keys(languages).length <= 50, 'at most 50 languages')

/** A public key as JWK (RFC 7517, section 4). `checkMetadata` refuses private keys. */
const Key = z.record(z.string().max(64), z.union([plainText(8192), z.array(plainText(8192)).max(20), z.boolean()]))
const KeySet = z.strictObject({ keys: z.array(Key).max(20) })

/** Who may set a field: everybody who registers a client, or only administrators. */
type Sender = 'registrant' | 'administrator'

interface Field<Schema extends z.ZodType = z.ZodType> {
  /** The name of the field in RFC 7591 and on the command line. */
  readonly wire: string
  readonly schema: Schema
  readonly meaning: string
  readonly sender: Sender
}

const field = <Schema extends z.ZodType>(wire: string, schema: Schema, meaning: string): Field<Schema> => ({
  ...{ wire, schema, meaning, sender: 'registrant' },
})
const administrators = <Schema extends z.ZodType>(wire: string, schema: Schema, meaning: string): Field<Schema> => ({
  ...{ wire, schema, meaning, sender: 'administrator' },
})

/**
 * The metadata of applications. Each field is defined once, here. Registration, console, commands and `apply` use this list, and
 * `docs/reference/client-metadata.md` describes it. `checkMetadata` checks the values.
 */
export const clientMetadata = {
  name: field('client_name', nameInput, 'Name that people see.'),
  redirectUris: field('redirect_uris', addresses, 'Addresses that the browser returns to, compared exactly.'),
  postLogoutRedirectUris: field(
    'post_logout_redirect_uris',
    addresses,
    'Addresses that the browser may return to after a sign-out.',
  ),
  webOrigins: administrators(
    'web_origins',
    addresses,
    'Origins whose pages may call the token and userinfo endpoints, besides those of the redirect addresses of a public client.',
  ),
  scopes: field('scope', z.array(plainText(255, 1)).max(200), 'Scopes that the application may ask for.'),
  idTokenAlg: field('id_token_signed_response_alg', z.enum(idTokenAlgs), 'Algorithm that signs its ID tokens.'),
  pkce: administrators('pkce', z.enum(pkceModes).nullable(), 'Whether it must use PKCE; null: as `oidc.requirePkce` says.'),
  requireAcr: administrators(
    'require_acr',
    z.enum(requiredAcrs).nullable(),
    'What everybody has to prove who signs in to it, whatever it asks for; null: nothing beyond the rules of the instance.',
  ),
  unknownScopes: administrators(
    'unknown_scopes',
    z.enum(unknownScopesModes).nullable(),
    'What becomes of scopes that it asks for and cannot have; null: as `oidc.unknownScopes` says.',
  ),
  skipConsent: administrators('skip_consent', z.boolean(), 'Whether people are not asked to agree.'),
  understandsAct: administrators(
    'understands_act',
    z.boolean(),
    'Whether it understands the claim `act`: somebody who impersonates a user is signed in to it.',
  ),
  permissions: administrators(
    'permissions',
    z.array(plainText(64, 1)).max(200),
    'What a machine may do on the instance with a token of its own; `users:*` is all of a resource.',
  ),
  icon: field('logo_uri', address, 'Address that its logo is fetched from, once; the logo is served here.'),
  color: administrators('color', colorInput.nullable(), 'Colour of the pages of its sign-ins; null: that of the brand.'),
  uri: field('client_uri', address, 'Its web page.'),
  policyUri: field('policy_uri', address, 'Its privacy policy.'),
  tosUri: field('tos_uri', address, 'Its terms of service.'),
  translations: field(
    'client_name#de',
    Translations,
    'What people see in other languages: `client_name`, `client_uri`, `policy_uri` and `tos_uri`, each with `#` and a language tag.',
  ),
  contacts: field('contacts', z.array(lineInput(320)).max(20), 'How to reach the people who are responsible for it.'),
  authMethod: field(
    'token_endpoint_auth_method',
    z.enum(authMethods).nullable(),
    'How it authenticates: `client_secret_basic` and `client_secret_post` accept both of these, `client_secret_jwt` signs with the secret, `private_key_jwt` with its own key and leaves no secret; `none` is for an application that cannot keep one. null: as the type says.',
  ),
  jwks: field(
    'jwks',
    KeySet.nullable(),
    'Its public keys, with which `private_key_jwt` is checked. Private and symmetric ones are refused.',
  ),
  jwksUri: field('jwks_uri', address, 'Address of its public keys, in the place of `jwks`: read again when they change.'),
  subjectType: field(
    'subject_type',
    z.enum(subjectTypes),
    '`public`: the `sub` of a person is the same in every application; `pairwise`: another one for each sector, so that applications cannot compare their users.',
  ),
  sectorIdentifierUri: field(
    'sector_identifier_uri',
    address,
    'Address of a JSON list of redirect addresses. Applications whose redirect addresses it lists are one sector; needed where the redirect addresses have several hosts.',
  ),
  backchannelLogoutUri: field(
    'backchannel_logout_uri',
    address,
    'Address that is sent a logout token when a session ends in which it took part.',
  ),
  backchannelLogoutSessionRequired: field(
    'backchannel_logout_session_required',
    z.boolean(),
    'Whether logout tokens have to name the session (`sid`). They always do.',
  ),
  requirePushedAuthorizationRequests: field(
    'require_pushed_authorization_requests',
    z.boolean(),
    'Whether it has to push its authorization requests (RFC 9126); others are refused.',
  ),
  initiateLoginUri: field(
    'initiate_login_uri',
    address,
    'Address at which it starts a sign-in by itself (OpenID Connect Core 1.0, section 4): links that open the application lead there.',
  ),
  softwareId: field('software_id', lineInput(255).nullable(), 'Names the software, the same for each of its installations.'),
  softwareVersion: field('software_version', lineInput(100).nullable(), 'Version of that software.'),
  defaultMaxAge: field(
    'default_max_age',
    z.int().min(0).max(2_147_483_647).nullable(),
    'How many seconds after a sign-in people have to sign in again, where a request does not say it.',
  ),
  deviceFlow: administrators(
    'device_flow',
    z.boolean(),
    'Whether programs on devices without a browser sign people in with a code that they show; a client that registers itself says so in `grant_types`.',
  ),
  requireAuthTime: field('require_auth_time', z.boolean(), 'Whether its ID tokens always say when the person signed in.'),
  requestObjectAlg: field(
    'request_object_signing_alg',
    z.enum(requestObjectAlgs).nullable(),
    'The one algorithm that its signed request objects (RFC 9101) may have; null: any that is offered.',
  ),
  userinfoAlg: field(
    'userinfo_signed_response_alg',
    z.enum(userinfoAlgs).nullable(),
    'Algorithm that signs the answers of the userinfo endpoint (`application/jwt`); null: they are JSON.',
  ),
  requireSignedRequestObject: field(
    'require_signed_request_object',
    z.boolean(),
    'Whether its authorization requests have to be signed, by value or pushed; others are refused.',
  ),
  dpopBoundAccessTokens: field(
    'dpop_bound_access_tokens',
    z.boolean(),
    'Whether its tokens are always bound to a key (DPoP, RFC 9449): a token request without a proof is refused.',
  ),
  profile: administrators(
    'profile',
    z.enum(profiles).nullable(),
    '`fapi2`: the FAPI 2.0 Security Profile. It pushes its requests, uses PKCE, authenticates with `private_key_jwt` and binds its tokens to a key; codes count for a minute.',
  ),
  claimsIn: administrators(
    'claims_in',
    z.enum(claimsPlaces),
    'Where the claims of the scopes `profile` and `email` arrive: `userinfo` alone, as OpenID Connect Core 1.0, section 5.4, says, or in the ID token, too. Claims about organizations and purchases are always in both.',
  ),
  organizations: administrators(
    'organizations',
    z.array(plainText(64, 1)).max(1000),
    'Ids of the organizations that a machine may ask about, with the scopes `organizations` and `billing` and the parameter `organization`.',
  ),
  mayAct: administrators(
    'may_act',
    plainText(255, 1).nullable(),
    'The `client_id` that alone may exchange its tokens for tokens of APIs (RFC 8693, section 4.4); null: those that the APIs allow.',
  ),
} as const satisfies Readonly<Record<string, Field>>

export type MetadataField = keyof typeof clientMetadata

type SchemasOf<Fields extends Readonly<Record<string, Field>>> = { readonly [K in keyof Fields]: Fields[K]['schema'] }

/** The schemas of the fields by name. */
export const metadataSchemas = Object.fromEntries(
  Object.entries(clientMetadata).map(([name, { schema }]) => [name, schema]),
) as SchemasOf<typeof clientMetadata>

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T

/** The values of all metadata fields of an application. */
export type Metadata = {
  readonly [K in MetadataField]: Frozen<z.output<(typeof metadataSchemas)[K]>>
}

/** Metadata fields about the use of the protocol. The type of an application decides about them, so only registration accepts them. */
export const protocolMetadata = {
  grant_types:
    '`authorization_code` (default), `refresh_token`, `urn:ietf:params:oauth:grant-type:device_code`; `client_credentials` where the registrant may register machines.',
  response_types: '`code` (default); none for a machine.',
  application_type: '`native` for an application on a device; else it follows from the redirect addresses.',
} as const

/** The fields that share one JSON column, because no statement searches by them. */
export const FurtherMetadata = z.object({
  translations: Translations.default({}),
  contacts: clientMetadata.contacts.schema.default([]),
  jwks: clientMetadata.jwks.schema.default(null),
  softwareId: clientMetadata.softwareId.schema.default(null),
  softwareVersion: clientMetadata.softwareVersion.schema.default(null),
  defaultMaxAge: clientMetadata.defaultMaxAge.schema.default(null),
  requireAuthTime: clientMetadata.requireAuthTime.schema.default(false),
  deviceFlow: clientMetadata.deviceFlow.schema.default(false),
  requestObjectAlg: clientMetadata.requestObjectAlg.schema.default(null),
  userinfoAlg: clientMetadata.userinfoAlg.schema.default(null),
  requireSignedRequestObject: clientMetadata.requireSignedRequestObject.schema.default(false),
  dpopBoundAccessTokens: clientMetadata.dpopBoundAccessTokens.schema.default(false),
  profile: clientMetadata.profile.schema.default(null),
  /** The default applies to clients of earlier versions, whose ID tokens contained these claims. */
  claimsIn: clientMetadata.claimsIn.schema.default('id-token'),
  authMethod: clientMetadata.authMethod.schema.default(null),
  jwksUri: clientMetadata.jwksUri.schema.default(null),
  subjectType: clientMetadata.subjectType.schema.default('public'),
  sectorIdentifierUri: clientMetadata.sectorIdentifierUri.schema.default(null),
  backchannelLogoutUri: clientMetadata.backchannelLogoutUri.schema.default(null),
  backchannelLogoutSessionRequired: clientMetadata.backchannelLogoutSessionRequired.schema.default(false),
  requirePushedAuthorizationRequests: clientMetadata.requirePushedAuthorizationRequests.schema.default(false),
  initiateLoginUri: clientMetadata.initiateLoginUri.schema.default(null),
  organizations: clientMetadata.organizations.schema.default([]),
  mayAct: clientMetadata.mayAct.schema.default(null),
  /** The grant types that the client has registered; null for the grant types of its type. */
  grantTypes: z.array(z.string()).nullable().default(null),
})
export type FurtherMetadata = Frozen<z.output<typeof FurtherMetadata>>

/** The fields of `FurtherMetadata` that administrators see and change. */
export const furtherFields = [
  ...(['translations', 'contacts', 'jwks', 'softwareId', 'softwareVersion', 'defaultMaxAge', 'requireAuthTime'] as const),
  'deviceFlow',
  ...(['profile', 'claimsIn', 'dpopBoundAccessTokens', 'requestObjectAlg', 'requireSignedRequestObject', 'userinfoAlg'] as const),
  ...(['authMethod', 'jwksUri', 'subjectType', 'sectorIdentifierUri', 'backchannelLogoutUri'] as const),
  ...(['backchannelLogoutSessionRequired', 'requirePushedAuthorizationRequests', 'initiateLoginUri'] as const),
  ...(['organizations', 'mayAct'] as const),
] as const satisfies readonly MetadataField[]

/** The default values of `furtherFields`. */
export const noFurther: Pick<FurtherMetadata, (typeof furtherFields)[number]> = FurtherMetadata.omit({ grantTypes: true }).parse(
  {},
)

/** The default values of the fields that registrants can set. If a client updates itself and leaves out a field, the field gets this value. */
export const unsaidByRegistrant = Object.fromEntries(
  furtherFields.filter((name) => clientMetadata[name].sender === 'registrant').map((name) => [name, noFurther[name]]),
) as Partial<typeof noFurther>

/** The default values of `furtherFields` for new clients. */
export const newFurther: typeof noFurther = { ...noFurther, claimsIn: 'userinfo' }

/** Who has registered an application. */
export type Registrant = (typeof registrants)[number]
export const registrants = ['administrator', 'person', 'api-key', 'initial-access-token', 'anonymous'] as const

/** The decision of an administrator about an application that registered itself. */
export const reviews = ['approved', 'restricted'] as const
