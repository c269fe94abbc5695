import { z } from 'zod'
import type { Backups } from '../backup/index.ts'
import type { Renewals } from '../billing/index.ts'
import { AppError } from '../core/errors.ts'
import { emailFlag, parseFlags } from '../core/terminal.ts'
import type { Commands } from '../feature.ts'
import type { Mail } from '../mail/index.ts'
import type { MasterSecrets } from '../secrets/index.ts'
import { healthErrors } from './errors.ts'
import type { Health } from './service.ts'

const Doctor = z.object({ mailTo: emailFlag.optional() })

type Finding = Readonly<Record<'check' | 'result', string>>

interface Needs {
  readonly health: Health
  readonly mail: Mail
  readonly billing?: { readonly renewals: Pick<Renewals, 'countOverdue' | 'listOverdue'> }
  readonly masterSecrets: MasterSecrets
  readonly backups?: Pick<Backups, 'problem'>
  /** What is allowed by the configuration but unwise. */
  readonly warnings: readonly string[]
}

const namedRenewals = 5

const secretFinding = async (masterSecrets: MasterSecrets): Promise<Finding> => {
  const counts = await masterSecrets.count()
  const sum = (state: string) => counts.reduce((all, one) => all + (one.state === state ? one.count : 0), 0)
  const shown = counts.flatMap(({ state, column, count }) => (state === 'unknown' ? [`${column}: ${count}`] : []))
  const result =
    sum('unknown') > 0
      ? `FAILED: ${sum('unknown')} values are sealed with a secret that is not configured (${shown.join(', ')}); put it back behind the others`
      : sum('older') > 0
        ? `WARNING: ${sum('older')} values are sealed with an older secret; run: gatehouse reencrypt`
        : 'ok'
  return { check: 'masterSecret', result }
}

const readiness = async (health: Health): Promise<Finding[]> => {
  try {
    return (await health.ready()).map((check) => ({ check, result: 'ok' }))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return (error.issues ?? []).map(({ path, message }) => ({ check: path, result: `FAILED: ${message}` }))
  }
}

/** Subscriptions that will end, or have ended, because no renewal was received. */
const renewalFinding = async ({ renewals }: NonNullable<Needs['billing']>): Promise<Finding> => {
  const customers = await renewals.countOverdue()
  if (customers === 0) return { check: 'renewals', result: 'ok' }
  const { subscriptions, next } = await renewals.listOverdue(namedRenewals)
  const names = subscriptions.map(({ id, customerId }) => `${id} of ${customerId}`).join(', ')
  return { check: 'renewals', result: `WARNING: never heard for ${customers} customers: ${names}${next === null ? '' : ', …'}` }
}

export const healthCommands: Commands<Needs> = (program, cli) => {
  program
    .command('doctor')
    .inGroup('Start and run')
    .description(
      'Check database, migrations, signing keys, master secret and configuration, name subscriptions whose renewal was never heard, say whether the last backup is good and young, and with --mail-to check that mail goes out.',
    )
    .option('--mail-to <address>', 'send a test mail to this address and show what the mail server answers')
    .examples('doctor', 'doctor --mail-to ada@example.com', 'doctor -o json')
    .action(async (flags: unknown) => {
      const { mailTo } = parseFlags(Doctor, flags)
      await cli.run(async ({ health, mail, billing, masterSecrets, backups, warnings }) => {
        const findings = await readiness(health)
        // Without its tables there is nothing to read.
        const isReadable = !findings.some(({ check, result }) => check !== 'signingKeys' && result.startsWith('FAILED'))
        if (isReadable) findings.push(await secretFinding(masterSecrets))
        if (isReadable && billing !== undefined) findings.push(await renewalFinding(billing))
        if (isReadable && backups !== undefined) {
          const problem = await backups.problem()
          findings.push({ check: 'lastBackup', result: problem === undefined ? 'ok' : `WARNING: ${problem}` })
        }
        for (const warning of warnings) findings.push({ check: 'configuration', result: `WARNING: ${warning}` })
        if (mailTo !== undefined) {
          const { accepted, answer } = await mail.sendTest(mailTo)
          findings.push({ check: 'mail', result: accepted ? answer : `FAILED: ${answer}` })
        }
        const failed = findings.filter(({ result }) => result.startsWith('FAILED'))
        if (failed.length === 0) return { json: findings, rows: findings }
        const message = ['Not everything is in order:', ...failed.map(({ check, result }) => `  ${check}: ${result}`)].join('\n')
        throw healthErrors.error('NOT_READY', {
          message,
          issues: failed.map(({ check, result }) => ({ path: check, message: result })),
        })
      })
    })
}
