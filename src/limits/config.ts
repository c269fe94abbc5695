import { z } from 'zod'
import { daySeconds } from '../core/time.ts'
import { isLoopbackUrl, proofPurposes } from '../core/web.ts'

const rule = (max: number, windowSeconds: number, what = 'Requests') => ({
  max: z.int().min(1).max(100_000).default(max).describe(`${what} allowed in one window.`).meta({ weakened: 'higher' }),
  windowSeconds: z
    .int()
    .min(1)
    .max(daySeconds)
    .default(windowSeconds)
    .describe('Length of the window in seconds.')
    .meta({ weakened: 'lower' }),
})

const sharedByNetwork =
  'Sign-ins and sign-ups of one network (/24 of IPv4, /48 of IPv6), by browsers that the account does not know, and apart from them its ' +
  'requests for links by mail,'

export const limitsConfig = z
  .strictObject({
    enabled: z.enum(['auto', 'on', 'off']).default('auto').describe('auto: on, unless the public address is http on loopback.'),
    general: z.strictObject(rule(100, 10)).prefault({}),
    strict: z.strictObject(rule(3, 10)).prefault({}),
    network: z.strictObject(rule(60, 10, sharedByNetwork)).prefault({}),
    files: z.strictObject(rule(1_000, 10)).prefault({}),
    proofOfWork: z
      .strictObject({
        for: z
          .array(z.enum(proofPurposes))
          .default([])
          .describe(
            'Calls whose sender has to compute for about a second first: sign-up, reset (mails with a link for a new password), mail-sign-in. The hosted pages do it by themselves; clients of your own have to: docs/how-to/own-pages.md.',
          )
          .meta({ weakened: 'removed' }),
        difficulty: z
          .int()
          .min(1)
          .max(26)
          .default(18)
          .describe('Bits of the hash that have to be 0. 18 is about a second on a phone; each bit more doubles it.')
          .meta({ weakened: 'lower' }),
      })
      .prefault({}),
  })
  .prefault({})

export type LimitsConfig = z.output<typeof limitsConfig>

/** True if rate limits apply to a server with this public URL. */
export const limitsApply = (enabled: 'auto' | 'on' | 'off', publicUrl: string): boolean => {
  const isLocal = publicUrl.startsWith('http:') && isLoopbackUrl(publicUrl)
  return enabled === 'on' || (enabled === 'auto' && !isLocal)
}
