import { z } from 'zod'
import { safeEqual, sha256 } from '../core/crypto.ts'
import { coreErrors } from '../core/errors.ts'
import type { Metrics } from '../core/metrics.ts'
import { type Base, defineFeature } from '../feature.ts'
import { bind } from '../http/handlers.ts'
import { metricsContract, metricsErrors } from './contract.ts'
import { declareGauges } from './gauges.ts'

/** Without a valid token, the path responds like a path that does not exist, so that nobody learns that there are metrics. */
const metricsRoutes = (metrics: Metrics, token: string | undefined) =>
  bind(metricsContract, {
    metrics: (_principal, { headers }) => {
      if (token === undefined) throw coreErrors.error('NOT_FOUND')
      if (!safeEqual(sha256(headers.authorization ?? ''), sha256(`Bearer ${token}`)))
        throw metricsErrors.error('METRICS_TOKEN_IS_WRONG')
      return metrics.text()
    },
  })

const metricsConfig = z
  .strictObject({
    port: z
      .int()
      .min(0)
      .max(65535)
      .optional()
      .describe(
        'Serves /metrics on a port of its own, without a token: keep it inside your network; 0: any free one, which the log names. Not set: no such port.',
      )
      .meta({ needsRestart: true }),
    host: z
      .string()
      .trim()
      .min(1, 'an address; 0.0.0.0 means all of this machine')
      .default('127.0.0.1')
      .describe('Address to listen on with metrics.port.')
      .meta({ needsRestart: true }),
    token: z.string().min(16, 'at least 16 characters').optional().meta({
      secret: true,
      description: 'Token for /metrics on the public address, sent as `Authorization: Bearer`. Not set: the path is not found.',
    }),
  })
  .prefault({})

type MetricsConfig = z.output<typeof metricsConfig>

/** Serves the metrics of this node. They are on a port of their own, or on the public URL with a token, or switched off. */
export const metricsFeature = defineFeature({
  name: 'metrics',
  config: { metrics: metricsConfig },
  errors: metricsErrors.table,
  build: (base: Base, { metrics: { port, host, token } }: { readonly metrics: MetricsConfig }) => {
    const { metrics } = base
    declareGauges(base)
    const listener = { name: 'metrics', host, path: '/metrics', mediaType: 'text/plain; version=0.0.4; charset=utf-8' }
    return {
      api: {},
      routes: metricsRoutes(metrics, token),
      listeners: port === undefined ? [] : [{ ...listener, port, read: metrics.text }],
      prepare: async () => {
        if (port !== undefined || token !== undefined) await metrics.start()
      },
    }
  },
})
