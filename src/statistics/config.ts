import { z } from 'zod'

export const statisticsConfig = z
  .strictObject({
    keepDays: z
      .int()
      .min(90)
      .max(3650)
      .default(800)
      .describe('Days for which the numbers of each day are kept that the console shows as charts.'),
  })
  .prefault({})

export type StatisticsConfig = z.output<typeof statisticsConfig>
