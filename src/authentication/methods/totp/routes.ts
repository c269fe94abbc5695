import { bind, documented } from '../../../http/handlers.ts'
import { totpContract } from './contract.ts'
import { totpDocumentation } from './documentation.ts'
import type { Totp } from './service.ts'
import type { createStatus } from './status.ts'

export const totpRoutes = (totp: Totp, status: ReturnType<typeof createStatus>) =>
  bind(documented(totpContract, totpDocumentation), {
    enable: async (principal, { body, cookies }) => {
      const { uri, recoveryCodes } = await totp.enable(principal, cookies.pendingSignIn(), body)
      return { method: 'totp' as const, totpURI: uri, backupCodes: [...recoveryCodes] }
    },
    getTotpUri: async (principal, { body }) => ({ totpURI: await totp.uri(principal, body.password) }),
    replace: async (principal, { body }) => ({ totpURI: await totp.replace(principal, body) }),
    confirmReplacement: async (principal, { body, cookies }) => {
      const { user, started } = await totp.confirmReplacement(principal, body.code)
      cookies.startSession(started.token, started.cookieSeconds)
      return { token: started.token, user }
    },
    verifyTotp: async (principal, { body, cookies }) => {
      const { user, started } = await totp.verify(principal, cookies.pendingSignIn(), body)
      cookies.startSession(started.token, started.cookieSeconds)
      return { token: started.token, user }
    },
    disable: async (principal, { body }) => {
      await totp.disable(principal, body.password)
      return { status: true }
    },
    status,
  })
