import type { Db, Tx } from '../../../core/db/database.ts'
import type { Outdated } from '../../../core/db/sweep.ts'
import { int, type Row, table, text, time } from '../../../core/db/table.ts'

const columns = {
  id: text,
  userId: text,
  boundHash: text,
  codeHash: text,
  emailVersion: int,
  attempts: int,
  createdAt: time,
  expiresAt: time,
}
const codes = table('mail_code', columns)
export type MailCodeRow = Row<typeof columns>

/** Stores a code. It replaces an earlier code of the same sign-in or session. */
export const replaceCode = async (tx: Tx, row: MailCodeRow): Promise<void> => {
  await tx.knex(codes.name).insert(codes.encode(row)).onConflict('bound_hash').merge()
}

export const findCode = (db: Db, userId: string, boundHash: string) => codes.find(db, { userId, boundHash })

/** Counts an attempt before the typed code is compared, so that parallel attempts cannot pass the limit. Returns false after `most` attempts. */
export const countAttempt = async (tx: Tx, id: string, most: number): Promise<boolean> =>
  (await tx.knex(codes.name).where({ id }).where('attempts', '<', most).increment('attempts')) === 1

/** Deletes a code after its use. Returns false if another request has used the code before. */
export const consume = async (tx: Tx, id: string): Promise<boolean> => (await codes.delete(tx, { id })) === 1

export const deleteCodesOf = (tx: Tx, userId: string) => codes.delete(tx, { userId })

export const expiredCodes = (now: Date): Outdated => ({
  table: codes.name,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<=', now),
})

const blocks = table('mail_code_block', { userId: text, createdAt: time })

export const isBlocked = async (db: Db, userId: string): Promise<boolean> => (await blocks.find(db, { userId })) !== undefined

export const block = async (tx: Tx, userId: string, createdAt: Date): Promise<void> => {
  await tx.knex(blocks.name).insert(blocks.encode({ userId, createdAt })).onConflict('user_id').ignore()
}

export const unblock = (tx: Tx, userId: string) => blocks.delete(tx, { userId })
