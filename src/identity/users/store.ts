import { type Db, lockName, type Tx } from '../../core/db/database.ts'
import { bool, int, json, nullable, type Row, table, text, time } from '../../core/db/table.ts'
import type { FieldValues } from './rules.ts'

export const userColumns = {
  id: text,
  name: text,
  email: text,
  emailVerified: bool,
  image: nullable(text),
  role: text,
  language: nullable(int),
  /** Grows with every change of the address. */
  emailVersion: int,
  /** This address or one before it was verified. */
  emailEverVerified: bool,
  /** Values of the configured fields; null: none was ever set. */
  fields: nullable(json<FieldValues>()),
  createdAt: time,
  updatedAt: time,
}
const users = table('user', userColumns)
export type UserRow = Row<typeof userColumns>

/** An address as a user has it at one time: who gives it up and takes it back has it with another version. */
export type Address = Pick<UserRow, 'email' | 'emailVersion'>

export const findUser = (db: Db, id: string) => users.find(db, { id })
/** `email` is the lower-cased address. */
export const findUserByEmail = (db: Db, email: string) => users.find(db, { email })
export const insertUser = (tx: Tx, row: UserRow) => users.insert(tx, row)
/** Verifies the address the user still has; false when it was verified already or has changed. */
export const markVerified = (tx: Tx, id: string, { email, emailVersion }: Address, updatedAt: Date) =>
  users.updateOne(
    tx,
    { id, email, emailVersion, emailVerified: false },
    { emailVerified: true, emailEverVerified: true, updatedAt },
  )
export const updateUser = (
  tx: Tx,
  id: string,
  patch: Partial<Pick<UserRow, 'name' | 'image' | 'language' | 'fields'>>,
  updatedAt: Date,
) => users.updateOne(tx, { id }, { ...patch, updatedAt })
/** False when the user no longer has the address; throws on the unique index. */
export const replaceEmail = (tx: Tx, id: string, { email, emailVersion }: Address, newEmail: string, updatedAt: Date) =>
  users.updateOne(
    tx,
    { id, email, emailVersion },
    { email: newEmail, emailVersion: emailVersion + 1, emailVerified: false, updatedAt },
  )
export const deleteUser = async (tx: Tx, id: string) => (await users.delete(tx, { id })) === 1
/** Ids of those with the role, at most two. Locked until the transaction ends, so that two removals see one another. */
export const lockHolders = async (tx: Tx, role: string): Promise<string[]> => {
  await lockName(tx, `role:${role}`)
  return (await users.list(tx, { role }, { limit: 2 })).map(({ id }) => id)
}
/** True when a user has the role. */
export const hasRole = async (db: Db, role: string): Promise<boolean> =>
  (await users.list(db, { role }, { limit: 1 })).length === 1
