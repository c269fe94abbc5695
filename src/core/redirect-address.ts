import { parseUrl } from './web.ts'

/** The loopback hosts of RFC 8252, section 7.3. The library accepts no other spelling. */
const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Schemes for scripts and local files. No redirect address may have one. */
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
/** Parsers disagree about blanks and control characters, commas separate stored lists, and `*` cannot be a host. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters, to refuse them
const forbiddenSigns = /[\u0000-\u0020\u007f-\u009f\\,*"<>]/

/** A user name before the host, even an empty one. Programs disagree about the host that follows it. */
const withUser = /^[^:/?#]+:\/\/[^/?#]*@/
/** Characters of names and IP addresses. URLs allow others in a host, such as `;` and `'`, which have a meaning in headers and pages. */
const plainHost = /^([\w.-]+|\[[\da-f:.]+\])$/

/** Why a redirect address is refused. Pages and server have their own texts for each reason. */
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
 * The rule for redirect addresses of applications (security baseline, section 9). The server decides by it, and pages show problems
 * during typing. `isNative`: custom schemes are allowed. Undefined for a valid address.
 */
export const redirectProblem = (value: string, isNative: boolean): RedirectProblem | undefined => {
  if (value.length > 2000) return 'long'
  if (forbiddenSigns.test(value)) return 'signs'
  const url = parseUrl(value)
  if (url === undefined) return 'relative'
  // Parsers disagree about the host if it does not follow exactly two slashes.
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

/** The right origin for a valid address whose origin is not spelled as browsers do (RFC 6454, section 6.1). Otherwise undefined. */
export const originInstead = (value: string): string | undefined => {
  const { origin } = new URL(value)
  return value === origin ? undefined : origin
}
