import { type BodyLimits, createByteBudget } from '../../http/body.ts'
import { bind, type Route } from '../../http/handlers.ts'
import { intakeContract } from './contract.ts'
import type { Intake } from './service.ts'

interface Limits {
  readonly maxBodyBytes: number
  readonly maxUnverifiedBytes: number
}

export const intakeRoutes = (intake: Intake, { maxBodyBytes, maxUnverifiedBytes }: Limits): readonly Route[] => {
  const bodyLimits: BodyLimits = { maxBytes: maxBodyBytes, budget: createByteBudget(maxUnverifiedBytes) }
  const beforeBody: Route['beforeBody'] = (source, params, headers) =>
    intake.checkHeaders(source, (params as { endpoint: string }).endpoint, headers)
  return bind(intakeContract, {
    receive: async (caller, { params, body, reply }) => {
      const outcome = await intake.receive(caller, params.endpoint, reply.raw.req.headers, body)
      if (outcome !== 'duplicate') reply.setAccepted()
      return { outcome }
    },
  }).map((route) => ({ ...route, bodyLimits, beforeBody }))
}
