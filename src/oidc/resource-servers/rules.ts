import type { Review } from '../rules.ts'
import type { accessModes, Scope } from './contract.ts'

/** Which applications may request tokens for an API, and which scopes. */
interface Access {
  readonly access: (typeof accessModes)[number]
  readonly scopes: readonly Scope[]
  /** The applications in the list of the API. */
  readonly callers: readonly {
    readonly oauthClientId: string
    readonly scopes: readonly string[] | null
    readonly exchangeFrom: readonly string[]
    readonly mayImpersonate: boolean
  }[]
}

/**
 * Returns the reason why a text cannot identify an API; undefined for a valid identifier. An identifier is an absolute URI without a
 * fragment (RFC 8707, section 2), in the spelling that browsers use.
 */
export const identifierProblem = (value: string): string | undefined => {
  if (!/^[\x21-\x7e]+$/.test(value) || /["'\\<>^`{|}]/.test(value))
    return 'is not plain ASCII: percent-encode blanks, quotes and other letters'
  if (!URL.canParse(value)) return 'is no absolute URI such as https://orders.example.com or urn:example:orders'
  if (value.includes('#')) return 'has a fragment'
  const { protocol, username, password, href, hostname } = new URL(value)
  if (['javascript:', 'data:', 'file:', 'blob:'].includes(protocol)) return 'has a scheme that names no API'
  if (username !== '' || password !== '') return 'has a user or password'
  if (/^https?:$/.test(protocol) && hostname === '') return 'has no host'
  // A URL without a path counts as the URL with the path "/".
  return href === value || href === `${value}/` ? undefined : `is spelled otherwise than requests are compared: write ${href}`
}

/** The normalized spelling of an identifier, for comparisons; undefined for an invalid identifier. */
export const identifierKeyOf = (value: string): string | undefined => (URL.canParse(value) ? new URL(value).href : undefined)

/** The fields of a client on which rules about APIs depend. */
export interface AskingClient {
  readonly id: string
  readonly type: 'web' | 'spa' | 'native' | 'machine'
  readonly review: Review | null
}

const callerOf = ({ callers }: Access, { id }: AskingClient) => callers.find(({ oauthClientId }) => oauthClientId === id)

/** The scopes of the API that the client may request; undefined if the client may not request a token for the API. */
export const scopesFor = (api: Access, client: AskingClient): readonly Scope[] | undefined => {
  if (client.review === 'restricted') return undefined
  const caller = callerOf(api, client)
  if (caller === undefined) return api.access === 'all' && client.type !== 'machine' ? api.scopes : undefined
  const { scopes } = caller
  return scopes === null ? api.scopes : api.scopes.filter(({ name }) => scopes.includes(name))
}

/** The audiences whose tokens the client may exchange for tokens of this API (RFC 8693). */
export const exchangesFrom = (api: Access, client: AskingClient): readonly string[] =>
  client.review === 'restricted' ? [] : (callerOf(api, client)?.exchangeFrom ?? [])

/** True for a client through which administrators may act as users at this API. */
export const mayImpersonate = (api: Access, client: AskingClient): boolean =>
  client.review !== 'restricted' && callerOf(api, client)?.mayImpersonate === true

/** The name under which a consent stores a scope of an API. An identifier contains no `#`, and a scope no blank. */
export const qualified = (identifier: string, scope: string): string => `${identifier}#${scope}`

/** Splits the name of a scope in a consent into API and scope. Undefined if the scope belongs to this server. */
export const unqualified = (scope: string): { readonly identifier: string; readonly name: string } | undefined => {
  const at = scope.indexOf('#')
  // The part before `#` is the identifier of an API only if it contains a colon, as every identifier does.
  return at > 0 && scope.slice(0, at).includes(':') ? { identifier: scope.slice(0, at), name: scope.slice(at + 1) } : undefined
}
