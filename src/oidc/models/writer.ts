import type { Clock } from '../../core/clock.ts'
import { type Db, isConflict, isPostgres, isUnavailable, type Transact, type Tx } from '../../core/database.ts'
import type { OidcConfig } from '../config.ts'
import { isInGrace } from '../rules.ts'
import * as store from './store.ts'

/** Everything one request of the library wants written. */
export interface Writes {
  readonly inserts: readonly store.ModelRow[]
  /** Used up by this request: the request counts only if nobody used them before. */
  readonly consumes: readonly { readonly id: string; readonly grantId: string | null }[]
  readonly deletes: readonly string[]
}

/** `again`: written too, for a refresh token that was used before, within its grace. */
export type Outcome = 'written' | 'again' | 'refused'

export interface Writer {
  /**
   * Writes all of it or nothing. `refused` when something to consume was consumed before: then all that came from that authorization is
   * deleted (RFC 9700, sections 2.2.2 and 4.14).
   */
  commit(writes: Writes): Promise<Outcome>
}

interface Unit {
  readonly writes: Writes
  /** Not together with others: what it wants made them fail. */
  readonly isAlone: boolean
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly config: OidcConfig
}

const largestBatch = 50

const usersOf = ({ writes }: Unit): string[] => writes.inserts.flatMap(({ accountId }) => accountId ?? [])

/** The refresh token that a unit has for one it uses up. */
const rotatedIn = ({ writes }: Unit) => writes.inserts.find(({ rotatedFrom }) => rotatedFrom !== null)
const rotatedId = (unit: Unit): string => rotatedIn(unit)?.rotatedFrom ?? ''

const byParents = (a: store.ModelRow, b: store.ModelRow) => {
  const [left, right] = [`${a.accountId} ${a.sessionId}`, `${b.accountId} ${b.sessionId}`]
  return left < right ? -1 : left > right ? 1 : 0
}

/** One transaction for the requests that wait: under load a commit is shared, and a code is still consumed by exactly one of them. */
export const createWriter = ({ db, transact, clock, config }: Deps): Writer => {
  // One that waits for a lock must not hold up the others. SQLite writes one at a time anyway.
  const lanes = isPostgres(db) ? 3 : 1
  let running = 0
  let waiting: Unit[] = []
  /** Users of the transactions that run: a second one for them would wait for the same locks. */
  const busy = new Set<string>()

  /** Whether a refresh token counts once more: it is the last that its family used, a moment ago, and what it gave is not used yet. */
  const repeat = async (tx: Tx, unit: Unit, undecided: readonly string[]): Promise<boolean> => {
    const given = rotatedIn(unit)
    if (!given?.rotatedFrom || config.refreshTokenGraceSeconds === 0) return false
    const rotation = await store.lockRotation(tx, given.rotatedFrom, undecided)
    const usedAt = rotation?.used.consumedAt
    if (!usedAt || !isInGrace(usedAt, clock.now(), config.refreshTokenGraceSeconds)) return false
    return rotation.next?.consumedAt === null && store.makeSibling(tx, given.id, rotation.next)
  }

  /**
   * Answers, unit by unit, how it ended. Inserts come first and in order: they lock user, client and session before any code or token is
   * touched, which is the order in which ending a session locks them. The other way round the two would wait for each other.
   */
  const write = async (tx: Tx, units: readonly Unit[]): Promise<Outcome[]> => {
    await store.insertModels(tx, units.flatMap(({ writes }) => writes.inserts).sort(byParents))
    const consumes = units.flatMap(({ writes }) => writes.consumes.map(({ id }) => id))
    const free = new Set(await store.consumeModels(tx, consumes, clock.now()))
    const won = units.map(({ writes }) => writes.consumes.every(({ id }) => free.delete(id)))
    // In one order, so that two transactions never wait for each other.
    const late = units.filter((_, i) => won[i] !== true).sort((a, b) => rotatedId(a).localeCompare(rotatedId(b)))
    const undecided = late.flatMap(({ writes }) => writes.inserts.map(({ id }) => id))
    const again = new Set<Unit>()
    for (const unit of late) if (await repeat(tx, unit, undecided)) again.add(unit)
    const losers = late.filter((unit) => !again.has(unit))
    await store.deleteModels(tx, [
      ...units.flatMap((unit) => (losers.includes(unit) ? [] : unit.writes.deletes)),
      ...losers.flatMap(({ writes }) => writes.inserts.map(({ id }) => id)),
    ])
    await store.deleteGrants(
      tx,
      losers.flatMap(({ writes }) => writes.consumes.flatMap(({ grantId }) => grantId ?? [])),
    )
    return units.map((unit) => (again.has(unit) ? 'again' : losers.includes(unit) ? 'refused' : 'written'))
  }

  const run = async (units: readonly Unit[]) => {
    try {
      const outcomes = await transact((tx) => write(tx, units))
      for (const [i, unit] of units.entries()) unit.resolve(outcomes[i] ?? 'refused')
    } catch (error) {
      if (units.length > 1 && isConflict(error)) {
        // What one of them wants cannot be written (its session has just ended): the others must not suffer.
        waiting.unshift(...units.map((unit) => ({ ...unit, isAlone: true })))
        return
      }
      // Anything else may have happened or not: it is not repeated.
      for (const unit of units) unit.reject(error)
      if (isUnavailable(error) && !isConflict(error)) for (const unit of waiting.splice(0)) unit.reject(error)
    }
  }

  const take = (): readonly Unit[] => {
    const free = waiting.filter((unit) => !usersOf(unit).some((user) => busy.has(user)))
    const [first] = free
    const batch = first?.isAlone === true ? [first] : free.filter(({ isAlone }) => !isAlone).slice(0, largestBatch)
    const taken = new Set(batch)
    waiting = waiting.filter((unit) => !taken.has(unit))
    return batch
  }

  const drain = async () => {
    running += 1
    for (let batch = take(); batch.length > 0; batch = take()) {
      const users = batch.flatMap(usersOf)
      for (const user of users) busy.add(user)
      await run(batch)
      for (const user of users) busy.delete(user)
    }
    running -= 1
  }

  return {
    commit: (writes) =>
      new Promise((resolve, reject) => {
        waiting.push({ writes, isAlone: false, resolve, reject })
        if (running < lanes) void drain()
      }),
  }
}
