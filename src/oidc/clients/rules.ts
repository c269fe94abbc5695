import { parseUrl } from '../../core/web.ts'
import { commandLineId, oidcErrors } from '../contract.ts'
import { clientMetadata, type Metadata, type MetadataField, type Registrant } from '../metadata/contract.ts'
import { isSigningKey, keyProblem } from '../metadata/rules.ts'
import {
  type ClientType,
  type IdTokenAlg,
  isPublic,
  missingScopes,
  profileAlgs,
  type Review,
  redirectUriProblem,
  scopesFor,
  splitScope,
  webOriginProblem,
} from '../rules.ts'

export const fieldNames = Object.keys(clientMetadata) as readonly MetadataField[]

/** The metadata of an application that `checkMetadata` checks. Permissions are checked in `permissions.ts`. */
export interface ClientMetadata
  extends Omit<Metadata, 'scopes' | 'skipConsent' | 'understandsAct' | 'permissions' | 'unknownScopes'> {
  readonly type: ClientType
  /** The scopes that the application may request; undefined stands for all scopes of its type. */
  readonly scope: readonly string[] | undefined
}

/** Browsers send URLs in ASCII (RFC 3986, section 2). A host with other characters may only look like the real host. */
const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)
const addressProblem = (address: string, type: ClientType): string | undefined =>
  redirectUriProblem(address, type) ??
  (isAscii(address) ? undefined : 'is not ASCII: write the host as xn--… and percent-encode the rest')

/** True for algorithms that sign with the client's secret. */
const isSymmetric = (alg: IdTokenAlg): boolean => alg === 'HS256'

/**
 * True if the client authenticates with a secret. A client with a key of its own has no secret, because an attacker could use the secret
 * instead of the key.
 */
export const hasSecret = ({ type, authMethod }: Pick<ClientMetadata, 'type' | 'authMethod'>): boolean =>
  !isPublic(type) && authMethod !== 'private_key_jwt'

/** Throws CLIENT_HAS_NO_SECRET if the client has no secret. */
export const requireSecret = (client: Pick<ClientMetadata, 'type' | 'authMethod'>): void => {
  if (hasSecret(client)) return
  const why = isPublic(client.type) ? 'it cannot keep one' : 'it authenticates with a key of its own (private_key_jwt)'
  throw oidcErrors.error('CLIENT_HAS_NO_SECRET', { message: `A ${client.type} client has no secret: ${why}` })
}

/**
 * True if the server has to store the secret itself, sealed, instead of its hash. The server needs the secret to sign ID tokens, or to
 * verify signatures of the client.
 */
export const needsWholeSecret = ({ idTokenAlg, authMethod }: Pick<ClientMetadata, 'idTokenAlg' | 'authMethod'>): boolean =>
  isSymmetric(idTokenAlg) || authMethod === 'client_secret_jwt'

/** Returns a copy of the object without its undefined properties. */
export const definedOf = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }

/** Makes the error INVALID_CLIENT_METADATA. `message` describes the problem. */
export const invalidMetadata = (message: string) =>
  oidcErrors.error('INVALID_CLIENT_METADATA', { message: `Invalid client metadata: ${message}` })

/** The metadata fields that contain a single URL. */
const addressFields = [
  ...(['icon', 'uri', 'policyUri', 'tosUri', 'jwksUri'] as const),
  ...(['sectorIdentifierUri', 'backchannelLogoutUri', 'initiateLoginUri'] as const),
]

const checkAuthentication = ({ type, authMethod, idTokenAlg, jwks, jwksUri }: ClientMetadata): void => {
  if (jwks !== null && jwksUri !== null) throw invalidMetadata('jwks and jwks_uri exclude each other')
  if (isPublic(type) && authMethod !== null && authMethod !== 'none')
    throw invalidMetadata(`a ${type} client cannot keep a secret or key: its token_endpoint_auth_method is none`)
  if (!isPublic(type) && authMethod === 'none')
    throw invalidMetadata(`a ${type} client authenticates: token_endpoint_auth_method none is for spa and native clients`)
  if (authMethod !== 'private_key_jwt') return
  if (jwksUri === null && !(jwks?.keys ?? []).some(isSigningKey))
    throw invalidMetadata('private_key_jwt needs jwks with a key that signs, or jwks_uri')
  if (isSymmetric(idTokenAlg)) throw invalidMetadata('HS256 signs with the client secret, which private_key_jwt leaves out')
}

