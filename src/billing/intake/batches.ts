import { setTimeout as pause } from 'node:timers/promises'
import { type Db, isConflict, isPostgres, isUnavailable, type Transact, type Tx } from '../../core/database.ts'

export interface Batches<Unit, Result> {
  /** Resolves once the unit is committed, alone or together with others. */
  commit(unit: Unit): Promise<Result>
}

interface Waiter<Unit, Result> {
  readonly unit: Unit
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface Deps<Unit, Result> {
  readonly db: Db
  readonly transact: Transact
  /** Units with one name are not in two transactions at a time: the second would only wait for the first's locks. */
  readonly nameOf: (unit: Unit) => string | null
  /** In order. Undefined: not now, since it would have to wait, or not together with others; such a unit comes again alone, to wait. */
  readonly work: (tx: Tx, units: readonly Unit[], wait: boolean) => Promise<readonly (Result | undefined)[]>
}

const largestBatch = 50
/** After a shared transaction, not after a lone one: as PostgreSQL's commit_delay. */
const gatherMs = 2

/**
 * One transaction for the units that wait: what arrives while one runs goes into the next, and nothing waits when none runs. A unit
 * that makes a batch fail does so alone in the end: the others are repeated each by itself. Whoever has to wait for a lock does so alone
 * as well, and holds nobody up.
 */
export const createBatches = <Unit, Result>({ db, transact, nameOf, work }: Deps<Unit, Result>): Batches<Unit, Result> => {
  type Waiting = Waiter<Unit, Result>
  // More than one only under load, since what is shared among many costs each of them less. SQLite writes one at a time anyway.
  const lanes = isPostgres(db) ? 2 : 1
  let running = 0
  let waiting: Waiting[] = []
  const busy = new Set<string>()

  const run = async (batch: readonly Waiting[], wait: boolean): Promise<void> => {
    let thrown: unknown
    const attempt = (tx: Tx) =>
      work(
        tx,
        batch.map(({ unit }) => unit),
        wait,
      ).catch((error: unknown) => {
        thrown = error
        throw error
      })
    try {
      const results = await transact(attempt)
      for (const [i, waiter] of batch.entries()) {
        const result = results[i]
        if (result === undefined) void run([waiter], true)
        else waiter.resolve(result)
      }
    } catch (error) {
      const isAway = isUnavailable(error) && !isConflict(error)
      // What the work threw is rolled back. Of a commit that failed nobody knows: it is not repeated.
      if (batch.length > 1 && error === thrown && !isAway) for (const waiter of batch) void run([waiter], true)
      else for (const { reject } of batch) reject(error)
      if (isAway) for (const { reject } of waiting.splice(0)) reject(error)
    }
  }

  const take = (): readonly Waiting[] => {
    const isFree = ({ unit }: Waiting) => !busy.has(nameOf(unit) ?? '')
    const batch = waiting.filter(isFree).slice(0, largestBatch)
    const taken = new Set(batch)
    waiting = waiting.filter((waiter) => !taken.has(waiter))
    return batch
  }

  const drain = async () => {
    running += 1
    for (let batch = take(); batch.length > 0; batch = take()) {
      const names = batch.flatMap(({ unit }) => nameOf(unit) ?? [])
      for (const name of names) busy.add(name)
      await run(batch, false)
      for (const name of names) busy.delete(name)
      // Whoever sends without pause is about to send again: one transaction for all of them, not one for the first and one for the rest.
      if (batch.length > 1 && waiting.length < largestBatch) await pause(gatherMs)
    }
    running -= 1
  }

  return {
    commit: (unit) =>
      new Promise((resolve, reject) => {
        waiting.push({ unit, resolve, reject })
        if (running === 0 || (running < lanes && waiting.length >= largestBatch)) void drain()
      }),
  }
}
