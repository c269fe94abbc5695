import { bind } from '../../http/handlers.ts'
import { linkedAccountContract } from './contract.ts'
import type { LinkedAccounts } from './service.ts'

export const linkedAccountRoutes = (linked: LinkedAccounts) =>
  bind(linkedAccountContract, {
    listAccounts: (caller) => linked.list(caller),
    unlinkAccount: async (caller, { body }) => {
      await linked.unlink(caller, body)
      return { status: true }
    },
  })
