import type { Db, Tx } from '../../../core/db/database.ts'
import type { Outdated } from '../../../core/db/sweep.ts'
import { int, nullable, type Row, table, text, time } from '../../../core/db/table.ts'

const columns = {
  id: text,
  email: text,
  browserHash: text,
  name: nullable(text),
  codeHash: nullable(text),
  linkHash: nullable(text),
  userId: nullable(text),
  emailVersion: nullable(int),
  attempts: int,
  createdAt: time,
  expiresAt: time,
}
const signIns = table('mail_sign_in', columns)
export type MailSignInRow = Row<typeof columns>

/** Stores a request for a mail. It replaces an earlier request of the same browser for the same mail address. */
export const replaceSignIn = async (tx: Tx, row: MailSignInRow): Promise<void> => {
  await tx.knex(signIns.name).insert(signIns.encode(row)).onConflict('browser_hash').merge()
}

export const findSignIn = (db: Db, id: string) => signIns.find(db, { id })
export const findByBrowser = (db: Db, browserHash: string) => signIns.find(db, { browserHash })
export const findByLink = (db: Db, linkHash: string) => signIns.find(db, { linkHash })

/** Stores the hashes of the mail's link and code, and the account. Returns false if the browser has requested another mail since. */
export const complete = (
  tx: Tx,
  id: string,
  made: Pick<MailSignInRow, 'codeHash' | 'linkHash' | 'userId' | 'emailVersion'>,
): Promise<boolean> => signIns.updateOne(tx, { id, codeHash: null }, made)

/** Removes the hashes, because the mail could not be sent. Its link and code are then invalid. */
export const withdraw = (tx: Tx, id: string) => signIns.update(tx, { id }, { codeHash: null, linkHash: null })

/** Counts an attempt before the typed code is compared, so that parallel attempts cannot pass the limit. Returns false after `most` attempts. */
export const countAttempt = async (tx: Tx, id: string, most: number): Promise<boolean> =>
  (await tx.knex(signIns.name).where({ id }).where('attempts', '<', most).increment('attempts')) === 1

/** Deletes a sign-in after its link or code was used. Returns false if another request has used the sign-in before. */
export const consume = async (tx: Tx, { id, linkHash }: MailSignInRow): Promise<boolean> =>
  (await signIns.delete(tx, { id, linkHash })) === 1

export const deleteSignInsOf = (tx: Tx, userId: string) => signIns.delete(tx, { userId })

export const expiredSignIns = (before: Date): Outdated => ({
  table: signIns.name,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<=', before),
})
