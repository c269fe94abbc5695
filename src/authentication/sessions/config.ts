import { z } from 'zod'
import { daySeconds, hourSeconds } from '../../core/time.ts'

export const sessionsConfig = z
  .strictObject({
    expiresInSeconds: z
      .int()
      .min(60)
      .max(34_560_000)
      .default(7 * daySeconds)
      .describe('Life of a session since it started or was last extended.'),
    updateAgeSeconds: z.int().min(0).default(daySeconds).describe('A session older than this is extended when it is used.'),
    freshAgeSeconds: z
      .int()
      .min(0)
      .default(daySeconds)
      .describe('How long after sign-in a session counts as fresh; 0 disables the check.'),
    shortExpiresInSeconds: z
      .int()
      .min(60)
      .default(daySeconds)
      .describe('Life of a session started with rememberMe false; it is never extended.'),
    absoluteExpiresInSeconds: z
      .int()
      .min(60)
      .default(30 * daySeconds)
      .describe('However often it is extended, a session ends this long after sign-in.'),
    lastUseSeconds: z
      .int()
      .min(60)
      .default(hourSeconds)
      .describe('How exactly the time of the last use is stored: it is written at most this often.'),
    cookieCacheSeconds: z
      .int()
      .min(0)
      .max(60)
      .default(0)
      .describe(
        'How long a browser may answer get-session from a signed cookie instead of the database; 0: never. ' +
          'A session ended elsewhere is then still shown for so long, and can do nothing any more.',
      ),
    cookieCacheVersion: z.int().min(0).default(1).describe('Raise it to void all such cookies at once.'),
  })
  .prefault({})

export type SessionsConfig = z.output<typeof sessionsConfig>
