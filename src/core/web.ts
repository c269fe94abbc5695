/**
 * Adds query parameters to an absolute or relative URL, before its fragment. Parameters with the value undefined are left out. Values are
 * encoded as in a form (WHATWG URL, section 5.2).
 */
export const withQuery = (
  url: string,
  query: Readonly<Record<string, string | undefined>> | Iterable<readonly [string, string]>,
): string => {
  const pairs = Symbol.iterator in query ? [...query] : Object.entries(query)
  const added = new URLSearchParams(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined)).toString()
  if (added === '') return url
  const [address = '', ...fragment] = url.split('#')
  return [`${address}${address.includes('?') ? '&' : '?'}${added}`, ...fragment].join('#')
}

/**
 * Parses a URL. If `base` is given, the URL may be relative to it. Undefined for an invalid URL. It does not use `URL.parse`, because
 * some supported browsers lack it.
 */
export const parseUrl = (text: string, base?: string): URL | undefined => {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** True for a host name or IP address that always means this machine: localhost, 127.0.0.0/8, and ::1 with or without brackets. */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

/** True for a URL whose host is this machine. */
export const isLoopbackUrl = (url: string): boolean => isLoopbackHost(parseUrl(url)?.hostname ?? '')

/**
 * True for the URL of a picture that pages may show. The scheme must be https, or http if the host is this machine. So scripts, data and
 * files are excluded. Characters that end an HTML attribute or a line are excluded, too.
 */
export const isPictureUrl = (text: string): boolean => {
  if (/[\s\p{Cc}"'`<>\\]/u.test(text)) return false
  const url = parseUrl(text)
  if (url === undefined || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
}

const htmlEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for an HTML element or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => htmlEntities[sign] ?? sign)

/** For these purposes, a call needs a proof of work (docs/design/requests.md#proof-of-work). */
export const proofPurposes = ['sign-up', 'reset', 'mail-sign-in'] as const
export type ProofPurpose = (typeof proofPurposes)[number]

/** Headers that say how long to wait before the next attempt. The second one has the name that the specification requires. */
export const waitHeaders = (seconds: number): Record<string, string> => ({
  'Retry-After': String(seconds),
  'X-Retry-After': String(seconds),
})

/**
 * False for an email address that is probably misspelt. It is true for some invalid addresses, on purpose. The domain must contain a dot,
 * unless it is localhost.
 */
export const looksLikeEmail = (text: string): boolean => /^[^\s@]+@(?:[^\s@]+\.[^\s@.]+|localhost)$/i.test(text.trim())
