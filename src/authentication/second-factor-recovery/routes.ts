import { bind, documented } from '../../http/handlers.ts'
import { setOutcome, twoFactorAnswer } from '../../http/sign-in-outcome.ts'
import { recoveryContract } from './contract.ts'
import { recoveryDocumentation } from './documentation.ts'
import type { Recovery } from './service.ts'

export const recoveryRoutes = (recovery: Recovery) =>
  bind(documented(recoveryContract, recoveryDocumentation), {
    secondFactorRecovery: (principal, { cookies }) => recovery.state(principal, cookies.pendingSignIn()),
    requestSecondFactorRecovery: (principal, { cookies }) => recovery.request(principal, cookies.pendingSignIn()),
    sendSecondFactorRecoveryCode: async (principal, { cookies }) => {
      await recovery.sendCode(principal, cookies.pendingSignIn())
      return { status: true }
    },
    completeSecondFactorRecovery: async (principal, { body, cookies }) => {
      const { user, outcome } = await recovery.complete(principal, cookies.pendingSignIn(), body.code)
      setOutcome(cookies, outcome)
      return outcome.kind === 'pending' ? twoFactorAnswer(outcome.pending) : { token: outcome.started.token, user }
    },
    cancelSecondFactorRecovery: async (principal, { body, cookies }) => {
      if (body.token === undefined) await recovery.cancel(principal, cookies.pendingSignIn())
      else await recovery.cancelByLink(principal, body.token)
      return { status: true }
    },
    adminSecondFactorRecovery: async (_, { params }) => ({ recovery: await recovery.ofUser(params.id) }),
    adminCancelSecondFactorRecovery: async (principal, { params }) => {
      await recovery.cancelOfUser(principal, params.id)
      return { success: true }
    },
  })
