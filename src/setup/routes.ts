import { bind } from '../http/handlers.ts'
import { setupContract } from './contract.ts'
import type { Setup } from './service.ts'

export const setupRoutes = (setup: Setup) =>
  bind(setupContract, {
    check: (_caller, { body }) => setup.check(body.token),
    complete: async (caller, { body, reply }) => {
      const { user, started } = await setup.complete(caller, body)
      reply.startSession(started.token, started.cookieSeconds)
      return { token: started.token, user }
    },
  })
