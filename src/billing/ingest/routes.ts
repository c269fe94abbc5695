import { type BodyLimits, createByteBudget } from '../../http/body.ts'
import { Accepted } from '../../http/contract.ts'
import { bind, type Route } from '../../http/handlers.ts'
import { ingestContract } from './contract.ts'
import type { Ingestion } from './service.ts'

interface Limits {
  readonly maxBodyBytes: number
  readonly maxUnverifiedBytes: number
}

export const ingestRoutes = (ingestion: Ingestion, { maxBodyBytes, maxUnverifiedBytes }: Limits): readonly Route[] => {
  const bodyLimits: BodyLimits = { maxBytes: maxBodyBytes, budget: createByteBudget(maxUnverifiedBytes) }
  const beforeBody: Route['beforeBody'] = (context, params, headers) =>
    ingestion.checkHeaders(context, (params as { endpoint: string }).endpoint, headers)
  return bind(ingestContract, {
    receive: async (principal, { params, body, headers }) => {
      const outcome = await ingestion.receive(principal, params.endpoint, headers, body)
      return outcome === 'duplicate' ? { outcome } : new Accepted({ outcome })
    },
  }).map((route) => ({ ...route, bodyLimits, beforeBody }))
}
