import { bind } from '../../http/handlers.ts'
import { identityAdministrationContract } from './administration/contract.ts'
import { signInMethodContract } from './contract.ts'
import type { SignInMethods } from './sign-in-methods.ts'

export const signInMethodRoutes = (methods: SignInMethods) => [
  ...bind(identityAdministrationContract, {
    adminListIdentities: async (_, { params }) => ({ identities: await methods.listOf(params.id) }),
  }),
  ...bind(signInMethodContract, {
    listAccounts: (principal) => methods.list(principal),
    unlinkAccount: async (principal, { body }) => {
      await methods.unlink(principal, body)
      return { status: true }
    },
  }),
]
