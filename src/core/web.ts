/**
 * Adds query parameters to a URL, absolute or relative, before its fragment; those that are undefined are left out.
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

/** An address as it is read, relative to `base` where there is one; undefined for what is none. `URL.parse` is younger than browsers that we serve. */
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
 * True for a picture's address that pages may show: https, or http on loopback; no script, data or file, and nothing that would end an attribute
 * or a line where it is written.
 */
export const isPictureUrl = (text: string): boolean => {
  if (/[\s\p{Cc}"'`<>\\]/u.test(text)) return false
  const url = parseUrl(text)
  if (url === undefined || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
}

const htmlEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as it may stand in an HTML element or in a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => htmlEntities[sign] ?? sign)

/** What a proof of work may be asked for (docs/design/requests.md#proof-of-work). */
export const proofPurposes = ['sign-up', 'reset', 'mail-sign-in'] as const
export type ProofPurpose = (typeof proofPurposes)[number]

/** Headers that say when to come back; the second is the wire's own. */
export const waitHeaders = (seconds: number): Record<string, string> => ({
  'Retry-After': String(seconds),
  'X-Retry-After': String(seconds),
})
