import { type Db, lockName, type Tx } from '../../../core/db/database.ts'
import type { Outdated } from '../../../core/db/sweep.ts'
import { int, nullable, type Row, table, text, time } from '../../../core/db/table.ts'

const columns = {
  key: text,
  userId: nullable(text),
  recent: int,
  consecutive: int,
  lastAt: time,
  waitUntil: nullable(time),
  lockedAt: nullable(time),
  slowedAt: nullable(time),
}
const failures = table('password_failure', columns)
export type FailureRow = Row<typeof columns>

/** Locks the counter until the transaction ends. Each of several simultaneous attempts therefore sees the count of the previous one. */
export const lockCount = (tx: Tx, key: string) => lockName(tx, `password-failure:${key}`)

/** Reads the counters with these keys. */
export const findFailures = (tx: Tx, keys: readonly string[]): Promise<readonly FailureRow[]> => failures.findAll(tx, 'key', keys)

/** At most fifty counters of a user. The counter with the most wrong passwords comes first. */
export const listFailures = (db: Db, userId: string): Promise<readonly FailureRow[]> =>
  failures.list(db, { userId }, { orderBy: 'consecutive', descending: true, limit: 50 })

export const saveFailures = (tx: Tx, rows: readonly FailureRow[]) => failures.upsertAll(tx, rows, ['key'])

export const deleteFailures = (tx: Tx, keys: readonly string[]) => failures.deleteAll(tx, 'key', keys)
export const deleteFailuresOfUser = (tx: Tx, userId: string) => failures.delete(tx, { userId })

const outdated = (choose: Outdated['choose']): Outdated => ({ table: failures.name, key: ['key'], choose })

/**
 * Selects counters whose last wrong password and wait are before the given time. With `isLock` it selects only counters that lock,
 * otherwise only counters below `resetAfter`.
 */
export const failuresBefore = (before: Date, resetAfter: number, isLock: boolean): Outdated =>
  outdated((rows) =>
    rows
      .where('last_at', '<', before)
      .where((either) => either.whereNull('wait_until').orWhere('wait_until', '<', before))
      .where('consecutive', isLock ? '>=' : '<', resetAfter),
  )

/** Selects all counters except the newest `most`. */
export const failuresBeyond = (most: number): Outdated => outdated((rows) => rows.orderBy('last_at', 'desc').offset(most))
