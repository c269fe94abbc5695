import type { Database } from '../core/db/database.ts'
import { type MigrationList, type MigrationStatus, migrationStatus } from '../core/db/migrate.ts'
import type { Issue } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { healthErrors } from './contract.ts'

export interface Health {
  /** Returns the names of the checks, if all of them passed. Throws NOT_READY with the names of the failed checks. */
  ready(): Promise<readonly string[]>
  /** Makes this node report "not ready" from now on, because it is shutting down. */
  drain(): void
}

interface Deps {
  readonly database: Database
  readonly migrations: MigrationList
  readonly log: Log
  readonly isSigningKeyPresent: () => Promise<boolean>
  /** Says why the database does not accept writes. Undefined if it accepts them. */
  readonly writeFailure: () => Promise<string | undefined>
}

const checkMs = 3_000

/** Rejects if a check takes longer than load balancers usually wait. */
const inTime = async <T>(work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), checkMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

export const createHealth = ({ database, migrations, log, isSigningKeyPresent, writeFailure }: Deps): Health => {
  let draining = false
  /** Each check returns a problem, or undefined. The cause of a problem is only logged, because the endpoint is public. */
  const checksOf = (status: Promise<MigrationStatus>): Readonly<Record<string, () => Promise<string | undefined>>> => ({
    serving: async () => (draining ? 'shutting down' : undefined),
    database: async () => {
      await status
      return undefined
    },
    migrations: async () => {
      const { pending } = await status
      return pending.length === 0 ? undefined : `${pending.length} pending`
    },
    // This check runs after the check that reads, so that a node which has just started needs only one connection.
    writes: async () => {
      await status.catch(() => undefined)
      return writeFailure()
    },
    signingKeys: async () => ((await isSigningKeyPresent()) ? undefined : 'none'),
  })
  const run = async (path: string, check: () => Promise<string | undefined>): Promise<Issue | undefined> => {
    try {
      const message = await inTime(check())
      return message === undefined ? undefined : { path, message }
    } catch (err) {
      log.warn({ err, check: path }, 'readiness check failed')
      return { path, message: 'failed' }
    }
  }
  return {
    ready: async () => {
      const checks = checksOf(migrationStatus(database, migrations))
      const results = await Promise.all(Object.entries(checks).map(([path, check]) => run(path, check)))
      const issues = results.filter((issue) => issue !== undefined)
      if (issues.length > 0) throw healthErrors.error('NOT_READY', { issues })
      return Object.keys(checks)
    },
    drain: () => {
      draining = true
    },
  }
}
