import { bind } from '../../../http/handlers.ts'
import type { Users } from '../service.ts'
import { profileContract } from './contract.ts'

export const profileRoutes = (users: Pick<Users, 'updateProfile'>) =>
  bind(profileContract, {
    updateUser: async (principal, { body }) => {
      await users.updateProfile(principal, body)
      return { status: true }
    },
  })
