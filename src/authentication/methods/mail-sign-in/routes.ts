import { AppError } from '../../../core/errors.ts'
import { readTimeZone } from '../../../core/time-zone.ts'
import { withQuery } from '../../../core/web.ts'
import { Redirect } from '../../../http/contract.ts'
import { bind, documented } from '../../../http/handlers.ts'
import { setOutcome, twoFactorAnswer } from '../../../http/sign-in-outcome.ts'
import type { Asking } from './asking.ts'
import { mailSignInContract, mailSignInDocumentation, mailSignInErrors } from './contract.ts'
import type { SignInByMail } from './sign-in.ts'

export const mailSignInRoutes = (asking: Asking, signIn: SignInByMail) =>
  bind(documented(mailSignInContract, mailSignInDocumentation), {
    signInMagicLink: async (principal, { body, cookies }) => {
      await asking.ask(principal, body)
      // The cookie makes sure that the link and the code work only in this browser.
      cookies.rememberDevice()
      return { status: true }
    },
    sendVerificationOtp: async (principal, { body, cookies }) => {
      if (body.type !== 'sign-in') throw mailSignInErrors.error('ONLY_CODES_FOR_SIGN_IN_ARE_SENT')
      await asking.ask(principal, { email: body.email })
      cookies.rememberDevice()
      return { success: true }
    },
    signInEmailOtp: async (principal, { body, cookies }) => {
      const { user, outcome } = await signIn.withCode(principal, body)
      setOutcome(cookies, outcome)
      return outcome.kind === 'pending' ? twoFactorAnswer(outcome.pending) : { token: outcome.started.token, user }
    },
    verifyMagicLink: async (principal, { query, cookies }) => {
      const { token, callbackURL, newUserCallbackURL = callbackURL, errorCallbackURL = callbackURL } = query
      // A browser that opens a link sends no time zone. It sent the time zone when it requested the mail.
      const timeZone = readTimeZone(query.timeZone)
      const caller = timeZone === undefined ? principal : { ...principal, timeZone }
      try {
        const { user, outcome, isNew } = await signIn.withLink(caller, token)
        cookies.clearCache()
        setOutcome(cookies, outcome)
        const target = isNew ? newUserCallbackURL : callbackURL
        if (outcome.kind === 'pending')
          return target === undefined
            ? twoFactorAnswer(outcome.pending)
            : new Redirect(withQuery('/two-factor', { callbackURL: target }))
        const { started } = outcome
        return target === undefined ? { token: started.token, session: started.session, user } : new Redirect(target)
      } catch (error) {
        if (errorCallbackURL === undefined || !(error instanceof AppError)) throw error
        return new Redirect(withQuery(errorCallbackURL, { error: error.code }))
      }
    },
  })
