import { AppError } from '../../core/errors.ts'
import type { Metrics } from '../../core/metrics.ts'
import { type BodyLimits, createByteBudget } from '../../http/body.ts'
import { Accepted } from '../../http/contract.ts'
import { bind, type Route } from '../../http/handlers.ts'
import { ingestContract } from './contract.ts'
import type { Ingestion } from './service.ts'

interface Limits {
  readonly maxBodyBytes: number
  readonly maxUnverifiedBytes: number
}

export const ingestRoutes = (
  ingestion: Ingestion,
  { maxBodyBytes, maxUnverifiedBytes }: Limits,
  metrics: Metrics,
): readonly Route[] => {
  const count = metrics.counter({
    name: 'gatehouse_billing_deliveries_total',
    help: 'Deliveries of the billing platform, by verdict; for one that was refused, the error code.',
    labels: ['verdict'],
  })
  const bodyLimits: BodyLimits = { maxBytes: maxBodyBytes, budget: createByteBudget(maxUnverifiedBytes) }
  const beforeBody: Route['beforeBody'] = (context, params, headers) =>
    ingestion.checkHeaders(context, (params as { endpoint: string }).endpoint, headers)
  return bind(ingestContract, {
    receive: async (principal, { params, body, headers }) => {
      const outcome = await ingestion.receive(principal, params.endpoint, headers, body).catch((error: unknown) => {
        count({ verdict: error instanceof AppError ? error.code : 'failed' })
        throw error
      })
      count({ verdict: outcome })
      return outcome === 'duplicate' ? { outcome } : new Accepted({ outcome })
    },
  }).map((route) => ({ ...route, bodyLimits, beforeBody }))
}
