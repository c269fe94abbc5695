import type { Secrets } from '../core/crypto.ts'
import type { Random } from '../core/random.ts'
import { pendingSignInSeconds } from '../core/time.ts'
import type { HttpRequest, HttpResponse } from './response.ts'

/** The longest life of a cookie: 400 days (RFC 6265bis; accounts specification, section 9). */
const longestMaxAge = 34_560_000

/** The pairs of names and values in a Cookie header. If a name is repeated, the first one counts. */
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
  /** Life in seconds. When absent: until the browser session ends. */
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
  /** Makes the value of a cookie: `<content>.<44 characters of HMAC>`, URL-encoded. The content has no dots. */
  encode(content: string): string
  /** The content of a cookie if its signature is valid, else undefined. */
  decode(value: string | undefined): string | undefined
}

interface SignedCookieOptions {
  readonly suffix: string
  /** Stands before the signed content, so that the value of one cookie is not valid for another. */
  readonly label: string
  readonly purpose?: Parameters<Secrets['sign']>[0]
  /** Greatest age of an accepted cookie. */
  readonly lifeSeconds: number
  /** Greatest length of an accepted value. */
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

/** The cookie with the session token. It is set again whenever the session is extended. */
export const createSessionCookie = (publicUrl: string, secrets: Secrets, lifeSeconds: number): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'session', label: '', lifeSeconds })

/**
 * The cookie that identifies a browser across sign-ins, to recognise it. By itself it gives no access, but it is one half of a
 * verification link (docs/design/sign-in.md#links-by-mail).
 */
export const createDeviceCookie = (publicUrl: string, secrets: Secrets): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'device', label: 'device:', lifeSeconds: longestMaxAge })

/** The cookie that identifies a browser during a visit to a provider, so that no other browser can use the callback. It gives no access. */
export const createSocialCookie = (publicUrl: string, secrets: Secrets, lifeSeconds: number): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'social', label: 'social:', lifeSeconds })

/** The cookie that binds the challenges of passkeys to a browser. It gives no access. */
export const createPasskeyCookie = (publicUrl: string, secrets: Secrets, lifeSeconds: number): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'passkey', label: 'passkey:', lifeSeconds })

/** The cookie of a sign-in between its steps. By itself it gives no access. */
export const createPendingCookie = (publicUrl: string, secrets: Secrets): SignedCookie =>
  createSignedCookie(publicUrl, secrets, { suffix: 'two_factor', label: 'two-factor:', lifeSeconds: pendingSignInSeconds })

/** The cookies of one request and its response. */
export interface Cookies {
  /** Value of a cookie in the request, or undefined. */
  get(name: string): string | undefined
  set(name: string, value: string, options?: CookieOptions): void
  clear(name: string): void
  /** Sets the session cookie, and the cookie of the browser. Without `maxAge` (seconds) the session cookie ends with the browser session. */
  startSession(token: string, maxAge?: number): void
  /** Sets the cookie of a sign-in that needs another proof. */
  pendSignIn(token: string): void
  /** The token of a sign-in that needs another proof, or undefined. */
  pendingSignIn(): string | undefined
  /** Clears the session cookie and its cache. */
  endSession(): void
  /** Clears the cookie cache of the session. The server does so on every request but GET. */
  clearCache(): void
  /** Id of the browser, from its signed cookie or new. */
  deviceId(): string
  /** Sets the cookie of the browser if it is missing. */
  rememberDevice(): void
}

export interface CookieJarOptions {
  readonly sessionCookie: SignedCookie
  readonly deviceCookie: SignedCookie
  readonly pendingCookie: SignedCookie
  /** Name of the cookie with the cached session. Undefined if the cache is off. */
  readonly cacheName: string | undefined
  readonly random: Random
}

/** Most requests need neither cookies nor the browser's id, so both are found out when they are asked for. */
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
