import { parseUrl } from './web.ts'

/** RFC 8252, section 7.3. The library accepts no other spelling of loopback. */
const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Script and local schemes, which no redirect address may have. */
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
/** Parsers disagree on blanks and control characters; commas separate stored lists; `*` cannot be a host. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters, to refuse them
const forbiddenSigns = /[\u0000-\u0020\u007f-\u009f\\,*"<>]/

/** A user name, even an empty one, before the host: programs disagree on the host after it. */
const withUser = /^[^:/?#]+:\/\/[^/?#]*@/
/** Characters of names and IP addresses; others that URLs allow in a host, such as `;` and `'`, have a meaning in headers and pages. */
const plainHost = /^([\w.-]+|\[[\da-f:.]+\])$/

/** Why an address is refused for an application; pages and server have their own texts. */
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
 * The rule for redirect addresses of applications (security baseline, section 9), shared by the server, which decides, and by the pages,
 * which show problems during typing. `isNative`: custom schemes are allowed. Undefined for a valid address.
 */
export const redirectProblem = (value: string, isNative: boolean): RedirectProblem | undefined => {
  if (value.length > 2000) return 'long'
  if (forbiddenSigns.test(value)) return 'signs'
  const url = parseUrl(value)
  if (url === undefined) return 'relative'
  // Parsers disagree on the host after more or fewer slashes.
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

/** For a valid address whose origin differs from the form of browsers (RFC 6454, section 6.1): the right origin. */
export const originInstead = (value: string): string | undefined => {
  const { origin } = new URL(value)
  return value === origin ? undefined : origin
}
