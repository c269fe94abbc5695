import type { Db, Tx } from '../../core/db/database.ts'
import type { Outdated } from '../../core/db/sweep.ts'
import { int, nullable, oneOf, type Row, table, text, time } from '../../core/db/table.ts'
import { type Stage, stages } from './rules.ts'

const columns = {
  id: text,
  userId: text,
  stage: oneOf(...stages),
  /** The browser and network from which the wait was requested. */
  requester: text,
  requestedAt: time,
  readyAt: time,
  /**
   * Null during the wait. After the wait it is the time at which the user's right to remove the factors expires. After an early end it is
   * the time of that end.
   */
  endsAt: nullable(time),
  codeHash: nullable(text),
  codeExpiresAt: nullable(time),
  codeAttempts: int,
}
const recoveries = table('second_factor_recovery', columns)
export type RecoveryRow = Row<typeof columns>

export const findRecovery = (db: Db, id: string) => recoveries.find(db, { id })
export const findRecoveryOf = (db: Db, userId: string) => recoveries.find(db, { userId })

/** Stores a wait, in place of an earlier wait of the user that has ended. */
export const replaceRecovery = async (tx: Tx, row: RecoveryRow): Promise<void> => {
  await recoveries.delete(tx, { userId: row.userId })
  await recoveries.insert(tx, row)
}

const openRows = (tx: Tx, id: string, now: Date) =>
  tx
    .knex(recoveries.name)
    .where({ id })
    .where((rows) => rows.whereNull('ends_at').orWhere('ends_at', '>', now))

/** Ends the wait. Returns false if the wait has ended already, for whatever reason. */
export const endRecovery = async (tx: Tx, id: string, now: Date): Promise<boolean> =>
  (await openRows(tx, id, now).update(recoveries.encode({ endsAt: now }))) === 1

/** Completes the wait with the code. Returns false if the wait has ended or expired, or if a newer code was mailed. */
export const useRecovery = async (tx: Tx, { id, codeHash }: RecoveryRow, now: Date): Promise<boolean> =>
  (await openRows(tx, id, now)
    .where({ stage: 'ready', code_hash: codeHash })
    .update(recoveries.encode({ endsAt: now, codeHash: null }))) === 1

/** Stores that a notice was mailed. Returns false if the wait has ended, or if another node has mailed the notice before. */
export const advance = async (
  tx: Tx,
  { id, stage, endsAt }: RecoveryRow,
  next: { readonly stage: Stage; readonly readyAt: Date; readonly endsAt: Date | null },
): Promise<boolean> => recoveries.updateOne(tx, { id, stage, endsAt }, next)

/** Stores the hash of the code that was mailed. Returns false if the wait has ended. */
export const setCode = async (tx: Tx, id: string, codeHash: string, codeExpiresAt: Date, now: Date): Promise<boolean> =>
  (await openRows(tx, id, now).update(recoveries.encode({ codeHash, codeExpiresAt, codeAttempts: 0 }))) === 1

/** Counts an attempt before the typed code is compared. Returns false after `most` attempts. */
export const countCodeAttempt = async (tx: Tx, { id, codeHash }: RecoveryRow, most: number): Promise<boolean> =>
  (await tx
    .knex(recoveries.name)
    .where({ id, code_hash: codeHash })
    .where('code_attempts', '<', most)
    .increment('code_attempts')) === 1

/** Selects waits that ended before the given time. */
export const endedBefore = (before: Date): Outdated => ({
  table: recoveries.name,
  key: ['id'],
  choose: (rows) => rows.where('ends_at', '<=', before),
})

/** Deletes the waits that have not ended at `now`. Returns the number of deleted waits. */
export const deleteOpen = (tx: Tx, now: Date): Promise<number> =>
  tx
    .knex(recoveries.name)
    .where((rows) => rows.whereNull('ends_at').orWhere('ends_at', '>', now))
    .delete()
