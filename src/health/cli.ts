import { z } from 'zod'
import type { CheckResult } from '../core/checks.ts'
import { emailFlag, parseFlags } from '../core/terminal.ts'
import type { Commands } from '../feature.ts'
import type { Mail } from '../mail/index.ts'
import type { Diagnosis } from './diagnosis/service.ts'
import { healthErrors } from './errors.ts'

const Doctor = z.object({ mailTo: emailFlag.optional() })

interface Needs {
  readonly diagnosis: Diagnosis
  readonly mail: Mail
}

const shown = ({ check, severity, message, remedy }: Omit<CheckResult, 'code' | 'values'>) =>
  `  ${check}: ${message}${remedy === null ? '' : ` (${remedy})`}${severity === 'failed' ? '' : ` [${severity}]`}`

export const healthCommands: Commands<Needs> = (program, cli) => {
  program
    .command('doctor')
    .inGroup('Start and run')
    .answersFromConfiguration()
    .description(
      'Say what needs a person, how much it matters and what mends it: database, keys, secrets, mail, deliveries, backups, clock, disk and configuration. With --mail-to also try the mail server. Exits with 3 when something keeps gatehouse from working.',
    )
    .option('--mail-to <address>', 'send a test mail to this address and show what the mail server answers')
    .examples('doctor', 'doctor --mail-to ada@example.com', 'doctor -o json')
    .action(async (flags: unknown) => {
      const { mailTo } = parseFlags(Doctor, flags)
      await cli.run(async ({ diagnosis, mail }) => {
        const results = (await diagnosis.run()).map(({ code: _, values: __, ...result }) => result)
        if (mailTo !== undefined) {
          const { accepted, answer } = await mail.sendTest(mailTo)
          const remedy = accepted ? null : 'set GATEHOUSE_SMTP_URL to what the mail server expects'
          results.push({ check: 'mail-server', severity: accepted ? 'ok' : 'failed', message: answer, remedy })
        }
        const failed = results.filter(({ severity }) => severity === 'failed')
        if (failed.length === 0)
          return { json: results, rows: results.map((result) => ({ ...result, remedy: result.remedy ?? '' })) }
        const other = results.filter(({ severity }) => severity === 'warning' || severity === 'notice')
        throw healthErrors.error('NOT_READY', {
          message: ['Not everything is in order:', ...[...failed, ...other].map(shown)].join('\n'),
          issues: failed.map(({ check, message, remedy }) => ({
            path: check,
            message: remedy === null ? message : `${message}: ${remedy}`,
          })),
        })
      })
    })
}
