import type { Db, Tx } from '../core/database.ts'
import { nullable, type Row, table, text, time } from '../core/table.ts'

/** The provider id of the account that signs in with email and password. */
export const credentialProvider = 'credential'

const columns = {
  id: text,
  accountId: text,
  providerId: text,
  userId: text,
  accessToken: nullable(text),
  refreshToken: nullable(text),
  idToken: nullable(text),
  accessTokenExpiresAt: nullable(time),
  refreshTokenExpiresAt: nullable(time),
  scope: nullable(text),
  password: nullable(text),
  createdAt: time,
  updatedAt: time,
}
const accounts = table('account', columns)
export type AccountRow = Row<typeof columns>

/** The password account of a user; its account id is the user id. */
export const findCredential = (db: Db, userId: string) => accounts.find(db, { providerId: credentialProvider, accountId: userId })

export const insertCredential = (tx: Tx, id: string, userId: string, password: string, now: Date) =>
  accounts.insert(tx, {
    id,
    accountId: userId,
    providerId: credentialProvider,
    userId,
    accessToken: null,
    refreshToken: null,
    idToken: null,
    accessTokenExpiresAt: null,
    refreshTokenExpiresAt: null,
    scope: null,
    password,
    createdAt: now,
    updatedAt: now,
  })

/** Replaces a hash unless it has changed since it was read. */
export const replaceHash = (tx: Tx, id: string, from: string, to: string, now: Date) =>
  accounts.updateOne(tx, { id, password: from }, { password: to, updatedAt: now })

/** Gives the password account of a user this hash; false when there is none. */
export const setHash = (tx: Tx, userId: string, password: string, now: Date) =>
  accounts.updateOne(tx, { providerId: credentialProvider, accountId: userId }, { password, updatedAt: now })

/** All ways in of a user, oldest first. */
export const listAccounts = (db: Db, userId: string) => accounts.list(db, { userId }, { orderBy: 'createdAt' })
export const deleteAccount = (tx: Tx, id: string) => accounts.delete(tx, { id })
