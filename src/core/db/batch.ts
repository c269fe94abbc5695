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
  /** Batches under way at the same time. */
  readonly concurrency: number
  /** Units that would wait for the same locks share a key: a unit waits for a running batch with one of its keys. */
  readonly keysOf: (unit: Unit) => readonly string[]
  /** Number of waiting units that start a further batch beside a running one; by default 1. */
  readonly startAt?: number
  /** Pause after a batch of several units, like PostgreSQL's `commit_delay`; by default none. */
  readonly delayMs?: number
}

/** Work that arrives during a batch goes into the next one; without a batch it starts at once. `run` settles every waiter. */
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
      // Answered clients send again at once: the pause puts them into one batch, not the first of them into one of its own.
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
 * One statement reads all keys requested while another one runs, because a statement costs much more than a row. If the database cannot
 * be reached, all waiting reads fail at once: another attempt would wait as long for the same error. After other errors each key is read
 * alone, so that only the cause fails.
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
  /** True where the work for these units is a single statement, which needs no transaction; by default never. */
  readonly isOneStatement?: (units: readonly Unit[], isAlone: boolean) => boolean
  /**
   * Writes the units and returns their results in order. Undefined for a unit that would wait for a lock, or cannot be written together
   * with others; it is passed again alone, with `isAlone`.
   */
  readonly work: (tx: Tx, units: readonly Unit[], isAlone: boolean) => Promise<readonly (Result | undefined)[]>
}

/** Resolves once the unit is committed, alone or together with others; rejects with the error of its own `work`. */
export type GroupCommit<Unit, Result> = (unit: Unit) => Promise<Result>

/**
 * One transaction for the units that wait while another one runs. If a batch fails, each unit is repeated alone, beside the batches: only
 * the cause fails, and a unit that waits for a lock delays no other.
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
      // Work that threw was rolled back. A commit that failed for another reason may have succeeded: it is not repeated.
      const isRolledBack = error === thrown || isConflict(error)
      if (batch.length > 1 && isRolledBack && !isAway) for (const waiter of batch) void run([waiter], true)
      else for (const { reject } of batch) reject(error)
      if (isAway) queue.rejectWaiting(error)
    }
  }

  // SQLite writes one transaction at a time anyway.
  const queue = createQueue<Unit, Result>({ ...options, concurrency: isPostgres(db) ? options.concurrency : 1 }, run)
  return queue.add
}
