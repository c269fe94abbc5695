/**
 * Adds query parameters to an absolute or relative URL, before its fragment. Undefined parameters are left out. Values are encoded as in
 * a form (WHATWG URL, section 5.2).
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

/** Parses an address, relative to `base` if given. Undefined if it is invalid. Some supported browsers lack `URL.parse`. */
export const parseUrl = (text: string, base?: string): URL | undefined => {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** True for a name or address that always means this machine: localhost, 127.0.0.0/8, and ::1 with or without brackets. */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

/** True if the host of an address is loopback. */
export const isLoopbackUrl = (url: string): boolean => isLoopbackHost(parseUrl(url)?.hostname ?? '')

/**
 * True for the address of a picture that pages may show: https, or http on loopback. Scripts, data and files are excluded, and so are
 * characters that end an attribute or a line.
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

/** The purposes for which a call needs a proof of work (docs/design/requests.md#proof-of-work). */
export const proofPurposes = ['sign-up', 'reset', 'mail-sign-in'] as const
export type ProofPurpose = (typeof proofPurposes)[number]

/** Headers that say how long to wait before the next attempt. The second one is required by the specification. */
export const waitHeaders = (seconds: number): Record<string, string> => ({
  'Retry-After': String(seconds),
  'X-Retry-After': String(seconds),
})

/** False for an address that is probably misspelt. It accepts more than valid addresses on purpose. A domain needs a dot, except localhost. */
export const looksLikeEmail = (text: string): boolean => /^[^\s@]+@(?:[^\s@]+\.[^\s@.]+|localhost)$/i.test(text.trim())
