import { bind } from '../../../http/handlers.ts'
import { setOutcome, twoFactorAnswer } from '../../../http/sign-in-outcome.ts'
import { mailCodeContract } from './contract.ts'
import type { MailCodes } from './service.ts'

export const mailCodeRoutes = (codes: MailCodes) =>
  bind(mailCodeContract, {
    sendOtp: async (principal, { cookies }) => {
      await codes.send(principal, cookies.pendingSignIn())
      return { status: true }
    },
    verifyOtp: async (principal, { body, cookies }) => {
      const { user, outcome } = await codes.verify(principal, cookies.pendingSignIn(), body)
      setOutcome(cookies, outcome)
      return outcome.kind === 'pending' ? twoFactorAnswer(outcome.pending) : { token: outcome.started.token, user }
    },
  })
