import { z } from 'zod'
import { daySeconds } from '../core/time.ts'

const tenYears = 3_650 * daySeconds
const keys = (count: number) => z.int().min(1).max(10_000).default(count)

export const apiKeysConfig = z
  .strictObject({
    personalEnabled: z
      .boolean()
      .default(true)
      .describe('Whether users may have API keys of their own. When off, existing keys of users do not work.')
      .meta({ weakened: 'on' }),
    limitPerUser: keys(50).describe('Most API keys of one person.').meta({ weakened: 'never' }),
    limitPerOrganization: keys(100).describe('Most API keys of one organization.').meta({ weakened: 'never' }),
    limitOfInstance: keys(1_000).describe('Most API keys of the instance itself.').meta({ weakened: 'never' }),
    expiresInSeconds: z
      .int()
      .min(60)
      .max(tenYears)
      .nullable()
      .default(365 * daySeconds)
      .describe('Default life of an API key; null is no end.')
      .meta({ weakened: 'higher' }),
    longestExpiresInSeconds: z
      .int()
      .min(60)
      .max(tenYears)
      .nullable()
      .default(null)
      .describe('Longest life that an API key can be given; null is no bound, and a key may have no end.')
      .meta({ weakened: 'higher' }),
    overlapSeconds: z
      .int()
      .min(0)
      .max(90 * daySeconds)
      .default(daySeconds)
      .describe('Default time for which the previous secret of a rotated API key works beside the new one.')
      .meta({ weakened: 'higher' }),
    requestsPerMinute: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(600)
      .describe('Requests of one API key in a minute, where limits apply and the key has no limit of its own.')
      .meta({ weakened: 'higher' }),
  })
  .superRefine(({ expiresInSeconds, longestExpiresInSeconds: longest }, context) => {
    if (longest !== null && (expiresInSeconds === null || expiresInSeconds > longest))
      context.addIssue({
        code: 'custom',
        path: ['expiresInSeconds'],
        message: `at most apiKeys.longestExpiresInSeconds, which is ${longest}`,
      })
  })
  .prefault({})

export type ApiKeysConfig = z.output<typeof apiKeysConfig>
