import { sessionOf, type UserPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Transact } from '../../core/db/database.ts'
import type { Cookies } from '../../http/cookies.ts'
import { createSessionCookie, type SignedCookie } from '../../http/cookies.ts'
import { bind, documented } from '../../http/handlers.ts'
import { type SessionsConfig, sessionContract, sessionDocumentation, sessionErrors } from './contract.ts'
import type { Sessions } from './types.ts'

/** The session cookie. Its signature is valid for as long as the longest possible session. */
export const sessionCookieOf = ({ url, secrets }: Pick<Core, 'url' | 'secrets'>, config: SessionsConfig): SignedCookie =>
  createSessionCookie(url, secrets, Math.max(config.expiresInSeconds, config.shortExpiresInSeconds))

export const sessionRoutes = (sessions: Sessions, transact: Transact) => {
  const endAll = async (principal: UserPrincipal, cookies: Cookies, keepsThis: boolean) => {
    const { user, session } = principal
    await transact((tx) => sessions.endAll(tx, principal, user.id, keepsThis ? session.id : undefined))
    if (!keepsThis) cookies.endSession()
    return { status: true }
  }
  return bind(documented(sessionContract, sessionDocumentation), {
    getSession: (principal) => (principal.kind === 'user' ? { session: principal.session, user: principal.user } : null),
    listSessions: async (principal) => {
      const current = sessionOf(principal)?.id
      return (await sessions.list(principal.user.id)).map((one) => ({ ...one, token: one.id, current: one.id === current }))
    },
    revokeSession: async (principal, { body, cookies }) => {
      if ((await sessions.revoke(principal, body.token)) === principal.session.id) cookies.endSession()
      return { status: true }
    },
    revokeSessions: (principal, { cookies }) => endAll(principal, cookies, false),
    revokeOtherSessions: (principal, { cookies }) => endAll(principal, cookies, true),
    signOut: async (principal, { cookies }) => {
      // The cookie is removed only after the session has ended. If the sign-out fails, the browser can therefore repeat it.
      if (principal.kind === 'user') await transact((tx) => sessions.end(tx, principal, principal.session))
      cookies.endSession()
      if (principal.kind !== 'user') throw sessionErrors.error('FAILED_TO_GET_SESSION')
      return { success: true }
    },
  })
}
