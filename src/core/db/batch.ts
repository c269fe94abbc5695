import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../core.ts'
import { isConflict, isPostgres, isUnavailable, type Tx } from './database.ts'

/** Largest number of units in a statement or transaction. */
const largestBatch = 50

interface Waiter<Unit, Result> {
  readonly unit: Unit
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface Pace<Unit> {
  /** Number of batches that run at the same time. */
  readonly concurrency: number
  /** Units that would wait for the same locks share a key. A unit waits until no running batch has one of its keys. */
  readonly keysOf: (unit: Unit) => readonly string[]
  /** Number of waiting units from which another batch starts beside a running one. 1 when absent. */
  readonly startAt?: number
  /** Pause after a batch of several units, like PostgreSQL's `commit_delay`. No pause when absent. */
  readonly delayMs?: number
}

/** Collects the work that arrives during a batch for the next batch. If no batch runs, work starts at once. `run` settles every waiter. */
const createQueue = <Unit, Result>(
  { concurrency, keysOf, startAt = 1, delayMs = 0 }: Pace<Unit>,
  run: (batch: readonly Waiter<Unit, Result>[]) => Promise<void>,
) => {
  let running = 0
  let waiting: Waiter<Unit, Result>[] = []
  const busy = new Set<string>()

  const nextBatch = (): readonly Waiter<Unit, Result>[] => {
    const batch = waiting.filter(({ unit }) => !keysOf(unit).some((key) => busy.has(key))).slice(0, largestBatch)
    const chosen = new Set(batch)
    waiting = waiting.filter((waiter) => !chosen.has(waiter))
    return batch
  }
  const flush = async () => {
    running += 1
    for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      const keys = batch.flatMap(({ unit }) => keysOf(unit))
      for (const key of keys) busy.add(key)
      await run(batch)
      for (const key of keys) busy.delete(key)
      // Clients that got an answer soon send the next request. The pause collects these requests in one batch; otherwise the first of
      // them would get a batch of its own.
      if (delayMs > 0 && batch.length > 1 && waiting.length < largestBatch) await pause(delayMs)
    }
    running -= 1
  }
  return {
    add: (unit: Unit): Promise<Result> =>
      new Promise((resolve, reject) => {
        waiting.push({ unit, resolve, reject })
        if (running === 0 || (running < concurrency && waiting.length >= startAt)) void flush()
      }),
    rejectWaiting: (error: unknown) => {
      for (const { reject } of waiting.splice(0)) reject(error)
    },
  }
}

/** Reads one key from the state of the database after the call started. */
export type BatchedRead<Value> = (key: string) => Promise<Value | undefined>

/**
 * Collects the keys that are requested while a statement runs. The next statement reads all of them, because a statement costs much more
 * than a row. If the database cannot be reached, all waiting reads fail at once: another attempt would wait just as long for the same
 * error. After any other error each key is read alone, so that only its cause fails.
 */
export const createBatchedRead = <Value>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): BatchedRead<Value> => {
  /** False when the database could not be reached. */
  const run = async (batch: readonly Waiter<string, Value | undefined>[]): Promise<boolean> => {
    const keys = [...new Set(batch.map(({ unit }) => unit))]
    try {
      const found = await read(keys)
      for (const { unit, resolve } of batch) resolve(found.get(unit))
    } catch (error) {
      const isAway = isUnavailable(error)
      if (keys.length > 1 && !isAway) {
        for (const [i, key] of keys.entries()) {
          const isReached = await run(batch.filter(({ unit }) => unit === key))
          if (isReached) continue
          const left = new Set(keys.slice(i + 1))
          for (const { unit, reject } of batch) if (left.has(unit)) reject(error)
          return false
        }
        return true
      }
      for (const { reject } of batch) reject(error)
      if (isAway) queue.rejectWaiting(error)
      return !isAway
    }
    return true
  }
  const queue = createQueue<string, Value | undefined>(
    { concurrency: 1, keysOf: () => [] },
    async (batch) => void (await run(batch)),
  )
  return queue.add
}

interface GroupCommitOptions<Unit, Result> extends Pace<Unit>, Pick<Core, 'db' | 'transact' | 'single'> {
  /** True if the work for these units is a single statement, which needs no transaction. When absent: it never is. */
  readonly isOneStatement?: (units: readonly Unit[], isAlone: boolean) => boolean
  /**
   * Writes the units and returns their results in order. Returns undefined for a unit that would wait for a lock or cannot be written
   * with others. Such a unit is passed again alone, with `isAlone`.
   */
  readonly work: (tx: Tx, units: readonly Unit[], isAlone: boolean) => Promise<readonly (Result | undefined)[]>
}

/** Resolves after the unit is committed, alone or with others. Rejects with the error of the unit's own `work`. */
export type GroupCommit<Unit, Result> = (unit: Unit) => Promise<Result>

/**
 * Collects the units that wait while a transaction runs, and writes them in the next one. If a batch fails, each of its units is repeated
 * alone, beside the batches. So only the cause fails, and a unit that waits for a lock does not delay others.
 */
export const createGroupCommit = <Unit, Result>(options: GroupCommitOptions<Unit, Result>): GroupCommit<Unit, Result> => {
  const { db, transact, single, isOneStatement, work } = options

  const run = async (batch: readonly Waiter<Unit, Result>[], isAlone = false): Promise<void> => {
    const units = batch.map(({ unit }) => unit)
    let thrown: unknown
    try {
      const commit = isOneStatement?.(units, isAlone) === true ? single : transact
      const results = await commit((tx) =>
        work(tx, units, isAlone).catch((error: unknown) => {
          thrown = error
          throw error
        }),
      )
      for (const [i, waiter] of batch.entries()) {
        const result = results[i]
        if (result === undefined) void run([waiter], true)
        else waiter.resolve(result)
      }
    } catch (error) {
      const isAway = isUnavailable(error) && !isConflict(error)
      // If the work threw, the transaction was rolled back. A commit that failed for another reason may have succeeded, so it is not
      // repeated.
      const isRolledBack = error === thrown || isConflict(error)
      if (batch.length > 1 && isRolledBack && !isAway) for (const waiter of batch) void run([waiter], true)
      else for (const { reject } of batch) reject(error)
      if (isAway) queue.rejectWaiting(error)
    }
  }

  // SQLite writes only one transaction at a time.
  const queue = createQueue<Unit, Result>({ ...options, concurrency: isPostgres(db) ? options.concurrency : 1 }, run)
  return queue.add
}
