import { z } from 'zod'
import { hourSeconds } from '../../core/time.ts'

/** Its keys of the section `admin`. */
export const impersonationSettings = {
  impersonationNeedsReason: z
    .boolean()
    .default(false)
    .describe(
      'Impersonation needs a `reason`. Off: calls without one are taken, as the admin client of Better Auth makes them, and the event says that none was given.',
    ),
  impersonationSeconds: z
    .int()
    .min(60)
    .max(hourSeconds)
    .default(hourSeconds)
    .describe('How long an impersonated session lasts at most; it is never extended.'),
}
export type ImpersonationConfig = z.output<z.ZodObject<typeof impersonationSettings>>
