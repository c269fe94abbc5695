import type { UserPrincipal } from '../access/principal.ts'
import { defaultRole } from '../access/roles.ts'
import type { Clock } from '../core/clock.ts'
import { type Secrets, sha256 } from '../core/crypto.ts'
import type { RequestContext } from '../core/request-context.ts'
import { createSignedCookie } from './cookies.ts'

/** Longest cookie that browsers store, in characters (accounts specification, section 9). */
const longestCookie = 4093

/** The version of the cookie's content. Increase it when the form of the content changes. */
const shape = 6

/**
 * A signed cookie beside the session cookie, which lives only for a short time. It contains the user and the session, so that the session
 * check need not read the database.
 */
export interface SessionCache {
  readonly name: string
  readonly seconds: number
  /** Makes the value of the cookie. Undefined if the content is too long for a cookie. */
  encode(principal: UserPrincipal): string | undefined
  /**
   * Returns the principal if three conditions are met: the signature is valid, the value is not too old, and it was made for this session
   * token. Undefined otherwise.
   */
  decode(value: string | undefined, token: string, context: RequestContext): UserPrincipal | undefined
}

interface Content {
  readonly version: string
  readonly until: number
  readonly tokenHash: string
  readonly user: UserPrincipal['user']
  readonly session: Omit<UserPrincipal['session'], 'token'>
}

interface Options {
  readonly cookieCacheSeconds: number
  readonly cookieCacheVersion: number
  /** True if the user was banned so recently that the cached session may be from before the ban. */
  isRecentlyBanned(userId: string): boolean
}

/** Makes the cookie cache of sessions. Undefined if the configuration disables it. */
export const createSessionCache = (
  publicUrl: string,
  secrets: Secrets,
  clock: Clock,
  { cookieCacheSeconds: seconds, cookieCacheVersion, isRecentlyBanned }: Options,
  permissionsOf: (role: string) => UserPrincipal['permissions'],
): SessionCache | undefined => {
  if (seconds === 0) return undefined
  const cookie = createSignedCookie(publicUrl, secrets, {
    suffix: 'session_data',
    label: 'session-data:',
    lifeSeconds: seconds,
    maxLength: longestCookie,
  })
  const version = `${shape}.${cookieCacheVersion}`
  return {
    name: cookie.name,
    seconds,
    encode: ({ user, session: { token, ...session } }) => {
      const until = Math.min(clock.after(seconds).getTime(), session.expiresAt.getTime())
      const content: Content = { version, until, tokenHash: sha256(token), user, session }
      const value = cookie.encode(Buffer.from(JSON.stringify(content)).toString('base64url'))
      return cookie.name.length + 1 + value.length > longestCookie ? undefined : value
    },
    decode: (value, token, context) => {
      const body = cookie.decode(value)
      if (body === undefined) return undefined
      const { user, session, ...content } = JSON.parse(Buffer.from(body, 'base64url').toString()) as Content
      if (content.version !== version || content.until <= clock.now().getTime() || content.tokenHash !== sha256(token))
        return undefined
      if (isRecentlyBanned(user.id)) return undefined
      const dated = <T extends { createdAt: Date; updatedAt: Date }>(one: T): T => ({
        ...one,
        createdAt: new Date(one.createdAt),
        updatedAt: new Date(one.updatedAt),
      })
      return {
        kind: 'user',
        ...context,
        ...(session.impersonatedBy === null ? {} : { impersonatorId: session.impersonatedBy }),
        user: dated(user),
        session: {
          ...dated(session),
          expiresAt: new Date(session.expiresAt),
          provenAt: session.provenAt === null ? null : new Date(session.provenAt),
          token,
        },
        permissions: permissionsOf(session.impersonatedBy !== null || session.lacksSecondFactor ? defaultRole : user.role),
      }
    },
  }
}
