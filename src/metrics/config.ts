import { z } from 'zod'

export const metricsConfig = z
  .strictObject({
    port: z
      .int()
      .min(0)
      .max(65535)
      .optional()
      .describe(
        'Serves /metrics on a port of its own, without a token: keep it inside your network; 0: any free one, which the log names. Not set: no such port.',
      ),
    host: z
      .string()
      .trim()
      .min(1, 'an address; 0.0.0.0 means all of this machine')
      .default('127.0.0.1')
      .describe('Address to listen on with metrics.port.'),
    token: z.string().min(16, 'at least 16 characters').optional().meta({
      secret: true,
      description: 'Token for /metrics on the public address, sent as `Authorization: Bearer`. Not set: the path is not found.',
    }),
  })
  .prefault({})

export type MetricsConfig = z.output<typeof metricsConfig>
