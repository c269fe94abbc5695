import { bind } from '../../../../http/handlers.ts'
import { identityAdministrationContract, signInMethodContract } from './contract.ts'
import type { LinkedAccounts } from './service.ts'

export const linkedAccountRoutes = (accounts: LinkedAccounts) => [
  ...bind(identityAdministrationContract, {
    adminListIdentities: async (_, { params }) => ({ identities: await accounts.listOf(params.id) }),
  }),
  ...bind(signInMethodContract, {
    listAccounts: (principal) => accounts.list(principal),
    unlinkAccount: async (principal, { body }) => {
      await accounts.unlink(principal, body)
      return { status: true }
    },
  }),
]