const checkSubjects = (client: ClientMetadata): void => {
  const { type, subjectType, sectorIdentifierUri, redirectUris, backchannelLogoutUri, deviceFlow } = client
  if (type === 'machine' && (subjectType === 'pairwise' || sectorIdentifierUri !== null || backchannelLogoutUri !== null))
    throw invalidMetadata('a machine client signs nobody in: it has no subject_type pairwise and no backchannel_logout_uri')
  // The library would take the sector of a client for devices from the host of its `jwks_uri`, but such a client need not have a
  // `jwks_uri`.
  if (subjectType === 'pairwise' && deviceFlow)
    throw invalidMetadata('subject_type pairwise is not for clients that sign in with codes of devices (deviceFlow)')
  if (subjectType !== 'pairwise' || sectorIdentifierUri !== null) return
  const hosts = new Set(redirectUris.map((uri) => parseUrl(uri)?.host ?? ''))
  if (hosts.size > 1 || hosts.has(''))
    throw invalidMetadata('pairwise needs sector_identifier_uri where the redirect addresses do not have one web host')
}

/** Checks metadata against the FAPI 2.0 Security Profile. Requirements of the profile about requests are checked at each request. */
const checkProfile = ({ profile, type, authMethod, idTokenAlg, pkce, redirectUris }: ClientMetadata): void => {
  if (profile === null) return
  const fail = (what: string) => invalidMetadata(`the profile ${profile} ${what}`)
  if (isPublic(type)) throw fail(`is for clients that keep a key; a ${type} client cannot`)
  if (authMethod !== 'private_key_jwt') throw fail('needs token_endpoint_auth_method private_key_jwt')
  if (type !== 'machine' && !(profileAlgs as readonly string[]).includes(idTokenAlg))
    throw fail('needs id_token_signed_response_alg PS256, ES256 or EdDSA')
  if (pkce === 'optional') throw fail('needs PKCE')
  const plain = redirectUris.find((uri) => !uri.startsWith('https://'))
  if (plain !== undefined) throw fail(`needs https redirect addresses; ${plain} is none`)
}

/** The default values of metadata for a client with the given security profile. */
export const defaultsOf = (profile: Metadata['profile'] | undefined) =>
  profile === 'fapi2' ? ({ authMethod: 'private_key_jwt', idTokenAlg: 'ES256' } as const) : undefined

/**
 * Checks metadata at every registration and at every change. Throws REDIRECT_URI_IS_REQUIRED, INVALID_REDIRECT_URI, INVALID_SCOPE and
 * INVALID_CLIENT_METADATA. Each error names the value and the problem.
 */
