import { type Check, defineFindings } from '../core/checks.ts'
import type { Backups } from './service.ts'

const remedy = '{command} makes one now; backup.directory sets a schedule'
const findings = defineFindings({
  'backup-failed': { message: 'The last backup failed at {at}: {why}', remedy },
  'backup-missing': { message: 'No backup was ever made', remedy },
  'backup-old': { message: 'The last backup is of {at}', remedy },
})

/** A backup that is missing, old or failed. `command` makes one. */
export const backupCheck = (backups: Pick<Backups, 'problem'>, command: () => string): Check => ({
  name: 'backup',
  texts: findings.texts,
  run: async () => {
    const problem = await backups.problem()
    if (problem === undefined) return []
    const { code, ...values } = problem
    return [findings.found('warning', code, { ...values, command: command() })]
  },
})
