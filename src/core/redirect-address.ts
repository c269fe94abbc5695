import { parseUrl } from './web.ts'

/** RFC 8252, section 7.3. The library takes no other spelling of loopback. */
const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Script and local schemes that no redirect may have. */
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
/** Blanks and controls are read differently by different parsers; commas separate stored lists elsewhere; `*` is no host. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters, to refuse them
const forbiddenSigns = /[\u0000-\u0020\u007f-\u009f\\,*"<>]/

/** A user name, also an empty one, before the host: programs disagree about the host after it. */
const withUser = /^[^:/?#]+:\/\/[^/?#]*@/
/** A host as names and addresses are; other signs that a URL takes in it, such as `;` and `'`, mean something in headers and pages. */
const plainHost = /^([\w.-]+|\[[\da-f:.]+\])$/

/** Why an application may not be sent to an address: pages and server say it in their own words. */
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
 * The rule for addresses that browsers are sent to for an application (security baseline, section 9): one for the server, which decides, and for
 * the pages, which say it while it is typed. `isNative`: schemes of its own are accepted. Undefined when the address may be used.
 */
export const redirectProblem = (value: string, isNative: boolean): RedirectProblem | undefined => {
  if (value.length > 2000) return 'long'
  if (forbiddenSigns.test(value)) return 'signs'
  const url = parseUrl(value)
  if (url === undefined) return 'relative'
  // With more or fewer slashes parsers disagree about the host.
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

/** An origin that differs from the form of browsers (RFC 6454, section 6.1), for a usable address: the origin that it should be. */
export const originInstead = (value: string): string | undefined => {
  const { origin } = new URL(value)
  return value === origin ? undefined : origin
}
