import type { Principal } from '../../../../access/principal.ts'
import { coreErrors } from '../../../../core/errors.ts'
import { withQuery } from '../../../../core/web.ts'
import { Redirect } from '../../../../http/contract.ts'
import { bind } from '../../../../http/handlers.ts'
import { setOutcome } from '../../../../http/sign-in-outcome.ts'
import type { TrustedUrls } from '../../../../http/trusted-url.ts'
import { newPasswordContract } from './contract.ts'
import type { MailedLinks } from './mailed-links.ts'
import type { PasswordService } from './service.ts'

const message = 'If this email exists in our system, check your email for the reset link'

interface Deps {
  readonly passwordService: PasswordService
  readonly mailedLinks: MailedLinks
  readonly trustedUrls: Pick<TrustedUrls, 'absolute'>
  readonly config: { readonly emailPasswordEnabled: boolean }
}

export const newPasswordRoutes = ({ passwordService: passwords, mailedLinks: links, trustedUrls: urls, config }: Deps) => {
  /** The answer does not reveal whether the mail address has an account. */
  const requestReset = async (principal: Principal, email: string, redirectTo: string | undefined) => {
    await passwords.requestReset(principal, email, redirectTo)
    return { status: true, message }
  }
  return bind(newPasswordContract, {
    requestPasswordReset: (principal, { body }) => requestReset(principal, body.email, body.redirectTo),
    forgetPassword: (principal, { body }) => requestReset(principal, body.email, body.redirectTo),
    followResetLink: async (_principal, { params, query }) => {
      const target = query.callbackURL === undefined ? undefined : urls.absolute(query.callbackURL)
      const problem = { error: 'INVALID_TOKEN' }
      if (target === undefined) return new Redirect(withQuery(urls.absolute('/error') ?? '/error', problem))
      return new Redirect(
        withQuery(target, (await passwords.isResetTokenValid(params.token)) ? { token: params.token } : problem),
      )
    },
    checkReset: async (principal, { body }) => {
      const { email, question } = await passwords.checkReset(principal, body.token)
      return { email, account: question === undefined ? null : { ...question, organizations: [...question.organizations] } }
    },
    resetPassword: async (principal, { body, query, cookies }) => {
      const { newPassword, account } = body
      const takenOver = await passwords.reset(principal, body.token ?? query.token, newPassword, account)
      cookies.rememberDevice()
      if (takenOver === undefined || takenOver.organizations.length === 0) return { status: true }
      return {
        status: true,
        organizations: takenOver.organizations.map(({ members, ...one }) => ({ ...one, members: [...members] })),
      }
    },
    changePasswordPage: () => {
      // Password managers read the status. If passwords are disabled, there is no page for changing the password.
      if (!config.emailPasswordEnabled) throw coreErrors.error('NOT_FOUND')
      return new Redirect('/account/password')
    },
    changePassword: async (principal, { body, cookies }) => {
      const outcome = await passwords.change(principal, body)
      if (outcome !== undefined) setOutcome(cookies, outcome)
      return { token: outcome?.kind === 'session' ? outcome.started.token : null, user: principal.user }
    },
    verifyPassword: async (principal, { body, cookies }) => {
      setOutcome(cookies, await passwords.prove(principal, body.password))
      return { status: true }
    },
    checkVerification: (principal, { body }) => links.checkVerification(principal, body.token),
    confirmEmail: async (principal, { body, cookies }) => {
      const { user, started } = await links.confirm(principal, body)
      if (started !== undefined) cookies.startSession(started.token, started.cookieSeconds)
      if (body.newPassword !== undefined) cookies.rememberDevice()
      const { callbackURL } = body
      return { status: true, ...(callbackURL === undefined ? {} : { url: callbackURL }), token: started?.token ?? null, user }
    },
    checkRecovery: async (_principal, { body }) => ({ email: await links.checkRecovery(body.token) }),
    recoverAddress: async (principal, { body, cookies }) => {
      const waysIn = await links.recoverAddress(principal, body.token, body.newPassword)
      cookies.rememberDevice()
      return { status: true, waysIn: [...waysIn] }
    },
  })
}
