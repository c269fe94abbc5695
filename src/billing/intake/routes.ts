import { bind, type Route } from '../../http/handlers.ts'
import { intakeContract } from './contract.ts'
import type { Intake } from './service.ts'

export const intakeRoutes = (intake: Intake, maxBodyBytes: number): readonly Route[] =>
  bind(intakeContract, {
    receive: async (caller, { params, body, reply }) => {
      const outcome = await intake.receive(caller, params.endpoint, reply.raw.req.headers, body)
      if (outcome !== 'duplicate') reply.setAccepted()
      return { outcome }
    },
  }).map((route) => ({ ...route, maxBodyBytes }))
