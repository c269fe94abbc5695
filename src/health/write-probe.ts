import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../core/core.ts'
import type { Database } from '../core/db/database.ts'
import { type WriteFailure, writeFailureOf } from '../core/db/write-failure.ts'
import { tryWrite } from './diagnosis/store.ts'

/** How long to wait between two test writes, in milliseconds: after a success, and after a failure. */
const [healthyMs, failingMs] = [5_000, 1_000]
/** How long a test write may take, in milliseconds. If it only waits for a lock of another process, its result is unknown. */
const waitMs = 1_000

/**
 * Returns a function that says why the database does not accept writes. A failed write of any statement in this process counts. From time
 * to time there is also a test write, because after a failure only a test write can show that the database accepts writes again.
 */
export const createWriteProbe = ({
  database,
  transact,
  clock,
  log,
}: Pick<Core, 'transact' | 'clock' | 'log'> & { readonly database: Pick<Database, 'onFailure'> }): (() => Promise<
  WriteFailure | undefined
>) => {
  let failure: WriteFailure | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let trying: Promise<void> | undefined

  const note = (error: unknown) => {
    const found = writeFailureOf(error)
    if (found === undefined) return
    if (failure === undefined) log.error({ err: error }, 'the database does not take writes')
    failure = found
  }
  database.onFailure(note)

  const attempt = async () => {
    try {
      await transact((tx) => tryWrite(tx, clock.now(), failure !== undefined))
      if (failure !== undefined) log.info('the database takes writes again')
      failure = undefined
    } catch (error) {
      // Any other error, such as a missing table or a lock, is found by other checks.
      note(error)
    }
    triedAt = performance.now()
    trying = undefined
  }

  return async () => {
    if (performance.now() - triedAt >= (failure === undefined ? healthyMs : failingMs)) trying ??= attempt()
    if (trying !== undefined) await Promise.race([trying, pause(waitMs, undefined, { ref: false })])
    return failure
  }
}
