import { parseUrl } from '../../core/web.ts'
import { invalidMetadata } from '../clients/rules.ts'
import { readMetadata, type Sent, type SentMetadata } from '../registration/rules.ts'
import { splitScope } from '../rules.ts'

/** The largest size of a metadata document in bytes. It is twice the size that the draft standard recommends. */
export const maxBytes = 10_240
/** The longest time in milliseconds that fetching a document may take. It is short, because a person waits for it. */
export const maxMs = 5_000
/**
 * Limits in seconds for the time between two fetches of a document: the shortest and the longest time, whatever the document's server
 * says, and the usual time if that server says nothing.
 */
export const cacheSeconds = { least: 300, usual: 3_600, most: 86_400 } as const
/** The number of additional seconds for which an outdated document is used if it cannot be fetched again. */
export const staleSeconds = 86_400

/**
 * Seconds until a document is fetched again. The header `Cache-Control` of the document decides (RFC 9111, section 5.2.2), within the
 * limits of `cacheSeconds`.
 */
export const freshSeconds = (cacheControl: string): number => {
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return cacheSeconds.least
  const said = /(?:^|[,\s])max-age="?(\d{1,9})/i.exec(cacheControl)?.[1]
  return Math.min(cacheSeconds.most, Math.max(cacheSeconds.least, said === undefined ? cacheSeconds.usual : Number(said)))
}

const parseObject = (text: string): Sent => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidMetadata('the document is no JSON object')
  return value as Sent
}

/** Keeps the values of a list that this server supports, because a document may be written for other servers too. */
const within = (value: unknown, offered: readonly string[]): unknown =>
  Array.isArray(value) ? value.filter((item) => offered.includes(item)) : value

/** Keeps the scopes that this server supports. Returns undefined if none is left, or if the document names none. */
const ofScopes = (value: unknown, known: readonly string[]): unknown =>
  typeof value === 'string'
    ? splitScope(value)
        .filter((scope) => known.includes(scope))
        .join(' ') || undefined
    : value

/** The grant types of clients that act for people. */
const ofPeople = ['authorization_code', 'refresh_token']

/** The authentication methods that a document may name. Methods with a secret are not possible for a public document. */
const methods = ['none', 'private_key_jwt'] as const
const isOfDocument = (method: unknown): boolean => methods.some((one) => one === method)

/**
 * Reads a metadata document. Grant types, response types and scopes that this server does not support are left out. URLs of web pages on
 * another host are left out too, because the consent page shows only the host of the document. Throws INVALID_CLIENT_METADATA and the
 * errors of `readMetadata`.
 */
export const readDocument = (clientId: string, text: string, knownScopes: readonly string[]): SentMetadata => {
  const { client_id: said, ...sent } = parseObject(text)
  if (said !== clientId) throw invalidMetadata('client_id of the document is not its address')
  const method = sent['token_endpoint_auth_method'] ?? 'none'
  if (!isOfDocument(method))
    throw invalidMetadata(
      'token_endpoint_auth_method of a document must be none or private_key_jwt: a public document contains no secret',
    )
  const { host, origin } = new URL(clientId)
  const isElsewhere = ([name, value]: readonly [string, unknown]) =>
    name.split('#', 1)[0] === 'client_uri' && typeof value === 'string' && parseUrl(value)?.host !== host
  const own = Object.fromEntries(Object.entries(sent).filter((pair) => !isElsewhere(pair)))
  const read = readMetadata({
    ...own,
    client_name: own['client_name'] ?? host,
    client_uri: own['client_uri'] ?? `${origin}/`,
    token_endpoint_auth_method: method,
    grant_types: within(own['grant_types'], ofPeople),
    response_types: within(own['response_types'], ['code']),
    scope: ofScopes(own['scope'], knownScopes),
  })
  return { ...read, pkce: 'required' }
}
