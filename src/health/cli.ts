import { z } from 'zod'
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

export const healthCommands: Commands<{ readonly health: Health; readonly mail: Mail }> = (program, cli) => {
  program
    .command('doctor')
    .description('Check database, migrations and signing keys, and with --mail-to that mail goes out.')
    .option('--mail-to <address>', 'send a test mail to this address and show what the mail server answers')
    .action(async (flags: unknown) => {
      const { mailTo } = parseFlags(Doctor, flags)
      await cli.run(async ({ health, mail }) => {
        const findings = await readiness(health)
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
