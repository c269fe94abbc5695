import type { Clock } from '../../core/clock.ts'
import { isUnavailable, type Transact, type Tx } from '../../core/database.ts'
import * as store from './store.ts'

/** Everything one request of the library wants written. */
export interface Writes {
  readonly inserts: readonly store.ModelRow[]
  /** Used up by this request: the request counts only if nobody used them before. */
  readonly consumes: readonly { readonly id: string; readonly grantId: string | null }[]
  readonly deletes: readonly string[]
}

export interface Writer {
  /**
   * Writes all of it or nothing. False when something to consume was consumed before: then all that came from that authorization is
   * deleted (RFC 9700, sections 2.2.2 and 4.14).
   */
  commit(writes: Writes): Promise<boolean>
}

interface Unit {
  readonly writes: Writes
  readonly resolve: (won: boolean) => void
  readonly reject: (error: unknown) => void
}

const largestBatch = 50

/** One transaction for the requests that wait: under load a commit is shared, and a code is still consumed by exactly one of them. */
export const createWriter = ({ transact, clock }: { transact: Transact; clock: Clock }): Writer => {
  const waiting: Unit[] = []
  let isRunning = false

  /**
   * Answers, unit by unit, whether it won. Inserts come first: they lock session, user and client before any code or token is touched,
   * which is the order in which ending a session locks them. The other way round the two would wait for each other.
   */
  const write = async (tx: Tx, units: readonly Unit[]): Promise<boolean[]> => {
    await store.insertModels(
      tx,
      units.flatMap(({ writes }) => writes.inserts),
    )
    const consumes = units.flatMap(({ writes }) => writes.consumes.map(({ id }) => id))
    const free = new Set(await store.consumeModels(tx, consumes, clock.now()))
    const won = units.map(({ writes }) => writes.consumes.every(({ id }) => free.delete(id)))
    const losers = units.filter((_, i) => won[i] !== true)
    await store.deleteModels(tx, [
      ...units.flatMap((unit, i) => (won[i] === true ? unit.writes.deletes : [])),
      ...losers.flatMap(({ writes }) => writes.inserts.map(({ id }) => id)),
    ])
    await store.deleteGrants(
      tx,
      losers.flatMap(({ writes }) => writes.consumes.flatMap(({ grantId }) => grantId ?? [])),
    )
    return won
  }

  const runAlone = async (unit: Unit) => {
    try {
      const [won = false] = await transact((tx) => write(tx, [unit]))
      unit.resolve(won)
    } catch (error) {
      unit.reject(error)
    }
  }

  const run = async (units: readonly Unit[]) => {
    const [first, ...others] = units
    if (first === undefined) return
    if (others.length === 0) return runAlone(first)
    let won: boolean[]
    try {
      won = await transact((tx) => write(tx, units))
    } catch (error) {
      if (isUnavailable(error)) {
        for (const unit of [...units, ...waiting.splice(0)]) unit.reject(error)
        return
      }
      // What one of them wants cannot be written (its session has just ended): the others must not suffer.
      for (const unit of units) await runAlone(unit)
      return
    }
    for (const [i, unit] of units.entries()) unit.resolve(won[i] === true)
  }

  const drain = async () => {
    isRunning = true
    while (waiting.length > 0) await run(waiting.splice(0, largestBatch))
    isRunning = false
  }

  return {
    commit: (writes) =>
      new Promise((resolve, reject) => {
        waiting.push({ writes, resolve, reject })
        if (!isRunning) void drain()
      }),
  }
}
