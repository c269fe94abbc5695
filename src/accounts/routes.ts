import { AppError } from '../core/errors.ts'
import { bind, Redirect, type Reply } from '../http/handlers.ts'
import { isFromElsewhere } from '../http/origin.ts'
import { wantsHtml } from '../http/static.ts'
import type { TrustedUrls } from '../http/trusted-url.ts'
import type { StartedSession } from '../sessions/index.ts'
import { accountContract } from './contract.ts'
import { withQuery } from './rules.ts'
import type { Accounts } from './service.ts'
import type { Verification } from './verification.ts'

const begin = (reply: Reply, started: StartedSession | undefined) => {
  if (started !== undefined) reply.startSession(started.token, started.cookieSeconds)
}

export const accountRoutes = (accounts: Accounts, verification: Verification, trusted: TrustedUrls) =>
  bind(accountContract, {
    signUpEmail: async (caller, { body, reply }) => {
      const { user, started } = await accounts.signUp(caller, body)
      begin(reply, started)
      reply.keepDevice()
      return { token: started?.token ?? null, user }
    },
    signInEmail: async (caller, { body, reply }) => {
      const { user, started } = await accounts.signIn(caller, body)
      begin(reply, started)
      const { callbackURL } = body
      return {
        redirect: callbackURL !== undefined,
        token: started.token,
        ...(callbackURL === undefined ? {} : { url: callbackURL }),
        user,
      }
    },
    sendVerificationEmail: async (caller, { body }) => {
      await verification.request(caller, body.email, body.callbackURL)
      return { status: true }
    },
    verifyEmail: async (caller, { query: { token, callbackURL }, reply }) => {
      const { req } = reply.raw
      // Programs that read mail open links too: our page asks what shows that the account is theirs, and posts it.
      if (wantsHtml(req) && (await verification.asksFirst(caller, token)))
        return new Redirect(withQuery('/confirm-email', { token, ...(callbackURL === undefined ? {} : { callbackURL }) }))
      reply.forgetCache()
      try {
        const begins = !wantsHtml(req) && !isFromElsewhere(req, trusted)
        const { user, isChange, started } = await verification.follow(caller, token, callbackURL, { begins })
        begin(reply, started)
        return callbackURL === undefined ? { status: true, user: isChange ? user : null } : new Redirect(callbackURL)
      } catch (error) {
        if (callbackURL === undefined || !(error instanceof AppError)) throw error
        return new Redirect(withQuery(callbackURL, { error: error.code.toLowerCase() }))
      }
    },
  })
