import { z } from 'zod'
import { type CheckResult, type Severity, severities } from '../core/checks.ts'
import { emailFlag, parseFlags } from '../core/terminal.ts'
import type { Commands } from '../feature.ts'
import type { Mail } from '../mail/index.ts'
import { healthErrors } from './contract.ts'
import type { Diagnosis } from './diagnosis/service.ts'

const Doctor = z.object({ mailTo: emailFlag.optional(), all: z.boolean() })

interface Needs {
  readonly diagnosis: Diagnosis
  readonly mail: Mail
}

type Result = Omit<CheckResult, 'code' | 'values'>

/** The name of the check that `--mail-to` adds. */
const mailServer = 'mail-server'

/** The lines that describe a finding. They are not wrapped, so that a command in the remedy can be copied. */
const describeFinding = ({ check, severity, message, remedy }: Result): readonly string[] => [
  `${severity}: ${check}: ${message}`,
  ...(remedy === null ? [] : [`    ${remedy}`]),
]

const bySeverity = (results: readonly Result[], severity: Severity) => results.filter((result) => result.severity === severity)

/**
 * The output for people. Findings come first, the most serious at the top. Then come the checks that passed: all their names with
 * `isAll`, otherwise only their number.
 */
const describeResults = (results: readonly Result[], isAll: boolean): string => {
  const findings = severities.toReversed().flatMap((severity) => (severity === 'ok' ? [] : bySeverity(results, severity)))
  const passed = bySeverity(results, 'ok')
  return [
    ...findings.flatMap(describeFinding),
    // With `--mail-to`, the response of the mail server is always shown.
    ...(isAll ? [] : passed.filter(({ check }) => check === mailServer).flatMap(describeFinding)),
    `${passed.length} ${passed.length === 1 ? 'check' : 'checks'} passed${isAll ? ':' : ''}`,
    ...(isAll ? passed.map(({ check, message }) => `    ${check}${message === '' ? '' : `: ${message}`}`) : []),
  ].join('\n')
}

export const healthCommands: Commands<Needs> = (program, cli) => {
  program
    .command('doctor')
    .inGroup('Start and run')
    .answersFromConfiguration()
    .description(
      'Check the installation and list everything that needs attention, with severity and remedy: database, keys, secrets, mail, deliveries, backups, clock, disk and configuration. With --mail-to also try the mail server. Exits with 3 when something keeps gatehouse from working.',
    )
    .option('--mail-to <address>', 'send a test mail to this address and show the answer of the mail server')
    .option('--all', 'name the checks that found nothing, too', false)
    .examples('doctor', 'doctor --all', 'doctor --mail-to ada@example.com', 'doctor -o json')
    .action(async (flags: unknown) => {
      const { mailTo, all } = parseFlags(Doctor, flags)
      await cli.run(async ({ diagnosis, mail }) => {
        const results = (await diagnosis.run()).map(({ code: _, values: __, ...result }): Result => result)
        if (mailTo !== undefined) {
          const { accepted, answer } = await mail.sendTest(mailTo)
          const remedy = accepted ? null : 'correct GATEHOUSE_SMTP_URL for the mail server'
          results.push({ check: mailServer, severity: accepted ? 'ok' : 'failed', message: answer, remedy })
        }
        const failed = bySeverity(results, 'failed')
        const text = describeResults(results, all)
        if (failed.length === 0) return { json: results, text }
        throw healthErrors.error('NOT_READY', {
          message: `Not everything is in order:\n${text}`,
          issues: failed.map(({ check, message, remedy }) => ({
            path: check,
            message: remedy === null ? message : `${message}: ${remedy}`,
          })),
        })
      })
    })
}
