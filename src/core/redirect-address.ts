import { parseUrl } from './web.ts'

/** The loopback hosts that RFC 8252, section 7.3 names. The library oidc-provider recognises only these spellings. */
const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])
/** URL schemes for scripts and local files. No redirect URL may have one of them. */
const forbiddenSchemes = new Set([
  'javascript:',
  'data:',
  'file:',
  'vbscript:',
  'blob:',
  'about:',
  'ws:',
  'wss:',
  'ftp:',
  'mailto:',
])
/**
 * Signs that no redirect URL may contain. Parsers disagree about blanks, control characters and backslashes. Commas separate the entries
 * of stored lists. `*` looks like a pattern.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters, to refuse them
const forbiddenSigns = /[\u0000-\u0020\u007f-\u009f\\,*"<>]/

/** Matches a URL with a user name before the host, even an empty one. Different programs see different hosts in such a URL. */
const withUser = /^[^:/?#]+:\/\/[^/?#]*@/
/**
 * Matches a host that consists of the characters of host names and IP addresses. URLs allow further characters, such as `;` and `'`,
 * which have a meaning in headers and pages.
 */
const plainHost = /^([\w.-]+|\[[\da-f:.]+\])$/

/** Why a redirect URL is refused. Pages and server have their own texts for each reason. */
export type RedirectProblem =
  | 'long'
  | 'signs'
  | 'relative'
  | 'fragment'
  | 'credentials'
  | 'http'
  | 'scheme'
  | 'forbidden'
  | 'noDot'

/**
 * Checks the redirect URL of an application (security baseline, section 9). The server decides with this function, and pages show
 * problems with it during typing. `isNative`: custom schemes are allowed. Undefined for a valid URL.
 */
export const redirectProblem = (value: string, isNative: boolean): RedirectProblem | undefined => {
  if (value.length > 2000) return 'long'
  if (forbiddenSigns.test(value)) return 'signs'
  const url = parseUrl(value)
  if (url === undefined) return 'relative'
  // Different programs see different hosts in a URL whose host does not follow exactly two slashes.
  if (/^https?:/i.test(value) && !/^https?:\/\/[^/]/i.test(value)) return 'relative'
  const { protocol, username, password, hostname } = url
  if (value.includes('#')) return 'fragment'
  if (username !== '' || password !== '' || withUser.test(value)) return 'credentials'
  if (/^https?:$/.test(protocol) && !plainHost.test(hostname)) return 'relative'
  if (protocol === 'https:') return undefined
  if (protocol === 'http:') return loopback.has(hostname) ? undefined : 'http'
  if (!isNative) return 'scheme'
  if (forbiddenSchemes.has(protocol)) return 'forbidden'
  return protocol.includes('.') ? undefined : 'noDot'
}

/** The origin as browsers write it (RFC 6454, section 6.1), if a valid URL contains it in another spelling. Undefined otherwise. */
export const originInstead = (value: string): string | undefined => {
  const { origin } = new URL(value)
  return value === origin ? undefined : origin
}
