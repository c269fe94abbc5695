/**
 * Adds query parameters to a URL, absolute or relative, before its fragment; undefined ones are left out.
 * The values are encoded as a form's are (WHATWG URL, section 5.2).
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

/** Parses an address, relative to `base` if given; undefined for an invalid one. Some supported browsers lack `URL.parse`. */
export const parseUrl = (text: string, base?: string): URL | undefined => {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** True for a name or address that never leaves this machine: localhost, 127.0.0.0/8, ::1 with or without brackets. */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

/** True when the host of an address is loopback. */
export const isLoopbackUrl = (url: string): boolean => isLoopbackHost(parseUrl(url)?.hostname ?? '')

/**
 * True for the address of a picture that pages may show: https, or http on loopback; no script, data or file, and no character that ends
 * an attribute or a line.
 */
export const isPictureUrl = (text: string): boolean => {
  if (/[\s\p{Cc}"'`<>\\]/u.test(text)) return false
  const url = parseUrl(text)
  if (url === undefined || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
}

const htmlEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text for an HTML element or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => htmlEntities[sign] ?? sign)

/** The purposes for which a call needs a proof of work (docs/design/requests.md#proof-of-work). */
export const proofPurposes = ['sign-up', 'reset', 'mail-sign-in'] as const
export type ProofPurpose = (typeof proofPurposes)[number]

/** Headers with the wait before the next attempt; the second is that of the specification. */
export const waitHeaders = (seconds: number): Record<string, string> => ({
  'Retry-After': String(seconds),
  'X-Retry-After': String(seconds),
})

/** False for an address that is probably a typing error; tolerant on purpose. A domain without a dot is an error, except localhost. */
export const looksLikeEmail = (text: string): boolean => /^[^\s@]+@(?:[^\s@]+\.[^\s@.]+|localhost)$/i.test(text.trim())
