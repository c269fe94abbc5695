import { bind } from '../http/handlers.ts'
import { setupContract } from './contract.ts'
import type { Setup } from './service.ts'

export const setupRoutes = (setup: Setup) =>
  bind(setupContract, {
    check: (_principal, { body }) => setup.check(body.token),
    complete: async (principal, { body, cookies }) => {
      const { user, started } = await setup.complete(principal, body)
      if (started !== undefined) cookies.startSession(started.token, started.cookieSeconds)
      return { token: started?.token ?? null, user }
    },
  })
