import type { UrlField } from './contract.ts'

/** Checks every URL from outside before a browser is sent to it. */
export interface TrustedUrls {
  /** Returns the URL in normal form. Undefined if it is not trusted. A relative URL stays relative (`/path?query#hash`). */
  check(value: string): string | undefined
  /** Like `check`, but always returns an absolute URL. */
  absolute(value: string): string | undefined
  /** True if pages of this origin may call gatehouse. The origin comes from the header `Origin` or `Referer`. */
  isTrustedOrigin(origin: string): boolean
}

/** True for control characters, blanks and backslashes. Parsers disagree about them, and nobody needs them in a URL. */
const isForbidden = (sign: string) => sign <= ' ' || sign === '\\' || (sign >= '\u007f' && sign <= '\u009f')

const isHttp = (url: URL) => /^https?:$/.test(url.protocol)

const escapePattern = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

/**
 * Longest host with port: a name has at most 253 characters, and a port has five. Comparing a longer text with several wildcards could
 * take very long, because the time grows with powers of the length.
 */
const longestHost = 259

/**
 * Makes a function that compares a URL with an exact origin, or with a pattern such as `https://*.example.com:8443` or `*.example.com`. A
 * wildcard stands for one or more complete labels of a domain name.
 */
const matcherOf = (entry: string): ((url: URL) => boolean) => {
  const [scheme, rest] = entry.includes('://') ? (entry.split('://') as [string, string]) : [undefined, entry]
  const host = rest.replace(/\/$/, '').toLowerCase()
  if (!entry.includes('*') && scheme !== undefined) {
    if (!/^https?$/.test(scheme)) return (url) => url.protocol === `${scheme}:`
    const origin = URL.canParse(entry) ? new URL(entry).origin : undefined
    // The scheme is checked as well, because a `blob:` or `filesystem:` URL has the origin of the URL inside of it.
    return (url) => isHttp(url) && url.origin === origin
  }
  const label = '[a-z0-9-]+(?:\\.[a-z0-9-]+)*'
  const pattern = new RegExp(`^${host.split('*').map(escapePattern).join(label)}$`)
  return (url) =>
    (scheme === undefined ? isHttp(url) : url.protocol === `${scheme}:`) &&
    url.host.length <= longestHost &&
    pattern.test(url.host)
}

/**
 * Makes the check of URLs. It trusts the public URL, the configured origins and relative URLs. A relative URL is resolved against the
 * public URL.
 */
export const createTrustedUrls = (publicUrl: string, trustedOrigins: readonly string[]): TrustedUrls => {
  const own = new URL(publicUrl).origin
  const matchers = trustedOrigins.map(matcherOf)
  const isTrusted = (url: URL) =>
    url.username === '' &&
    url.password === '' &&
    ((isHttp(url) && url.origin === own) || matchers.some((matches) => matches(url)))

  const parse = (value: string): { url: URL; relative: boolean } | undefined => {
    if (value === '' || value.length > 2048 || [...value].some(isForbidden)) return undefined
    const relative = value.startsWith('/')
    // A server that decodes a path twice would turn `/%2f` and `/%5c` into `//`, which leads to another host.
    if (relative && /^\/(\/|%2f|%5c)/i.test(value)) return undefined
    // `URL.parse` is used, because for some names that are too long `canParse` returns true although the constructor throws.
    const url = URL.parse(value, relative ? own : undefined)
    if (url === null) return undefined
    if (relative ? url.origin !== own : !isTrusted(url)) return undefined
    return { url, relative }
  }
  const relativeForm = (url: URL) => `/${url.pathname.replace(/^\/+/, '')}${url.search}${url.hash}`

  return {
    check: (value) => {
      const parsed = parse(value)
      if (parsed === undefined) return undefined
      return parsed.relative ? relativeForm(parsed.url) : parsed.url.href
    },
    absolute: (value) => {
      const parsed = parse(value)
      if (parsed === undefined) return undefined
      return parsed.relative ? own + relativeForm(parsed.url) : parsed.url.href
    },
    isTrustedOrigin: (origin) => {
      const url = origin === 'null' ? null : URL.parse(origin)
      return url !== null && isTrusted(url)
    },
  }
}

/** The error code for each URL field (accounts specification, section 5). */
export const urlErrorCode = {
  callbackURL: 'INVALID_CALLBACKURL',
  redirectTo: 'INVALID_REDIRECTURL',
  errorCallbackURL: 'INVALID_ERRORCALLBACKURL',
  newUserCallbackURL: 'INVALID_NEWUSERCALLBACKURL',
} as const satisfies Record<UrlField, string>
