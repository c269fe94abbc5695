import type { Secrets } from '../core/crypto.ts'
import type { CookieOptions } from './handlers.ts'

/** RFC 6265bis: no cookie may live longer than 400 days (accounts specification, section 9). */
const longestMaxAge = 34_560_000

/** Name=value pairs of a Cookie header; the first of a name wins. */
export const parseCookies = (header: string | undefined): ReadonlyMap<string, string> => {
  const cookies = new Map<string, string>()
  if (header === undefined) return cookies
  for (const part of header.split(';')) {
    const at = part.indexOf('=')
    const name = part.slice(0, at).trim()
    if (at > 0 && !cookies.has(name)) cookies.set(name, part.slice(at + 1).trim())
  }
  return cookies
}

/** One Set-Cookie line: HttpOnly, SameSite=Lax, Path=/, Secure on https, never a Domain. */
export const formatCookie = (
  name: string,
  value: string,
  secure: boolean,
  { maxAge, httpOnly = true }: CookieOptions = {},
): string =>
  [
    `${name}=${value}`,
    ...(maxAge === undefined ? [] : [`Max-Age=${Math.min(maxAge, longestMaxAge)}`]),
    'Path=/',
    ...(httpOnly ? ['HttpOnly'] : []),
    ...(secure ? ['Secure'] : []),
    'SameSite=Lax',
  ].join('; ')

export interface SessionCookie {
  readonly name: string
  readonly secure: boolean
  /** Cookie value for a token: `<token>.<44 characters of HMAC>`, URL-encoded. */
  encode(token: string): string
  /** The token of a correctly signed value, or undefined. */
  decode(value: string | undefined): string | undefined
}

interface SignedCookie {
  readonly suffix: string
  readonly label: string
  /** How long a browser may bring it back after it was set. */
  readonly lifeSeconds: number
}

const createSignedCookie = (publicUrl: string, secrets: Secrets, { suffix, label, lifeSeconds }: SignedCookie): SessionCookie => {
  const secure = publicUrl.startsWith('https:')
  return {
    name: `${secure ? '__Host-' : ''}gatehouse.${suffix}`,
    secure,
    encode: (token) => encodeURIComponent(`${token}.${secrets.sign('cookies', label + token)}`),
    decode: (value) => {
      if (value === undefined || value.length > 512) return undefined
      const plain = value.replace(/%2B/gi, '+').replace(/%2F/gi, '/').replace(/%3D/gi, '=')
      const at = plain.indexOf('.')
      const token = plain.slice(0, at)
      return at > 0 && secrets.isSigned('cookies', label + token, plain.slice(at + 1), lifeSeconds) ? token : undefined
    },
  }
}

/** `__Host-gatehouse.session` when the public address is https, else `gatehouse.session`; set anew whenever the session is extended. */
export const createSessionCookie = (publicUrl: string, secrets: Secrets, lifeSeconds: number): SessionCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'session', label: '', lifeSeconds })

/** Names the browser across sign-ins, so that it is known again. It opens no account by itself; of a verification link it is half (decision 0084). */
export const createDeviceCookie = (publicUrl: string, secrets: Secrets): SessionCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'device', label: 'device:', lifeSeconds: longestMaxAge })

/** Names the browser while it is at a provider, so that nobody else comes back in its place; no right hangs on it. */
export const createSocialCookie = (publicUrl: string, secrets: Secrets, lifeSeconds: number): SessionCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'social', label: 'social:', lifeSeconds })
