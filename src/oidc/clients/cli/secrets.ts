import { z } from 'zod'
import type { Core } from '../../../core/core.ts'
import { blamingFlag, parseFlags, UsageError } from '../../../core/terminal.ts'
import { daySeconds, hourSeconds } from '../../../core/time.ts'
import { plainText } from '../../../core/wire.ts'
import type { Commands } from '../../../feature.ts'
import { maxOverlapSeconds } from '../contract.ts'
import type { ClientSecrets } from '../secrets.ts'
import { secretRow } from './rows.ts'

interface Needs {
  readonly core: Pick<Core, 'remedies'>
  readonly oidc: { readonly clientSecrets: ClientSecrets }
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: hourSeconds, d: daySeconds, w: 7 * daySeconds }

/** Reads a duration such as `7d` as seconds. */
const overlap = z.string().transform((text, context) => {
  const [, amount = '', unit = ''] = /^([1-9]\d{0,8})([smhdw])$/.exec(text) ?? []
  const seconds = Number(amount) * (unitSeconds[unit] ?? 0)
  if (seconds > 0 && seconds <= maxOverlapSeconds) return seconds
  context.addIssue({ code: 'custom', message: `must be a time such as 12h or 7d, at most ${maxOverlapSeconds / daySeconds}d` })
  return z.NEVER
})

const Rotate = z.object({
  clientId: plainText(255, 1),
  overlap: overlap.optional(),
  now: z.boolean(),
  revoke: plainText(64, 1).optional(),
  secretStdin: z.boolean(),
  yes: z.boolean(),
})

/** `rotate-client-secret` prints a new secret once. If it removes a secret, it prints the list of the remaining secrets. */
export const rotateClientSecret: Commands<Needs> = (program, cli) => {
  program
    .command('rotate-client-secret')
    .inGroup('Applications')
    .description(
      'Give an application another secret. The previous secret stays valid for the time of --overlap, so that the application can be changed without an outage. An application without a secret cannot get tokens.',
    )
    .argument('<client id>', 'as list-clients shows it')
    .option(
      '--overlap <time>',
      'how long the secret before goes on counting, such as 12h or 7d (default: oidc.secretOverlapSeconds)',
    )
    .option('--now', 'end all secrets before at once: after a leak', false)
    .option('--revoke <secret id>', 'revoke this secret at once, and create none', undefined)
    .option(
      '--secret-stdin',
      'read the new secret from standard input: at least 32 random characters (default: made here)',
      false,
    )
    .option('--yes', 'do not ask before a secret ends at once', false)
    .examples(
      'rotate-client-secret shop --overlap 12h',
      'rotate-client-secret shop --now --yes --json',
      'rotate-client-secret shop --revoke 4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO',
    )
    .action(async (clientId: string, flags: object) => {
      const { overlap: overlapSeconds, now, revoke, secretStdin, yes } = parseFlags(Rotate, { ...flags, clientId })
      if (revoke !== undefined && (now || secretStdin))
        throw new UsageError('--revoke takes one secret back and makes none: pass it without --now and --secret-stdin')
      const ends = 'An application that still sends it gets no token from now on.'
      if (revoke !== undefined) {
        await cli.confirm(yes, `This takes the secret ${revoke} of ${clientId} back. ${ends}`)
        return cli.run(async ({ core, oidc }, principal) => {
          const secrets = (await oidc.clientSecrets.revoke(principal, clientId, revoke)).map(secretRow)
          const isLast = secrets.every(({ state }) => state === 'ended')
          const text = `Taken back: ${revoke}${isLast ? `\nNo secret is left: ${core.remedies.rotateClientSecret(clientId)} makes one.` : ''}`
          return {
            json: { client_id: clientId, revoked: revoke, secrets },
            text,
            sections: [{ title: 'Secrets', rows: secrets }],
          }
        })
      }
      if (now) await cli.confirm(yes, `This ends all secrets of ${clientId}. ${ends}`)
      const given = secretStdin ? await cli.readSecret('Client secret', true) : undefined
      await cli.run(async ({ oidc }, principal) => {
        const { secretId, secret, secrets } = await blamingFlag('--secret-stdin', 'CLIENT_SECRET_IS_TOO_WEAK', () =>
          oidc.clientSecrets.rotate(principal, clientId, { overlapSeconds: now ? 0 : overlapSeconds, secret: given }),
        )
        const shown = given === undefined ? { client_secret: secret } : {}
        const rows = secrets.map(secretRow)
        const { rotateClientSecret: rotate } = cli.remedies()
        const text = given === undefined ? `client_secret  ${secret}` : `The secret ${secretId} counts.`
        return {
          json: { client_id: clientId, secretId, ...shown, secrets: rows },
          ...{ text, sections: [{ title: 'Secrets', rows }] },
          done: `The new secret counts beside the one before. To replace it run: ${rotate(clientId, '--revoke', secretId, '--yes')} && ${rotate(clientId)}`,
        }
      })
    })
}
