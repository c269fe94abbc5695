import { bind, documented } from '../../../http/handlers.ts'
import { recoveryCodeContract } from './contract.ts'
import { recoveryCodeDocumentation } from './documentation.ts'
import { fewCodes } from './rules.ts'
import type { RecoveryCodeCalls } from './service.ts'

export const recoveryCodeRoutes = (codes: RecoveryCodeCalls) =>
  bind(documented(recoveryCodeContract, recoveryCodeDocumentation), {
    verifyBackupCode: async (principal, { body, cookies }) => {
      const { user, left, started } = await codes.verify(principal, cookies.pendingSignIn(), body)
      if (started !== undefined) cookies.startSession(started.token, started.cookieSeconds)
      return { token: started?.token ?? null, user, backupCodesLeft: left, fewBackupCodesLeft: left <= fewCodes }
    },
    generateBackupCodes: async (principal, { body }) => ({
      status: true as const,
      backupCodes: [...(await codes.generate(principal, body.password))],
    }),
  })
