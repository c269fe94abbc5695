import { z } from 'zod'

const day = 86_400

export const sessionsConfig = z
  .strictObject({
    expiresInSeconds: z
      .int()
      .min(60)
      .max(34_560_000)
      .default(7 * day)
      .describe('Life of a session since it was begun or last extended.'),
    updateAgeSeconds: z.int().min(0).default(day).describe('A session older than this is extended when it is used.'),
    freshAgeSeconds: z
      .int()
      .min(0)
      .default(day)
      .describe('How long after sign-in a session counts as fresh; 0 disables the check.'),
    shortExpiresInSeconds: z
      .int()
      .min(60)
      .default(day)
      .describe('Life of a session begun with rememberMe false; it is never extended.'),
    absoluteExpiresInSeconds: z
      .int()
      .min(60)
      .default(30 * day)
      .describe('However often it is extended, a session ends this long after sign-in.'),
  })
  .prefault({})

export type SessionsConfig = z.output<typeof sessionsConfig>
