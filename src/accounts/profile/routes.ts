import { bind } from '../../http/handlers.ts'
import { profileContract } from './contract.ts'
import type { Profile } from './service.ts'

export const profileRoutes = (profile: Profile) =>
  bind(profileContract, {
    updateUser: async (caller, { body }) => {
      await profile.update(caller, body)
      return { status: true }
    },
    changeEmail: async (caller, { body }) => {
      await profile.changeEmail(caller, body.newEmail, body.callbackURL)
      return { status: true }
    },
  })
