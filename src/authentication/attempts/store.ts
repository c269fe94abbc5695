import type { Db, Tx } from '../../core/db/database.ts'
import type { Outdated } from '../../core/db/sweep.ts'
import { bool, json, type Row, table, text, time } from '../../core/db/table.ts'
import { storedProofs } from '../sessions/table.ts'

const columns = {
  id: text,
  tokenHash: text,
  userId: text,
  proofs: json(storedProofs),
  rememberMe: bool,
  /** True if the user has to add a second factor before the sign-in can continue. */
  mustEnrol: bool,
  createdAt: time,
  expiresAt: time,
}
const pending = table('pending_sign_in', columns)
export type PendingRow = Row<typeof columns>

export const findPending = (db: Db, tokenHash: string) => pending.find(db, { tokenHash })
export const insertPending = (tx: Tx, row: PendingRow) => pending.insert(tx, row)
/** Updates a pending sign-in. Returns false if it has ended. */
export const updatePending = (tx: Tx, id: string, change: Partial<Pick<PendingRow, 'proofs' | 'mustEnrol'>>) =>
  pending.updateOne(tx, { id }, change)
/** Deletes a pending sign-in. Returns false if another request has completed or ended it. */
export const deletePending = async (tx: Tx, id: string) => (await pending.delete(tx, { id })) === 1
export const deletePendingOfUser = (tx: Tx, userId: string) => pending.delete(tx, { userId })
/** The newest pending sign-ins of a user, including expired ones. */
export const listPending = (db: Db, userId: string): Promise<readonly PendingRow[]> =>
  pending.list(db, { userId }, { orderBy: 'createdAt', descending: true, limit: 50 })
/** Selects pending sign-ins that expired before the given time. */
export const expiredPending = (now: Date): Outdated => ({
  table: pending.name,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<=', now),
})
