import type { Check } from '../core/checks.ts'
import type { Backups } from './service.ts'

/** A backup that is missing, old or failed. */
export const backupCheck = (backups: Pick<Backups, 'problem'>): Check => ({
  name: 'backup',
  run: async () => {
    const problem = await backups.problem()
    return problem === undefined ? [] : [{ severity: 'warning', ...problem }]
  },
})
