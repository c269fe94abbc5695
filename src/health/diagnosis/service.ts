import { can } from '../../access/can.ts'
import type { Principal } from '../../access/principal.ts'
import { type Check, type CheckResult, runChecks } from '../../core/checks.ts'
import { AppError, coreErrors } from '../../core/errors.ts'
import type { Health } from '../service.ts'

/** What needs a person: readiness first, then the checks of all features. */
export interface Diagnosis {
  run(): Promise<readonly CheckResult[]>
  /** The same for the admin API. Throws FORBIDDEN. */
  runFor(principal: Principal): Promise<readonly CheckResult[]>
}

const remedies: Readonly<Record<string, string>> = {
  database: 'see that the database runs and that GATEHOUSE_DATABASE_URL names it',
  migrations: 'gatehouse migrate',
  signingKeys: 'start the daemon: gatehouse serve makes them',
}

const readiness = async (health: Health): Promise<readonly CheckResult[]> => {
  try {
    return (await health.ready()).map((check) => ({ check, severity: 'ok', message: '', remedy: null }))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return (error.issues ?? []).map(({ path, message }) => ({
      check: path,
      severity: 'failed',
      message,
      remedy: remedies[path] ?? null,
    }))
  }
}

export const createDiagnosis = (health: Health, checks: () => readonly Check[]): Diagnosis => {
  const run = async () => {
    const ready = await readiness(health)
    // Without its tables there is nothing to read.
    const isReadable = !ready.some(({ check, severity }) => check !== 'signingKeys' && severity === 'failed')
    return isReadable ? [...ready, ...(await runChecks(checks()))] : ready
  }
  return {
    run,
    runFor: async (principal) => {
      if (!can(principal, 'health:read')) throw coreErrors.error('FORBIDDEN')
      return run()
    },
  }
}
