import { bind } from '../../http/handlers.ts'
import { addressRecoveryContract } from './contract.ts'
import type { AddressRecovery } from './service.ts'

export const addressRecoveryRoutes = (recovery: Pick<AddressRecovery, 'check' | 'recover'>) =>
  bind(addressRecoveryContract, {
    checkRecovery: async (_caller, { body }) => ({ email: await recovery.check(body.token) }),
    recoverAddress: async (caller, { body, reply }) => {
      await recovery.recover(caller, body.token, body.newPassword)
      reply.keepDevice()
      return { status: true }
    },
  })
