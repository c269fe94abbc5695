import { can } from '../../access/can.ts'
import { mentionsIn, type Names } from '../../access/names.ts'
import type { Principal } from '../../access/principal.ts'
import { type Check, type CheckResult, runChecks } from '../../core/checks.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { AppError, coreErrors } from '../../core/errors.ts'
import type { Remedies } from '../../core/remedies.ts'
import type { Health } from '../service.ts'
import * as store from './store.ts'

/** Runs all checks: first whether the instance can serve requests, then the checks of all features. */
export interface Diagnosis {
  run(): Promise<readonly CheckResult[]>
  /** Returns the results of all checks, for the admin API. Throws FORBIDDEN. */
  runFor(principal: Principal): Promise<readonly DatedResult[]>
  /** Stores the current findings, and since when each of them exists. Calls no other server. */
  note(): Promise<void>
}

const nameResults = (names: Names, principal: Principal, results: readonly CheckResult[]) =>
  names.add(principal, results, ({ values }) => ({ mentions: mentionsIn(values) }))

/** The result of a check, with the time when the finding first appeared. */
export interface DatedResult extends CheckResult {
  readonly mentions: Awaited<ReturnType<typeof nameResults>>[number]['mentions']
  readonly since: Date | null
}

/** If no node has seen a finding for this many seconds, the problem is solved. Nodes can find different problems. */
const forgottenSeconds = 3_600

/**
 * The id under which a finding is stored. Numbers in the message are ignored, so that "2 tasks are dead" and "3 tasks are dead" are one
 * finding.
 */
const idOf = ({ check, message }: CheckResult) => sha256(`${check} ${message.replace(/\d+/g, '#')}`)

/** True for the two checks that have to pass before any check can read the database. */
const isOfTables = (check: string) => check === 'database' || check === 'migrations'

const remediesFor = ({ migrate, serve }: Remedies): Readonly<Record<string, string>> => ({
  database: 'see that the database runs and that GATEHOUSE_DATABASE_URL names it',
  migrations: migrate(),
  writes: 'free its disk, lead GATEHOUSE_DATABASE_URL to the primary, or end its read-only mode',
  signingKeys: `start the daemon: ${serve()} makes them`,
})

const readiness = async (health: Health, remedies: Remedies): Promise<readonly CheckResult[]> => {
  try {
    return (await health.ready()).map((check) => ({ check, severity: 'ok', message: '', remedy: null, code: null, values: {} }))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return (error.issues ?? []).map(({ path, message }) => ({
      check: path,
      severity: 'failed',
      message,
      remedy: remediesFor(remedies)[path] ?? null,
      code: null,
      values: {},
    }))
  }
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'remedies'> {
  readonly names: Names
  readonly health: Health
  /** Findings that only a daemon can make. Other processes, such as `doctor`, read them from the database. */
  readonly ofDaemon: readonly CheckResult[]
  readonly checks: () => readonly Check[]
}

export const createDiagnosis = ({ db, transact, clock, remedies, names, health, ofDaemon, checks }: Deps): Diagnosis => {
  const run = async (wanted: (check: Check) => boolean = () => true) => {
    const ready = await readiness(health, remedies)
    // If one of these checks has failed, the tables cannot be read.
    const isReadable = !ready.some(({ check, severity }) => isOfTables(check) && severity === 'failed')
    return isReadable ? [...ready, ...(await runChecks(checks().filter(wanted)))] : ready
  }
  /** Adds the findings that daemons have stored recently, for checks that this process cannot make itself. */
  const withNoted = async (results: readonly CheckResult[]) => {
    const open = ofDaemon.filter(({ check }) => results.some((result) => result.check === check && result.severity === 'ok'))
    if (open.length === 0) return results
    const noted = await store.listSince(db, open.map(idOf))
    const found = new Map(open.filter((result) => noted.has(idOf(result))).map((result) => [result.check, result]))
    return results.map((result) => found.get(result.check) ?? result)
  }
  return {
    run: async () => withNoted(await run()),
    runFor: async (principal) => {
      if (!can(principal, 'health:read')) throw coreErrors.error('FORBIDDEN')
      const results = await run()
      const open = results.filter(({ severity }) => severity !== 'ok').map(idOf)
      // If one of these checks has failed, the tables cannot be read.
      const isReadable = !results.some(({ check, severity }) => isOfTables(check) && severity === 'failed')
      const since = isReadable && open.length > 0 ? await store.listSince(db, open) : new Map<string, Date>()
      const named = isReadable ? await nameResults(names, principal, results) : results.map((one) => ({ ...one, mentions: [] }))
      return named.map((result) => ({ ...result, since: since.get(idOf(result)) ?? null }))
    },
    note: async () => {
      const now = clock.now()
      const found = await run(({ asksElsewhere }) => asksElsewhere !== true)
      const open = found.filter(({ severity }) => severity !== 'ok')
      const ids = [...new Set(open.map(idOf))].sort()
      await transact(async (tx) => {
        if (ids.length > 0)
          await store.noteFindings(
            tx,
            ids.map((id) => ({ id, since: now, seenAt: now })),
          )
        await store.deleteFindings(tx, clock.after(-forgottenSeconds))
      })
    },
  }
}
