import type { Secrets } from '../core/crypto.ts'
import type { Random } from '../core/random.ts'
import { pendingSignInSeconds } from '../core/time.ts'
import type { HttpRequest, HttpResponse } from './response.ts'

/** RFC 6265bis: no cookie may live longer than 400 days (accounts specification, section 9). */
const longestMaxAge = 34_560_000

/** Name=value pairs of a Cookie header; the first one of a name counts. */
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

export interface CookieOptions {
  /** Seconds; absent: until the browser session ends. */
  readonly maxAge?: number
  readonly httpOnly?: boolean
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

export interface SignedCookie {
  readonly name: string
  readonly secure: boolean
  /** Cookie value of a content without dots: `<content>.<44 characters of HMAC>`, URL-encoded. */
  encode(content: string): string
  /** The content of a cookie with a valid signature, or undefined. */
  decode(value: string | undefined): string | undefined
}

interface SignedCookieOptions {
  readonly suffix: string
  /** Precedes the signed content, so that one cookie cannot replace another. */
  readonly label: string
  readonly purpose?: Parameters<Secrets['sign']>[0]
  /** Longest age of an accepted cookie. */
  readonly lifeSeconds: number
  /** Longest accepted value. */
  readonly maxLength?: number
}

/** `__Host-gatehouse.<suffix>` when the public address is https, else `gatehouse.<suffix>`. */
export const createSignedCookie = (
  publicUrl: string,
  secrets: Secrets,
  { suffix, label, purpose = 'cookies', lifeSeconds, maxLength = 512 }: SignedCookieOptions,
): SignedCookie => {
  const secure = publicUrl.startsWith('https:')
  return {
    name: `${secure ? '__Host-' : ''}gatehouse.${suffix}`,
    secure,
    encode: (content) => encodeURIComponent(`${content}.${secrets.sign(purpose, label + content)}`),
    decode: (value) => {
      if (value === undefined || value.length > maxLength) return undefined
      const plain = value.replace(/%2B/gi, '+').replace(/%2F/gi, '/').replace(/%3D/gi, '=').replace(/%7E/gi, '~')
      const at = plain.indexOf('.')
      const content = plain.slice(0, at)
      return at > 0 && secrets.isSigned(purpose, label + content, plain.slice(at + 1), lifeSeconds) ? content : undefined
    },
  }
}

/** Holds the session token; set again whenever the session is extended. */
export const createSessionCookie = (publicUrl: string, secrets: Secrets, lifeSeconds: number): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'session', label: '', lifeSeconds })

/**
 * Identifies the browser across sign-ins, to recognise it. It gives no access alone, but is half of a verification link
 * (docs/design/sign-in.md#links-by-mail).
 */
export const createDeviceCookie = (publicUrl: string, secrets: Secrets): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'device', label: 'device:', lifeSeconds: longestMaxAge })

/** Identifies the browser during a visit to a provider, so that no other browser can use the callback; it gives no access. */
export const createSocialCookie = (publicUrl: string, secrets: Secrets, lifeSeconds: number): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'social', label: 'social:', lifeSeconds })

/** Binds the challenges of passkeys to the browser; it gives no access. */
export const createPasskeyCookie = (publicUrl: string, secrets: Secrets, lifeSeconds: number): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'passkey', label: 'passkey:', lifeSeconds })

/** Holds a sign-in between its steps; it gives no access alone. */
export const createPendingCookie = (publicUrl: string, secrets: Secrets): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'two_factor', label: 'two-factor:', lifeSeconds: pendingSignInSeconds })

/** The cookies of one request and its response. */
export interface Cookies {
  /** Value of a cookie in the request. */
  get(name: string): string | undefined
  set(name: string, value: string, options?: CookieOptions): void
  clear(name: string): void
  /** Sets the session cookie; without `maxAge` (seconds) it ends with the browser session. Also sets the browser's cookie. */
  startSession(token: string, maxAge?: number): void
  /** Sets the cookie of a sign-in that needs another proof. */
  pendSignIn(token: string): void
  /** The token of a sign-in that needs another proof; undefined without one. */
  pendingSignIn(): string | undefined
  /** Clears the session cookie and its cache. */
  endSession(): void
  /** Clears the cookie cache of the session, which the server does on every request but GET. */
  clearCache(): void
  /** Id of the browser: from its signed cookie, or a new one. */
  deviceId(): string
  /** Sets the browser's cookie if it is missing. */
  rememberDevice(): void
}

export interface CookieJarOptions {
  readonly sessionCookie: SignedCookie
  readonly deviceCookie: SignedCookie
  readonly pendingCookie: SignedCookie
  /** Name of the cookie cache for the session, if enabled. */
  readonly cacheName: string | undefined
  readonly random: Random
}

/** Cookies are parsed and the browser is identified on demand: most requests need neither. */
export const createCookies = (
  req: HttpRequest,
  res: HttpResponse,
  { sessionCookie, deviceCookie, pendingCookie, cacheName, random }: CookieJarOptions,
): Cookies => {
  let parsed: ReadonlyMap<string, string> | undefined
  let device: { readonly id: string; readonly isNew: boolean } | undefined
  const get = (name: string) => {
    parsed ??= parseCookies(req.headers.cookie)
    return parsed.get(name)
  }
  const set: Cookies['set'] = (name, value, options) => {
    res.appendHeader('Set-Cookie', formatCookie(name, value, sessionCookie.secure, options))
  }
  const clear = (name: string) => set(name, '', { maxAge: 0 })
  const clearCache = () => {
    if (cacheName !== undefined && get(cacheName) !== undefined) clear(cacheName)
  }
  const findDevice = () => {
    if (device === undefined) {
      const id = deviceCookie.decode(get(deviceCookie.name))
      device = id === undefined ? { id: random.token(32), isNew: true } : { id, isNew: false }
    }
    return device
  }
  const rememberDevice = () => {
    const { id, isNew } = findDevice()
    if (isNew) set(deviceCookie.name, deviceCookie.encode(id), { maxAge: longestMaxAge })
  }
  return {
    get,
    set,
    clear,
    startSession: (token, maxAge) => {
      set(sessionCookie.name, sessionCookie.encode(token), maxAge === undefined ? {} : { maxAge })
      rememberDevice()
      if (get(pendingCookie.name) !== undefined) clear(pendingCookie.name)
    },
    pendSignIn: (token) => {
      set(pendingCookie.name, pendingCookie.encode(token), { maxAge: pendingSignInSeconds })
      rememberDevice()
    },
    pendingSignIn: () => pendingCookie.decode(get(pendingCookie.name)),
    endSession: () => {
      clear(sessionCookie.name)
      clearCache()
    },
    clearCache,
    deviceId: () => findDevice().id,
    rememberDevice,
  }
}
