import type { Source, UserCaller } from '../core/caller.ts'
import type { Clock } from '../core/clock.ts'
import { type Secrets, sha256 } from '../core/crypto.ts'
import type { SessionCookie } from './cookies.ts'

/** Browsers keep no longer cookies (accounts specification, section 9). */
const longestCookie = 4093

/** Raised when the content changes its shape. */
const shape = 3

/** A second, short-lived, signed cookie that says who the session cookie stands for. */
export interface SessionCache {
  readonly name: string
  readonly seconds: number
  /** Undefined when the content would not fit into a cookie. */
  encode(caller: UserCaller): string | undefined
  /** The caller, when the value is ours, not too old, and was made for this very session token. */
  decode(value: string | undefined, token: string, source: Source): UserCaller | undefined
}

interface Content {
  readonly version: string
  readonly until: number
  readonly tokenHash: string
  readonly user: UserCaller['user']
  readonly session: Omit<UserCaller['session'], 'token'>
}

interface Options {
  readonly cookieCacheSeconds: number
  readonly cookieCacheVersion: number
}

/** Undefined when the cache is off. */
export const createSessionCache = (
  cookie: SessionCookie,
  secrets: Secrets,
  clock: Clock,
  { cookieCacheSeconds: seconds, cookieCacheVersion }: Options,
): SessionCache | undefined => {
  if (seconds === 0) return undefined
  const name = cookie.name.replace('.session', '.session_data')
  const version = `${shape}.${cookieCacheVersion}`
  const signed = (content: string) => `session-data:${content}`
  return {
    name,
    seconds,
    encode: ({ user, session: { token, ...session } }) => {
      const until = Math.min(clock.after(seconds).getTime(), session.expiresAt.getTime())
      const content: Content = { version, until, tokenHash: sha256(token), user, session }
      const body = Buffer.from(JSON.stringify(content)).toString('base64url')
      const value = encodeURIComponent(`${body}.${secrets.sign('cookies', signed(body))}`)
      return name.length + 1 + value.length > longestCookie ? undefined : value
    },
    decode: (value, token, source) => {
      if (value === undefined || value.length > longestCookie) return undefined
      const [body = '', signature = ''] = value.replace(/%2B/gi, '+').replace(/%2F/gi, '/').replace(/%3D/gi, '=').split('.')
      if (!secrets.isSigned('cookies', signed(body), signature, seconds)) return undefined
      const { user, session, ...content } = JSON.parse(Buffer.from(body, 'base64url').toString()) as Content
      if (content.version !== version || content.until <= clock.now().getTime() || content.tokenHash !== sha256(token))
        return undefined
      const dated = <T extends { createdAt: Date; updatedAt: Date }>(one: T): T => ({
        ...one,
        createdAt: new Date(one.createdAt),
        updatedAt: new Date(one.updatedAt),
      })
      return {
        kind: 'user',
        ...source,
        user: dated(user),
        session: { ...dated(session), expiresAt: new Date(session.expiresAt), token },
      }
    },
  }
}
