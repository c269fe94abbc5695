import { clientMetadata, languageTag, type Metadata, type MetadataField, type protocolMetadata } from '../metadata/contract.ts'
import { authMethods, type ClientType, deviceGrant, displayHost, isPublic, splitScope } from '../rules.ts'
import { registrationErrors } from './contract.ts'

/** The metadata in a request, before they are checked (RFC 7591, section 2). */
export type Sent = Readonly<Record<string, unknown>>

/** The checked metadata of a request. Fields that the client did not send are absent. */
export interface SentMetadata extends Partial<Omit<Metadata, 'scopes' | 'authMethod'>> {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly scopes: readonly string[] | undefined
  readonly type: ClientType
  readonly authMethod: (typeof authMethods)[number]
  readonly grantTypes: readonly string[]
}

const invalid = (message: string) =>
  registrationErrors.error('INVALID_REGISTRATION', { message: `Invalid client metadata: ${message}` })
const invalidAddress = (message: string) =>
  registrationErrors.error('INVALID_REGISTERED_ADDRESS', { message: `Invalid redirect URI: ${message}` })

/** Metadata fields that only the server sets. */
const serverFields = [
  ...['client_id', 'client_secret', 'client_id_issued_at', 'client_secret_expires_at', 'registration_access_token'],
  ...['registration_client_uri', 'disabled', 'review', 'registered_by'],
]
export const fields = Object.entries(clientMetadata) as readonly [MetadataField, (typeof clientMetadata)[MetadataField]][]
const privateFields = new Set([
  ...serverFields,
  ...fields.flatMap(([, { wire, sender }]) => (sender === 'administrator' ? [wire] : [])),
])

/** The metadata that can be translated: the name in RFC 7591, and the field in which this server stores it. */
const translated = { client_name: 'name', client_uri: 'uri', policy_uri: 'policyUri', tos_uri: 'tosUri' } as const
type TranslatedName = keyof typeof translated
export const isTranslated = (name: string): name is TranslatedName => Object.hasOwn(translated, name)

const parse = (wire: string, field: MetadataField, value: unknown): unknown => {
  const { success, data, error } = clientMetadata[field].schema.safeParse(value)
  if (success) return data
  const { path = [], message = '' } = error.issues[0] ?? {}
  throw invalid(`${[wire, ...path.map(String)].join('.').slice(0, 200)}: ${message}`)
}

const readTranslations = (sent: Sent): Metadata['translations'] => {
  const languages: Record<string, Record<string, unknown>> = {}
  for (const [key, value] of Object.entries(sent)) {
    const [name = '', language] = key.split('#', 2)
    if (language === undefined || value === null || !isTranslated(name)) continue
    if (!languageTag.test(language)) throw invalid(`${key.slice(0, 100)} has no language tag behind #`)
    languages[language] = { ...languages[language], [translated[name]]: value }
  }
  return parse('translations', 'translations', languages) as Metadata['translations']
}

const readList = (sent: Sent, name: string): readonly string[] | undefined => {
  const value = sent[name] ?? undefined
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.length <= 20 && value.every((item) => typeof item === 'string')) return value
  throw invalid(`${name} must be a list of at most 20 strings`)
}

