import { AppError } from '../core/errors.ts'
import { bind, Redirect, type Reply } from '../http/handlers.ts'
import type { StartedSession } from '../sessions/index.ts'
import { accountContract } from './contract.ts'
import type { Accounts } from './service.ts'

const begin = (reply: Reply, started: StartedSession | undefined) => {
  if (started !== undefined) reply.startSession(started.token, started.cookieSeconds)
}

const withError = (url: string, code: string) => `${url}${url.includes('?') ? '&' : '?'}error=${code.toLowerCase()}`

export const accountRoutes = (accounts: Accounts) =>
  bind(accountContract, {
    signUpEmail: async (caller, { body, reply }) => {
      const { user, started } = await accounts.signUp(caller, body)
      begin(reply, started)
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
      await accounts.sendVerification(caller, body.email, body.callbackURL)
      return { status: true }
    },
    verifyEmail: async (caller, { query, reply }) => {
      const { callbackURL } = query
      try {
        const { started } = await accounts.verifyEmail(caller, query.token)
        begin(reply, started)
      } catch (error) {
        if (callbackURL === undefined || !(error instanceof AppError)) throw error
        return new Redirect(withError(callbackURL, error.code))
      }
      return callbackURL === undefined ? { status: true, user: null } : new Redirect(callbackURL)
    },
  })
