import { z } from 'zod'
import { daySeconds } from '../core/time.ts'

const tenYears = 3_650 * daySeconds
const keys = (count: number) => z.int().min(1).max(10_000).default(count)

export const apiKeysConfig = z
  .strictObject({
    personalEnabled: z
      .boolean()
      .default(true)
      .describe('Whether users may have API keys of their own. When off, existing keys of users do not work.'),
    limitPerUser: keys(50).describe('Most API keys of one person.'),
    limitPerOrganization: keys(100).describe('Most API keys of one organization.'),
    limitOfInstance: keys(1_000).describe('Most API keys of the instance itself.'),
    expiresInSeconds: z
      .int()
      .min(60)
      .max(tenYears)
      .nullable()
      .default(365 * daySeconds)
      .describe('Default life of an API key; null is no end.'),
    longestExpiresInSeconds: z
      .int()
      .min(60)
      .max(tenYears)
      .nullable()
      .default(null)
      .describe('Longest life that an API key can be given; null is no bound, and a key may have no end.'),
    overlapSeconds: z
      .int()
      .min(0)
      .max(90 * daySeconds)
      .default(daySeconds)
      .describe('Default time for which the previous secret of a rotated API key works beside the new one.'),
    requestsPerMinute: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(600)
      .describe('Requests of one API key in a minute, where limits apply and the key has no limit of its own.'),
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