const readText = (sent: Sent, name: string): string | undefined => {
  const value = sent[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw invalid(`${name} must be a string`)
}

const offeredGrants = ['authorization_code', 'refresh_token', 'client_credentials', deviceGrant, 'implicit']

/** Checks that grant types and response types fit together (RFC 7591, section 2.1; accounts specification, section 5). */
const readGrants = (sent: Sent, redirectUris: readonly string[]): readonly string[] => {
  const grantTypes = readList(sent, 'grant_types') ?? ['authorization_code']
  const signsIn = grantTypes.includes('authorization_code') || grantTypes.includes('implicit')
  const responseTypes = readList(sent, 'response_types') ?? (signsIn ? ['code'] : [])
  if (signsIn && redirectUris.length === 0) throw invalidAddress('redirect_uris are required for authorization_code and implicit')
  const unknown = grantTypes.find((grant) => !offeredGrants.includes(grant))
  if (unknown !== undefined) throw invalid(`grant type ${unknown.slice(0, 100)} is not offered`)
  if (grantTypes.includes('authorization_code') && !responseTypes.includes('code'))
    throw invalid('the grant type authorization_code needs the response type code')
  if (grantTypes.includes('implicit') && !responseTypes.includes('token'))
    throw invalid('the grant type implicit needs the response type token')
  if (grantTypes.includes('implicit'))
    throw invalid(
      'the grant type implicit is not supported, because it hands out tokens in addresses: use authorization_code with PKCE (RFC 9700, section 2.1.2)',
    )
  const other = responseTypes.find((type) => type !== 'code')
  if (other !== undefined) throw invalid(`response type ${other.slice(0, 100)} is not offered; there is code`)
  if (responseTypes.length > 0 && !grantTypes.includes('authorization_code'))
    throw invalid('the response type code needs the grant type authorization_code')
  if (grantTypes.includes('client_credentials') && grantTypes.includes('authorization_code'))
    throw invalid('a client acts for people or for itself: register two, one of them with client_credentials alone')
  if (grantTypes.includes('client_credentials') && grantTypes.includes(deviceGrant))
    throw invalid('a client acts for people or for itself: register two, one of them with client_credentials alone')
  if (!signsIn && !grantTypes.includes('client_credentials') && !grantTypes.includes(deviceGrant))
    throw invalid(`grant_types names no way to a first token: authorization_code, ${deviceGrant}, or client_credentials`)
  return grantTypes
}

/** True for a redirect URI that opens a program on the person's device. */
const isOnDevice = (address: string) => !/^https:/i.test(address)

const typeOf = (sent: Sent, grantTypes: readonly string[], authMethod: string, addresses: readonly string[]): ClientType => {
  const wanted = readText(sent, 'application_type')
  if (wanted !== undefined && wanted !== 'web' && wanted !== 'native') throw invalid('application_type must be web or native')
  if (grantTypes.includes('client_credentials')) {
    if (authMethod === 'none') throw invalid('client_credentials needs a secret: token_endpoint_auth_method cannot be none')
    return 'machine'
  }
  if (authMethod !== 'none') return 'web'
  return wanted === 'native' || addresses.some(isOnDevice) ? 'native' : 'spa'
}

/** Reads the fields that the client has sent. Throws INVALID_REGISTRATION. */
export const readFields = (sent: Sent): Partial<Metadata> => {
  const values: Partial<Record<MetadataField, unknown>> = {}
  for (const [field, { wire }] of fields) {
    const value = sent[wire] ?? undefined
    if (value === undefined || field === 'translations') continue
    const isScope = field === 'scopes' && typeof value === 'string'
    // An empty list of scopes counts as absent.
    if (isScope && splitScope(value).length === 0) continue
    values[field] = parse(wire, field, isScope ? splitScope(value) : value)
  }
  const translations = readTranslations(sent)
  return (Object.keys(translations).length === 0 ? values : { ...values, translations }) as Partial<Metadata>
}

/** Reads the type, grant types and authentication method of a client. Throws INVALID_REGISTRATION and INVALID_REGISTERED_ADDRESS. */
export const readUsage = (
  sent: Sent,
  redirectUris: readonly string[],
): Pick<SentMetadata, 'grantTypes' | 'authMethod' | 'type'> => {
  const grantTypes = readGrants(sent, redirectUris)
  const authMethod = authMethods.find((method) => method === (readText(sent, 'token_endpoint_auth_method') ?? authMethods[0]))
  if (authMethod === undefined) throw invalid(`token_endpoint_auth_method must be one of ${authMethods.join(', ')}`)
  return { grantTypes, authMethod, type: typeOf(sent, grantTypes, authMethod, redirectUris) }
}

/**
 * Reads all metadata that a client sends. Unknown fields are ignored (RFC 7591, section 2). A field that only the server or an
 * administrator may set is refused. Throws INVALID_REGISTRATION and INVALID_REGISTERED_ADDRESS.
 */
export const readMetadata = (sent: Sent): SentMetadata => {
  const refused = Object.keys(sent).find((name) => privateFields.has(name.split('#', 1)[0] ?? ''))
  if (refused !== undefined) throw invalid(`${refused} is not for clients to say`)
  if (Object.hasOwn(sent, 'jwks') && Object.hasOwn(sent, 'jwks_uri')) throw invalid('jwks and jwks_uri exclude each other')
  const { redirectUris = [], scopes, ...said } = readFields(sent)
  const usage = readUsage(sent, redirectUris)
  return {
    ...said,
    translations: said.translations ?? {},
    name:
      said.name ??
      displayHost(redirectUris[0] ?? said.uri ?? 'machine')
        .replace(/:$/, '')
        .slice(0, 200),
    ...{ redirectUris, scopes },
    ...usage,
    deviceFlow: usage.grantTypes.includes(deviceGrant),
  }
}

/** The scopes of a client that requests no scopes. They give claims about the person and nothing else. */
export const defaultScopes: readonly string[] = ['openid', 'profile', 'email', 'offline_access']

/** The fields of a registered client that `writeMetadata` reads. */
export interface Registered extends Metadata {
  readonly clientId: string
  readonly type: ClientType
  readonly createdAt: Date
  readonly grantTypes: readonly string[] | null
}

const isNothing = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)

/** The metadata of a registered client, named as in RFC 7591. */
export const writeMetadata = (client: Registered): Record<string, unknown> => {
  const isMachine = client.type === 'machine'
  const signsIn = !isMachine && client.redirectUris.length > 0
  const said = fields.flatMap(([field, { wire, sender }]) => {
    const value = client[field]
    if (sender !== 'registrant' || field === 'translations' || isNothing(value)) return []
    return [[wire, field === 'scopes' ? client.scopes.join(' ') : value] as const]
  })
  const inLanguages = Object.entries(client.translations).flatMap(([language, translation]) =>
    Object.entries(translated).flatMap(([name, field]) =>
      translation[field] === undefined ? [] : [[`${name}#${language}`, translation[field]] as const],
    ),
  )
  const protocol = {
    grant_types:
      client.grantTypes ??
      (isMachine
        ? ['client_credentials']
        : [...(signsIn ? ['authorization_code'] : []), ...(client.deviceFlow ? [deviceGrant] : [])]),
    response_types: signsIn ? ['code'] : [],
    application_type: client.type === 'native' ? 'native' : 'web',
  } satisfies Record<keyof typeof protocolMetadata, unknown>
  return {
    client_id: client.clientId,
    client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
    token_endpoint_auth_method: isPublic(client.type) ? 'none' : 'client_secret_basic',
    ...Object.fromEntries([...said, ...inLanguages]),
    ...protocol,
  }
}
