import { periodic, sweepSeconds } from '../core/queue.ts'
import { sweepAll } from '../core/retention.ts'
import { type Base, defineFeature } from '../feature.ts'
import { type LimitsConfig, limitsApply, limitsConfig } from './config.ts'
import { limitErrors } from './errors.ts'
import { proofOfWorkRoutes } from './proof-of-work/routes.ts'
import { createProofOfWork, type ProofOfWork } from './proof-of-work/service.ts'
import { createLimits, type Limits } from './service.ts'

export type { Limits, ProofOfWork }

/** The configured limits of requests and mails, together with the service that counts. */
export interface RateLimits extends LimitsConfig {
  readonly limiter: Limits
}

export const limitsFeature = defineFeature({
  name: 'limits',
  config: { limits: limitsConfig },
  errors: limitErrors.table,
  build: (base: Base, { limits: config }: { readonly limits: LimitsConfig }) => {
    const limits = createLimits(base)
    const proofOfWork = createProofOfWork({ ...base, config: config.proofOfWork })
    const retentions = [limits.retention, proofOfWork.retention]
    const rateLimits: RateLimits | undefined = limitsApply(config.enabled, base.url) ? { limiter: limits, ...config } : undefined
    return {
      /** `rateLimits` is undefined if rate limits are switched off. */
      api: { limits, rateLimits, proofOfWork },
      routes: proofOfWorkRoutes(proofOfWork),
      retentions,
      tasks: [periodic('limits.sweep', sweepSeconds, sweepAll(retentions))],
    }
  },
})
