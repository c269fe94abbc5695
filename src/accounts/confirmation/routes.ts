import { bind } from '../../http/handlers.ts'
import { confirmationContract } from './contract.ts'
import type { Confirmation } from './service.ts'

export const confirmationRoutes = (confirmation: Confirmation) =>
  bind(confirmationContract, {
    checkVerification: (caller, { body }) => confirmation.check(caller, body.token),
    confirmEmail: async (caller, { body, reply }) => {
      const { user, started } = await confirmation.confirm(caller, body)
      if (started !== undefined) reply.startSession(started.token, started.cookieSeconds)
      if (body.newPassword !== undefined) reply.keepDevice()
      const { callbackURL } = body
      return { status: true, ...(callbackURL === undefined ? {} : { url: callbackURL }), token: started?.token ?? null, user }
    },
  })
