import type { Secrets } from '../core/crypto.ts'
import type { Random } from '../core/random.ts'
import { pendingSignInSeconds } from '../core/time.ts'
import type { HttpRequest, HttpResponse } from './response.ts'

/** The longest life of a cookie in seconds: 400 days (RFC 6265bis; accounts specification, section 9). */
const longestMaxAge = 34_560_000

/** Parses the header `Cookie` into names and values. If a name is repeated, its first value is used. */
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
  /** The life of the cookie in seconds. When absent: the cookie ends when the browser is closed. */
  readonly maxAge?: number
  readonly httpOnly?: boolean
}

/** Makes the value of one header `Set-Cookie`. It has HttpOnly, SameSite=Lax and Path=/, with https also Secure, and never a Domain. */
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
  /** Makes the signed value of a cookie, URL-encoded: `<content>.<HMAC in 44 characters>`. The content must not contain dots. */
  encode(content: string): string
  /** Returns the content of a cookie if its signature is valid. Undefined otherwise. */
  decode(value: string | undefined): string | undefined
}

interface SignedCookieOptions {
  readonly suffix: string
  /** A text that is signed together with the content, so that the value of one cookie is not valid as the value of another. */
  readonly label: string
  readonly purpose?: Parameters<Secrets['sign']>[0]
  /** How old an accepted cookie can be, in seconds. */
  readonly lifeSeconds: number
  /** The longest accepted value, in characters. */
  readonly maxLength?: number
}

/** Makes a signed cookie. Its name is `__Host-gatehouse.<suffix>` if the public URL is https, and `gatehouse.<suffix>` otherwise. */
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

/** The cookie with the session token. Whenever the session is extended, the cookie is set again. */
export const createSessionCookie = (publicUrl: string, secrets: Secrets, lifeSeconds: number): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'session', label: '', lifeSeconds })

/**
 * The cookie by which a browser is recognised at later sign-ins. By itself it gives no access. But a verification link works only
 * together with this cookie (docs/design/sign-in.md#links-by-mail).
 */
export const createDeviceCookie = (publicUrl: string, secrets: Secrets): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'device', label: 'device:', lifeSeconds: longestMaxAge })

/**
 * The cookie of a browser that is visiting a provider for a federated sign-in. Without the cookie, the callback is refused, so no other
 * browser can use it. It gives no access.
 */
export const createSocialCookie = (publicUrl: string, secrets: Secrets, lifeSeconds: number): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'social', label: 'social:', lifeSeconds })

/** The cookie that binds a passkey challenge to a browser, so that no other browser can answer it. It gives no access. */
export const createPasskeyCookie = (publicUrl: string, secrets: Secrets, lifeSeconds: number): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'passkey', label: 'passkey:', lifeSeconds })

/** The cookie of a sign-in that is not complete. By itself it gives no access. */
export const createPendingCookie = (publicUrl: string, secrets: Secrets): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'two_factor', label: 'two-factor:', lifeSeconds: pendingSignInSeconds })

/** Reads the cookies of a request, and sets cookies in its response. */
export interface Cookies {
  /** Value of a cookie in the request, or undefined. */
  get(name: string): string | undefined
  set(name: string, value: string, options?: CookieOptions): void
  clear(name: string): void
  /**
   * Sets the session cookie, and the cookie by which the browser is recognised. If `maxAge` (seconds) is absent, the session cookie ends
   * when the browser is closed.
   */
  startSession(token: string, maxAge?: number): void
  /** Sets the cookie of a sign-in that needs a further proof. */
  pendSignIn(token: string): void
  /** The token of a sign-in that needs a further proof, from its cookie. Undefined if there is none. */
  pendingSignIn(): string | undefined
  /** Clears the session cookie and the cookie with the cached session. */
  endSession(): void
  /** Clears the cookie with the cached session. The server does so for every request that is not a GET. */
  clearCache(): void
  /** The id by which the browser is recognised. It comes from a signed cookie, or is new. */
  deviceId(): string
  /** Sets the cookie by which the browser is recognised, unless the browser already has it. */
  rememberDevice(): void
}

export interface CookieJarOptions {
  readonly sessionCookie: SignedCookie
  readonly deviceCookie: SignedCookie
  readonly pendingCookie: SignedCookie
  /** The name of the cookie with the cached session. Undefined if sessions are not cached. */
  readonly cacheName: string | undefined
  readonly random: Random
}

/** Cookies are parsed, and the id of the browser is read, only when they are needed. Most requests need neither. */
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