export const checkMetadata = (client: ClientMetadata, sourceScopes: readonly string[]): void => {
  const { type, redirectUris, postLogoutRedirectUris, webOrigins, scope = [], idTokenAlg, pkce, requireAcr } = client
  if (client.deviceFlow && type === 'machine')
    throw invalidMetadata('a machine client signs nobody in and needs no code for a device (deviceFlow)')
  if (type !== 'machine' && !client.deviceFlow && redirectUris.length === 0) throw oidcErrors.error('REDIRECT_URI_IS_REQUIRED')
  if (type === 'machine' && redirectUris.length > 0)
    throw oidcErrors.error('INVALID_REDIRECT_URI', {
      message: 'Invalid redirect URI: a machine client signs nobody in and has none',
    })
  for (const uri of [...redirectUris, ...postLogoutRedirectUris]) {
    const problem = addressProblem(uri, type)
    if (problem !== undefined)
      throw oidcErrors.error('INVALID_REDIRECT_URI', { message: `Invalid redirect URI: ${uri} ${problem}` })
  }
  for (const origin of webOrigins) {
    const problem = webOriginProblem(origin)
    if (problem !== undefined) throw invalidMetadata(`web origin ${origin} ${problem}`)
  }
  const allowed = scopesFor(type, sourceScopes)
  const unknown = missingScopes(scope.flatMap(splitScope), allowed)
  if (unknown.length > 0)
    throw oidcErrors.error('INVALID_SCOPE', {
      message: `Invalid scope: ${unknown.join(', ')}; there are ${allowed.join(', ')}`,
    })
  if (isSymmetric(idTokenAlg) && isPublic(type))
    throw invalidMetadata(`HS256 signs with the client secret, which a ${type} client does not have`)
  if (pkce === 'optional' && isPublic(type))
    throw invalidMetadata(`PKCE cannot be optional for a ${type} client, which has no secret in its place`)
  if (requireAcr !== null && type === 'machine')
    throw invalidMetadata('a machine client signs nobody in and can require no authentication class (requireAcr)')
  if (client.color !== null && !/^#[0-9a-f]{6}$/.test(client.color)) throw invalidMetadata('color is no colour such as #0d5c4c')
  const requireAddress = (name: string, value: string | null | undefined) => {
    const problem = value == null ? undefined : addressProblem(value, 'web')
    if (problem !== undefined) throw invalidMetadata(`${name} ${problem}`)
  }
  for (const name of addressFields) requireAddress(name, client[name])
  for (const name of ['sectorIdentifierUri', 'initiateLoginUri'] as const)
    if (client[name] !== null && !client[name].startsWith('https://')) throw invalidMetadata(`${name} must be an https address`)
  for (const [language, translation] of Object.entries(client.translations))
    for (const name of ['uri', 'policyUri', 'tosUri'] as const) requireAddress(`${name}#${language}`, translation[name])
  for (const key of client.jwks?.keys ?? []) {
    const problem = keyProblem(key)
    if (problem !== undefined) throw invalidMetadata(`jwks ${problem}`)
  }
  checkAuthentication(client)
  checkSubjects(client)
  checkProfile(client)
}

/**
 * Returns the reason why an operator cannot choose this `client_id`. Returns undefined for a valid one. The id is part of URLs, and
 * stands before the colon in HTTP Basic authentication.
 */
export const clientIdProblem = (value: string): string | undefined =>
  value === commandLineId
    ? 'is that of the command login'
    : /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/.test(value)
      ? undefined
      : 'must have 1 to 128 letters, digits and . _ ~ -, the first one a letter or digit'

/**
 * Returns the reason why a secret that an operator has chosen is too weak. Returns undefined for a strong secret. Only a hash of the
 * secret is stored, and a hash protects only a secret that nobody can guess. The length comes from RFC 7518, section 3.2.
 */
export const secretProblem = (value: string, clientId: string): string | undefined => {
  if (!/^[\x21-\x7e]{32,256}$/.test(value)) return 'must have 32 to 256 characters of ASCII without blanks, made at random'
  if (new Set(value).size < 10 || /^(.{1,16})\1+$/.test(value)) return 'repeats itself: make it at random'
  if (value.includes(clientId) && clientId.length > 7) return 'contains the client id: make it at random'
  return undefined
}

/**
 * True if an administrator has registered or approved the client. Its URLs may then have private network addresses, if the configuration
 * allows that.
 */
export const isOfOperatorOrApproved = ({
  registeredBy,
  review,
}: {
  readonly registeredBy: Registrant
  readonly review: Review | null
}) => review === 'approved' || (registeredBy !== 'person' && registeredBy !== 'anonymous')

/** The number of characters of a secret that are shown, so that people can tell two secrets apart. */
export const hintLength = 4

/** The state of a secret. It follows from the time at which the secret expires. */
export type SecretState = 'active' | 'ending' | 'ended'

export const stateOf = ({ expiresAt }: { readonly expiresAt: Date | null }, now: Date): SecretState =>
  expiresAt === null ? 'active' : expiresAt > now ? 'ending' : 'ended'
