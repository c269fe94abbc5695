import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../core.ts'
import { isConflict, isPostgres, isUnavailable, type Tx } from './database.ts'

/** Largest number of units that one batch (a statement or transaction) contains. */
const largestBatch = 50

interface Waiter<Unit, Result> {
  readonly unit: Unit
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface Pace<Unit> {
  /** Largest number of batches that run at the same time. */
  readonly concurrency: number
  /** The names of the locks that a unit needs. A unit waits until no running batch needs one of its locks. */
  readonly keysOf: (unit: Unit) => readonly string[]
  /** While a batch is running, a second one starts as soon as this many units wait. 1 when absent. */
  readonly startAt?: number
  /** Pause after a batch of several units, in milliseconds, like PostgreSQL's `commit_delay`. When absent: no pause. */
  readonly delayMs?: number
}

/**
 * A queue of units of work. If no batch is running, a unit starts at once. Units that arrive while a batch is running form the next
 * batch. `run` resolves or rejects every unit of its batch.
 */
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
      // Clients that just got an answer will soon send their next requests. The pause lets these requests form one batch. Without it, the
      // first of them would get a batch of its own.
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

/** Reads one key. It sees at least everything that was committed before the call. */
export type BatchedRead<Value> = (key: string) => Promise<Value | undefined>

/**
 * Combines reads of single keys. Keys that are requested while a statement runs are read together by the next statement, because a
 * statement costs much more than a row. If the database cannot be reached, all waiting reads fail at once: a further attempt would wait
 * just as long and fail, too. After any other error each key is read alone, so that only the key that caused the error fails.
 */
export const createBatchedRead = <Value>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): BatchedRead<Value> => {
  /** Reads a batch of keys. Returns false if the database could not be reached. */
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
  /** True if `work` for these units is a single statement, which then runs without a transaction. When absent: a transaction is always used. */
  readonly isOneStatement?: (units: readonly Unit[], isAlone: boolean) => boolean
  /**
   * Writes the units and returns their results in order. If a unit would wait for a lock, or cannot be written together with others, its
   * result is undefined. Then `work` is called again for that unit alone, with `isAlone`.
   */
  readonly work: (tx: Tx, units: readonly Unit[], isAlone: boolean) => Promise<readonly (Result | undefined)[]>
}

/** Resolves when the unit is committed, possibly together with other units. Rejects with the error of `work` for this unit. */
export type GroupCommit<Unit, Result> = (unit: Unit) => Promise<Result>

/**
 * Combines units into transactions: units that wait while a transaction runs are written together by the next one. If a batch fails, each
 * of its units is repeated alone, while other batches go on. So only the unit that caused the failure fails, and a unit that waits for a
 * lock does not delay others.
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
      // True if the transaction was certainly rolled back: `work` threw, or the database reported a conflict. If the commit failed for
      // another reason, it may have succeeded, so the units are not repeated.
      const isRolledBack = error === thrown || isConflict(error)
      if (batch.length > 1 && isRolledBack && !isAway) for (const waiter of batch) void run([waiter], true)
      else for (const { reject } of batch) reject(error)
      if (isAway) queue.rejectWaiting(error)
    }
  }

  // On SQLite one batch runs at a time, because SQLite writes only one transaction at a time.
  const queue = createQueue<Unit, Result>({ ...options, concurrency: isPostgres(db) ? options.concurrency : 1 }, run)
  return queue.add
}
