import { periodic, sweepSeconds } from '../core/queue.ts'
import { type Base, defineFeature } from '../feature.ts'
import { type LimitsConfig, limitsApply, limitsConfig } from './config.ts'
import { createLimits, type Limits } from './service.ts'

export type { Limits }

/** The limits of requests and mails, with the service that counts. */
export interface RateLimits extends LimitsConfig {
  readonly limiter: Limits
}

export const limitsFeature = defineFeature({
  name: 'limits',
  config: { limits: limitsConfig },
  build: (base: Base, { limits: config }: { readonly limits: LimitsConfig }) => {
    const limits = createLimits(base)
    const rateLimits: RateLimits | undefined = limitsApply(config.enabled, base.url) ? { limiter: limits, ...config } : undefined
    return {
      /** `rateLimits` is undefined where nothing is limited. */
      api: { limits, rateLimits },
      retentions: [limits.retention],
      tasks: [periodic('limits.sweep', sweepSeconds, limits.retention.sweep)],
    }
  },
})
