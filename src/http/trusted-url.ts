import type { UrlField } from './contract.ts'

/** Checks every URL from outside to which a browser may be sent. */
export interface TrustedUrls {
  /** The URL in normal form, or undefined if it is not trusted. A relative value stays relative (`/path?query#hash`). */
  check(value: string): string | undefined
  /** Checks as `check` does, and returns an absolute URL. */
  absolute(value: string): string | undefined
  /** True for an Origin header (or the origin of a Referer) whose pages may call gatehouse. */
  isTrustedOrigin(origin: string): boolean
}

/** Control characters, blanks and backslashes. Parsers disagree about them, and no honest address contains them. */
const isForbidden = (sign: string) => sign <= ' ' || sign === '\\' || (sign >= '\u007f' && sign <= '\u009f')

const isHttp = (url: URL) => /^https?:$/.test(url.protocol)

const escapePattern = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

/**
 * Longest host with its port: a name has at most 253 characters, a port five. For longer text, comparing with several wildcards would
 * take time that grows with powers of its length.
 */
const longestHost = 259

/**
 * Compares with an exact origin, or with a pattern such as `https://*.example.com:8443` or `*.example.com`. A wildcard stands for one or
 * more whole labels.
 */
const matcherOf = (entry: string): ((url: URL) => boolean) => {
  const [scheme, rest] = entry.includes('://') ? (entry.split('://') as [string, string]) : [undefined, entry]
  const host = rest.replace(/\/$/, '').toLowerCase()
  if (!entry.includes('*') && scheme !== undefined) {
    if (!/^https?$/.test(scheme)) return (url) => url.protocol === `${scheme}:`
    const origin = URL.canParse(entry) ? new URL(entry).origin : undefined
    // A `blob:` or `filesystem:` URL has the origin of the URL inside of it, so the scheme is checked as well.
    return (url) => isHttp(url) && url.origin === origin
  }
  const label = '[a-z0-9-]+(?:\\.[a-z0-9-]+)*'
  const pattern = new RegExp(`^${host.split('*').map(escapePattern).join(label)}$`)
  return (url) =>
    (scheme === undefined ? isHttp(url) : url.protocol === `${scheme}:`) &&
    url.host.length <= longestHost &&
    pattern.test(url.host)
}

/** Trusts the public address, the configured origins, and relative paths. A relative path is read relative to the public address. */
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
    // Servers that decode a path a second time turn `/%2f` and `/%5c` into `//`.
    if (relative && /^\/(\/|%2f|%5c)/i.test(value)) return undefined
    // For some names that are too long, `canParse` returns true but the constructor throws.
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

/** Error code of each field (accounts specification, section 5). */
export const urlErrorCode = {
  callbackURL: 'INVALID_CALLBACKURL',
  redirectTo: 'INVALID_REDIRECTURL',
  errorCallbackURL: 'INVALID_ERRORCALLBACKURL',
  newUserCallbackURL: 'INVALID_NEWUSERCALLBACKURL',
} as const satisfies Record<UrlField, string>
