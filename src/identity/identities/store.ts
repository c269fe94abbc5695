import { countUpTo } from '../../core/db/count.ts'
import { type Db, isPostgres, preparedSelect, readPrepared, type Tx } from '../../core/db/database.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import { type Row, table } from '../../core/db/table.ts'
import { signInStates } from '../users/table.ts'
import { accounts, contextOf } from './table.ts'

/** The value of `providerId` in the row with the user's password. */
const credentialProvider = 'credential'

export { contextOf }

/** The columns of a row that is an identity at a provider. */
const identities = table(accounts.omit('password'))
export const { sealedColumns } = identities
export type IdentityRow = Row<typeof identities.columns>
export type TokenColumns = Pick<
  IdentityRow,
  'accessToken' | 'refreshToken' | 'idToken' | 'accessTokenExpiresAt' | 'refreshTokenExpiresAt' | 'scope' | 'deviceId'
>

const isAtProvider = (row: IdentityRow) => row.providerId !== credentialProvider

export const findIdentity = async (db: Db, providerId: string, accountId: string): Promise<IdentityRow | undefined> => {
  const row = await identities.find(db, { providerId, accountId })
  return row !== undefined && isAtProvider(row) ? row : undefined
}
/** Counts the identities at a provider, but only up to `most`. */
export const countAtProvider = (db: Db, providerId: string, most: number): Promise<number> =>
  countUpTo(db, db.knex('account').where({ provider_id: providerId }), most)
/** Finds identities at a provider whose account id has at least `length` characters. Returns at most `most`. */
export const listLongIds = async (db: Db, providerId: string, length: number, most: number) => {
  const rows: { account_id: string; user_id: string }[] = await db
    .knex('account')
    .where({ provider_id: providerId })
    .whereRaw('length(account_id) >= ?', [length])
    .limit(most)
    .select('account_id', 'user_id')
  return rows.map(({ account_id: accountId, user_id: userId }) => ({ accountId, userId }))
}
export const findById = (db: Db, id: string) => identities.find(db, { id })
/** All sign-in methods of a user, including the password, the oldest first. */
export const listAll = (db: Db, userId: string): Promise<readonly IdentityRow[]> =>
  identities.list(db, { userId }, { orderBy: 'createdAt' })
/** Counts the sign-in methods of a user, including the password. */
export const countMethods = async (db: Db, userId: string): Promise<number> => (await listAll(db, userId)).length
/** The identities of a user at providers, the oldest first. */
export const listIdentities = async (db: Db, userId: string): Promise<readonly IdentityRow[]> =>
  (await listAll(db, userId)).filter(isAtProvider)
export const insertIdentity = (tx: Tx, row: IdentityRow) => identities.insert(tx, row)
export const updateTokens = (tx: Tx, id: string, tokens: Partial<TokenColumns>, updatedAt: Date) =>
  identities.updateOne(tx, { id }, { ...tokens, updatedAt })

/**
 * Reserves the refresh of the tokens until the time `until`. Returns false if another request has reserved it, or has refreshed the
 * tokens since the row was read.
 */
export const claimRefresh = async (tx: Tx, { id, updatedAt }: IdentityRow, now: Date, until: Date): Promise<boolean> =>
  (await tx
    .knex('account')
    .where({ id, updated_at: updatedAt })
    .andWhere((free) => free.whereNull('refresh_claimed_until').orWhere('refresh_claimed_until', '<=', now))
    .update({ refresh_claimed_until: until })) === 1

/**
 * Ends the reservation of a refresh, and stores the new tokens if there are any. Returns false if another request has the reservation
 * now, or the identity was deleted.
 */
export const settleRefresh = (tx: Tx, id: string, until: Date, change: Partial<TokenColumns & { updatedAt: Date }>) =>
  identities.updateOne(tx, { id, refreshClaimedUntil: until }, { ...change, refreshClaimedUntil: null })

export const deleteIdentity = (tx: Tx, id: string) => identities.delete(tx, { id })
/** Deletes all sign-in methods of a user, including the password, except the rows in `kept`. */
export const deleteAllOf = async (tx: Tx, userId: string, kept: readonly Pick<IdentityRow, 'id'>[]): Promise<void> => {
  const ids = kept.map(({ id }) => id)
  await tx.knex(identities.name).where({ user_id: userId }).whereNotIn('id', ids).delete()
}

/** The columns of the row with a user's password. In this row the account id is the user id. */
const credentials = table(accounts.pick('id', 'accountId', 'providerId', 'userId', 'password', 'createdAt', 'updatedAt'))
const credentialOf = (userId: string) => ({ providerId: credentialProvider, accountId: userId })

const credentialAndOwner = [...credentials.columnsOf('a', ''), ...signInStates.columnsOf('u', 'u_')]

/**
 * Reads the password hash of a user, and locks its row and the row of the user, with one statement. If the password is being changed or
 * the user is being banned at the same time, the statement waits for that.
 */
export const lockCredential = async (tx: Tx, userId: string) => {
  const rest = `from "user" u join account a on a.user_id = u.id where a.provider_id = ? and a.account_id = ?${isPostgres(tx) ? ' for update' : ''}`
  const [row] = await readPrepared(tx, preparedSelect('lock_credential', credentialAndOwner, rest), [credentialProvider, userId])
  return row === undefined ? undefined : { credential: credentials.decode(row), owner: signInStates.decode(row, 'u_') }
}

export const findCredential = (db: Db, userId: string) => credentials.find(db, credentialOf(userId))
export const insertCredential = (tx: Tx, id: string, userId: string, password: string, now: Date) =>
  credentials.insert(tx, { ...credentialOf(userId), id, userId, password, createdAt: now, updatedAt: now })
/** Replaces the password hash `from` by `to`. Returns false if the stored hash is not `from` any more. */
export const replaceHash = (tx: Tx, id: string, from: string, to: string, now: Date) =>
  credentials.updateOne(tx, { id, password: from }, { password: to, updatedAt: now })
/** Stores a password hash in the existing row. Returns false if the user has no row for a password. */
export const setHash = (tx: Tx, userId: string, password: string, now: Date) =>
  credentials.updateOne(tx, credentialOf(userId), { password, updatedAt: now })

export const deleteCredential = (tx: Tx, userId: string) => credentials.delete(tx, credentialOf(userId))

export const ownIdentities = personalRows(identities, {
  name: 'signInMethods',
  fields: ['id', 'providerId', 'accountId', 'scope', 'createdAt', 'updatedAt'],
})
