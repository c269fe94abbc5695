import { AppError } from '../../core/errors.ts'
import { withQuery } from '../../core/web.ts'
import { Redirect } from '../../http/contract.ts'
import { bind } from '../../http/handlers.ts'
import { isCrossSiteRead } from '../../http/origin.ts'
import { acceptsHtml } from '../../http/static.ts'
import type { TrustedUrls } from '../../http/trusted-url.ts'
import type { EmailChange } from './change-email.ts'
import { verificationContract } from './contract.ts'
import type { Notices } from './notices.ts'
import type { Verification } from './service.ts'

export const verificationRoutes = (
  verification: Verification,
  emailChange: EmailChange,
  notices: Notices,
  trusted: TrustedUrls,
) =>
  bind(verificationContract, {
    sendVerificationEmail: async (principal, { body }) => {
      await verification.request(principal, body.email, body.callbackURL)
      return { status: true }
    },
    verifyEmail: async (principal, { query: { token, callbackURL }, headers, cookies }) => {
      // Mail scanners open links too. A browser therefore gets a page that asks for the proof of ownership.
      if (acceptsHtml(headers) && (await verification.needsConfirmation(principal, token)))
        return new Redirect(withQuery('/confirm-email', { token, callbackURL }))
      cookies.clearCache()
      try {
        const maySignIn = !acceptsHtml(headers) && !isCrossSiteRead(headers, trusted)
        const { user, isChange, started } = await verification.follow(principal, token, callbackURL, { maySignIn })
        if (started !== undefined) cookies.startSession(started.token, started.cookieSeconds)
        return callbackURL === undefined ? { status: true, user: isChange ? user : null } : new Redirect(callbackURL)
      } catch (error) {
        if (callbackURL === undefined || !(error instanceof AppError)) throw error
        return new Redirect(withQuery(callbackURL, { error: error.code.toLowerCase() }))
      }
    },
    reportActivity: async (principal, { body }) => {
      const { waysIn, removed, ...reported } = await notices.report(principal, body.token)
      return { status: true, ...reported, waysIn: [...waysIn], removed: [...removed] }
    },
    changeEmail: async (principal, { body }) => {
      await emailChange.request(principal, body.newEmail, body.callbackURL)
      return { status: true }
    },
  })
