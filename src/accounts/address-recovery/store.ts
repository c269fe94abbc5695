import type { Db, Tx } from '../../core/database.ts'
import { deleteSome } from '../../core/sweep.ts'
import { int, type Row, table, text, time } from '../../core/table.ts'

const columns = {
  /** SHA-256 of the token. */
  id: text,
  userId: text,
  /** The address that was given up, and its version: which of several changes it was. */
  email: text,
  emailVersion: int,
  expiresAt: time,
}
const recoveries = table('address_recovery', columns)
export type RecoveryRow = Row<typeof columns>

export const insertRecovery = (tx: Tx, row: RecoveryRow) => recoveries.insert(tx, row)

/** What a token takes back, while it is valid. */
export const findRecovery = async (db: Db, id: string, now: Date): Promise<RecoveryRow | undefined> => {
  const row = await recoveries.find(db, { id })
  return row !== undefined && row.expiresAt > now ? row : undefined
}

/** True while any link of the user is valid. */
export const hasRecovery = async (db: Db, userId: string, now: Date): Promise<boolean> =>
  (await db.knex(recoveries.name).where({ user_id: userId }).where('expires_at', '>', now).first('id')) !== undefined

/** False when another request was faster. */
export const consumeRecovery = async (tx: Tx, id: string): Promise<boolean> => (await recoveries.delete(tx, { id })) === 1

/** Deletes the links of changes that came after this one: they belong to whoever made those. */
export const deleteLater = async (tx: Tx, { userId, emailVersion }: RecoveryRow): Promise<void> => {
  await tx.knex('address_recovery').where({ user_id: userId }).where('email_version', '>', emailVersion).delete()
}

/** Deletes at most `limit` rows that have expired; returns how many. */
export const deleteExpired = (tx: Tx, now: Date, limit: number): Promise<number> =>
  deleteSome(tx, recoveries.name, ['id'], (rows) => rows.where('expires_at', '<=', now), limit)
