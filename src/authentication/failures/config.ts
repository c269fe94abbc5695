import { z } from 'zod'

export const signInsConfig = z
  .strictObject({
    keepDays: z
      .int()
      .min(1)
      .max(365)
      .default(30)
      .describe('Days for which failed attempts to sign in are kept, for `gatehouse explain-sign-in`.'),
    mostKept: z.int().min(1000).default(100_000).describe('Failed attempts kept in all; beyond it the oldest go.'),
    perPersonHourly: z
      .int()
      .min(5)
      .max(1000)
      .default(30)
      .describe(
        'Failed attempts for one address or application from one network that a node keeps in an hour. The rest is only counted.',
      ),
    perNetworkHourly: z
      .int()
      .min(10)
      .max(10_000)
      .default(300)
      .describe(
        'Failed attempts from one network that a node keeps in an hour: as many for addresses with an account, and as many for others. The rest is only counted.',
      ),
  })
  .prefault({})

export type SignInsConfig = z.output<typeof signInsConfig>
