import { type Base, defineFeature } from '../feature.ts'
import { type MetricsConfig, metricsConfig } from './config.ts'
import { metricsErrors } from './errors.ts'
import { declareGauges } from './gauges.ts'
import { metricsRoutes } from './routes.ts'

/** Serves the metrics of this node: on a port of their own, on the public address with a token, or not at all. */
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
