import { oidcErrors } from '../contract.ts'
import { clientMetadata, type Metadata, type MetadataField } from '../metadata/contract.ts'
import {
  type ClientType,
  commandLineId,
  type IdTokenAlg,
  isPublic,
  missingScopes,
  redirectUriProblem,
  scopesFor,
  splitScope,
  webOriginProblem,
} from '../rules.ts'

export const fieldNames = Object.keys(clientMetadata) as readonly MetadataField[]

/** The metadata of an application, as it is checked. Permissions are checked by themselves. */
export interface ClientMetadata
  extends Omit<Metadata, 'scopes' | 'skipConsent' | 'understandsAct' | 'permissions' | 'unknownScopes'> {
  readonly type: ClientType
  /** Scopes it may ask for; undefined for all of its type. */
  readonly scope: readonly string[] | undefined
}

/** Members of a key that nobody else may know (RFC 7518, section 6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

/** Addresses are ASCII (RFC 3986, section 2), and so are those that browsers send: another spelling of a host only looks like it. */
const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)
const addressProblem = (address: string, type: ClientType): string | undefined =>
  redirectUriProblem(address, type) ??
  (isAscii(address) ? undefined : 'is not ASCII: write the host as xn--… and percent-encode the rest')

/** True for algorithms that sign with the client's secret. */
export const isSymmetric = (alg: IdTokenAlg): boolean => alg === 'HS256'

/** What is said of an object: nothing that is undefined. */
export const definedOf = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }

/** INVALID_CLIENT_METADATA with what is wrong. */
export const invalidMetadata = (message: string) =>
  oidcErrors.error('INVALID_CLIENT_METADATA', { message: `Invalid client metadata: ${message}` })

/**
 * What every registration and every change has to keep to. Throws REDIRECT_URI_IS_REQUIRED, INVALID_REDIRECT_URI, INVALID_SCOPE and
 * INVALID_CLIENT_METADATA, which name the value and what is wrong with it.
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
  for (const name of ['icon', 'uri', 'policyUri', 'tosUri'] as const) requireAddress(name, client[name])
  for (const [language, translation] of Object.entries(client.translations))
    for (const name of ['uri', 'policyUri', 'tosUri'] as const) requireAddress(`${name}#${language}`, translation[name])
  for (const key of client.jwks?.keys ?? []) {
    const secret = privateMembers.find((name) => Object.hasOwn(key, name))
    if (secret !== undefined)
      throw invalidMetadata(`jwks has a private or symmetric key (member ${secret}): send public keys, and replace this one`)
    if (typeof key['kty'] !== 'string') throw invalidMetadata('jwks has a key without kty')
    if (key['kty'] === 'oct') throw invalidMetadata('jwks has a symmetric key (kty oct): send public keys')
  }
}

/** Why an operator's own `client_id` is not taken, or undefined when it is. It stands in addresses, and before the colon of HTTP Basic. */
export const clientIdProblem = (value: string): string | undefined =>
  value === commandLineId
    ? 'is that of gatehouse login'
    : /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/.test(value)
      ? undefined
      : 'must have 1 to 128 letters, digits and . _ ~ -, the first one a letter or digit'

/** Why an operator's own secret is too weak, or undefined: only its hash is kept, which protects what cannot be guessed. RFC 7518, section 3.2, for its length. */
export const secretProblem = (value: string, clientId: string): string | undefined => {
  if (!/^[\x21-\x7e]{32,256}$/.test(value)) return 'must have 32 to 256 characters of ASCII without blanks, made at random'
  if (new Set(value).size < 10 || /^(.{1,16})\1+$/.test(value)) return 'repeats itself: make it at random'
  if (value.includes(clientId) && clientId.length > 7) return 'contains the client id: make it at random'
  return undefined
}

/** How many characters of a secret are shown, for people to tell two apart. */
export const hintLength = 4

/** When a secret stops counting, and what it is until then. */
export type SecretState = 'active' | 'ending' | 'ended'

export const stateOf = ({ expiresAt }: { readonly expiresAt: Date | null }, now: Date): SecretState =>
  expiresAt === null ? 'active' : expiresAt > now ? 'ending' : 'ended'
