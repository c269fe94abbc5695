import type { Clock } from '../../core/clock.ts'
import type { Core } from '../../core/core.ts'
import { hourSeconds } from '../../core/time.ts'
import { type Cookies, createSignedCookie, type SignedCookie } from '../../http/cookies.ts'
import { bind, documented } from '../../http/handlers.ts'
import { impersonationContract, impersonationDocumentation, impersonationErrors } from './contract.ts'
import type { Impersonation } from './service.ts'

/**
 * The cookie that keeps the token of the administrator's own session during an impersonation. It is not accepted in place of the session
 * cookie.
 */
export const ownCookieOf = ({ url, secrets }: Pick<Core, 'url' | 'secrets'>): SignedCookie =>
  createSignedCookie(url, secrets, { suffix: 'admin_session', label: 'admin-session:', lifeSeconds: hourSeconds })

interface Deps {
  readonly impersonation: Impersonation
  readonly sessionCookie: SignedCookie
  /** The cookie that keeps the token of the administrator's own session during an impersonation. */
  readonly ownCookie: SignedCookie
  readonly clock: Clock
}

export const impersonationRoutes = ({ impersonation, sessionCookie, ownCookie, clock }: Deps) => {
  const isSentIn = (cookie: SignedCookie, cookies: Cookies) => cookie.decode(cookies.get(cookie.name))
  return bind(documented(impersonationContract, impersonationDocumentation), {
    impersonateUser: async (principal, { body, cookies }) => {
      const isBrowser = isSentIn(sessionCookie, cookies) !== undefined
      const { user, started, ownToken } = await impersonation.start(principal, body.userId, body.reason, {
        keepsToken: !isBrowser,
      })
      if (isBrowser) {
        const { cookieSeconds: maxAge } = started
        if (ownToken !== undefined)
          cookies.set(ownCookie.name, ownCookie.encode(ownToken), maxAge === undefined ? {} : { maxAge })
        cookies.startSession(started.token, maxAge)
      }
      return { session: started.session, user }
    },
    stopImpersonating: async (principal, { cookies }) => {
      const own = await impersonation.stop(principal, isSentIn(ownCookie, cookies))
      if (cookies.get(ownCookie.name) !== undefined) cookies.clear(ownCookie.name)
      if (own === undefined) {
        cookies.endSession()
        throw impersonationErrors.error('FAILED_TO_FIND_ADMIN_SESSION')
      }
      const { session, user } = own
      const seconds = Math.max(1, Math.round((session.expiresAt.getTime() - clock.now().getTime()) / 1000))
      cookies.startSession(session.token, session.rememberMe ? seconds : undefined)
      return { session, user }
    },
  })
}
