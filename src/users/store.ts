import type { Db, Tx } from '../core/database.ts'
import { bool, int, nullable, type Row, table, text, time } from '../core/table.ts'

export const userColumns = {
  id: text,
  name: text,
  email: text,
  emailVerified: bool,
  image: nullable(text),
  role: text,
  language: nullable(int),
  createdAt: time,
  updatedAt: time,
}
const users = table('user', userColumns)
export type UserRow = Row<typeof userColumns>

export const findUser = (db: Db, id: string) => users.find(db, { id })
/** `email` is the lower-cased address. */
export const findUserByEmail = (db: Db, email: string) => users.find(db, { email })
export const insertUser = (tx: Tx, row: UserRow) => users.insert(tx, row)
/** Verifies the address the user still has; false when it was verified already or has changed. */
export const markVerified = (tx: Tx, id: string, email: string, updatedAt: Date) =>
  users.updateOne(tx, { id, email, emailVerified: false }, { emailVerified: true, updatedAt })
/** True when somebody has the role. */
export const hasRole = async (db: Db, role: string): Promise<boolean> =>
  (await users.list(db, { role }, { limit: 1 })).length === 1
