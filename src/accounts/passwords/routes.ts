import type { Caller } from '../../core/caller.ts'
import { bind, Redirect } from '../../http/handlers.ts'
import type { TrustedUrls } from '../../http/trusted-url.ts'
import { withQuery } from '../rules.ts'
import { passwordContract } from './contract.ts'
import type { PasswordCare } from './service.ts'

const message = 'If this email exists in our system, check your email for the reset link'

export const passwordRoutes = (care: PasswordCare, urls: Pick<TrustedUrls, 'absolute'>) => {
  /** Known and unknown addresses are answered alike. */
  const requestReset = async (caller: Caller, email: string, redirectTo: string | undefined) => {
    await care.requestReset(caller, email, redirectTo)
    return { status: true, message }
  }
  return bind(passwordContract, {
    requestPasswordReset: (caller, { body }) => requestReset(caller, body.email, body.redirectTo),
    forgetPassword: (caller, { body }) => requestReset(caller, body.email, body.redirectTo),
    followResetLink: async (_caller, { params, query }) => {
      const target = query.callbackURL === undefined ? undefined : urls.absolute(query.callbackURL)
      const problem = { error: 'INVALID_TOKEN' }
      if (target === undefined) return new Redirect(withQuery(urls.absolute('/error') ?? '/error', problem))
      return new Redirect(withQuery(target, (await care.isResetTokenGood(params.token)) ? { token: params.token } : problem))
    },
    resetPassword: async (caller, { body, query, reply }) => {
      await care.reset(caller, body.token ?? query.token, body.newPassword)
      reply.keepDevice()
      return { status: true }
    },
    changePassword: async (caller, { body, reply }) => {
      const started = await care.change(caller, body)
      if (started !== undefined) reply.startSession(started.token, started.cookieSeconds)
      return { token: started?.token ?? null, user: caller.user }
    },
  })
}
