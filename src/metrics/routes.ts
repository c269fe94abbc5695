import { safeEqual, sha256 } from '../core/crypto.ts'
import { coreErrors } from '../core/errors.ts'
import type { Metrics } from '../core/metrics.ts'
import { bind } from '../http/handlers.ts'
import { metricsContract } from './contract.ts'
import { metricsErrors } from './errors.ts'

/** Without a token the path is unknown, so that nobody learns of it. */
export const metricsRoutes = (metrics: Metrics, token: string | undefined) =>
  bind(metricsContract, {
    metrics: (_principal, { headers }) => {
      if (token === undefined) throw coreErrors.error('NOT_FOUND')
      if (!safeEqual(sha256(headers.authorization ?? ''), sha256(`Bearer ${token}`)))
        throw metricsErrors.error('METRICS_TOKEN_IS_WRONG')
      return metrics.text()
    },
  })
