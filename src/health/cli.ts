import { z } from 'zod'
import type { Renewals } from '../billing/index.ts'
import { AppError } from '../core/errors.ts'
import { parseFlags } from '../core/terminal.ts'
import type { Commands } from '../feature.ts'
import type { Mail } from '../mail/index.ts'
import { healthErrors } from './errors.ts'
import type { Health } from './service.ts'

const Doctor = z.object({ mailTo: z.email().optional() })

type Finding = Readonly<Record<'check' | 'result', string>>

const readiness = async (health: Health): Promise<Finding[]> => {
  try {
    return (await health.ready()).map((check) => ({ check, result: 'ok' }))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return (error.issues ?? []).map(({ path, message }) => ({ check: path, result: `FAILED: ${message}` }))
  }
}

interface HealthNeeds {
  readonly health: Health
  readonly mail: Mail
  readonly billing: { readonly renewals: Pick<Renewals, 'countOverdue' | 'listOverdue'> }
}

const namedRenewals = 5

/** Subscriptions that will end, or have, because no renewal was heard. */
const renewalFinding = async ({ renewals }: HealthNeeds['billing']): Promise<Finding> => {
  const customers = await renewals.countOverdue()
  if (customers === 0) return { check: 'renewals', result: 'ok' }
  const { subscriptions, next } = await renewals.listOverdue(namedRenewals)
  const names = subscriptions.map(({ id, customerId }) => `${id} of ${customerId}`).join(', ')
  return { check: 'renewals', result: `WARNING: never heard for ${customers} customers: ${names}${next === null ? '' : ', …'}` }
}

export const healthCommands: Commands<HealthNeeds> = (program, cli) => {
  program
    .command('doctor')
    .description(
      'Check database, migrations and signing keys, name subscriptions whose renewal was never heard, and with --mail-to check that mail goes out.',
    )
    .option('--mail-to <address>', 'send a test mail to this address and show what the mail server answers')
    .action(async (flags: unknown) => {
      const { mailTo } = parseFlags(Doctor, flags)
      await cli.run(async ({ health, mail, billing }) => {
        const findings = await readiness(health)
        // Without its tables there is nothing to ask.
        if (!findings.some(({ result }) => result.startsWith('FAILED'))) findings.push(await renewalFinding(billing))
        if (mailTo !== undefined) {
          const { accepted, answer } = await mail.sendTest(mailTo)
          findings.push({ check: 'mail', result: accepted ? answer : `FAILED: ${answer}` })
        }
        const failed = findings.filter(({ result }) => result.startsWith('FAILED'))
        if (failed.length === 0) return { json: findings, rows: findings }
        const message = ['Not everything is in order:', ...failed.map(({ check, result }) => `  ${check}: ${result}`)].join('\n')
        throw healthErrors.refuse('NOT_READY', {
          message,
          issues: failed.map(({ check, result }) => ({ path: check, message: result })),
        })
      })
    })
}
