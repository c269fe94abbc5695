import { countUpTo } from '../../core/db/count.ts'
import { type Db, isPostgres, preparedSelect, readPrepared, type Tx } from '../../core/db/database.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import { type Row, table } from '../../core/db/table.ts'
import { signInStates } from '../users/table.ts'
import { accounts, contextOf } from './table.ts'

/** The provider id of the row that holds the password. */
const credentialProvider = 'credential'

export { contextOf }

/** An identity at a provider: its row without the password column. */
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
/** Number of accounts with an identity at a provider; at most `most`. */
export const countAtProvider = (db: Db, providerId: string, most: number): Promise<number> =>
  countUpTo(db, db.knex('account').where({ provider_id: providerId }), most)
/** Identities of a provider whose account id has at least `length` characters; at most `most`. */
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
/** All sign-in methods of a user, including the password, oldest first. */
export const listAll = (db: Db, userId: string): Promise<readonly IdentityRow[]> =>
  identities.list(db, { userId }, { orderBy: 'createdAt' })
/** Number of sign-in methods of a user, including the password. */
export const countMethods = async (db: Db, userId: string): Promise<number> => (await listAll(db, userId)).length
/** Identities of a user at providers, oldest first. */
export const listIdentities = async (db: Db, userId: string): Promise<readonly IdentityRow[]> =>
  (await listAll(db, userId)).filter(isAtProvider)
export const insertIdentity = (tx: Tx, row: IdentityRow) => identities.insert(tx, row)
export const updateTokens = (tx: Tx, id: string, tokens: Partial<TokenColumns>, updatedAt: Date) =>
  identities.updateOne(tx, { id }, { ...tokens, updatedAt })

/** Claims the right to refresh. False if another request has it, or has refreshed since the row was read. */
export const claimRefresh = async (tx: Tx, { id, updatedAt }: IdentityRow, now: Date, until: Date): Promise<boolean> =>
  (await tx
    .knex('account')
    .where({ id, updated_at: updatedAt })
    .andWhere((free) => free.whereNull('refresh_claimed_until').orWhere('refresh_claimed_until', '<=', now))
    .update({ refresh_claimed_until: until })) === 1

/** Ends a claim, and stores tokens if given. False for a lost claim or a deleted identity. */
export const settleRefresh = (tx: Tx, id: string, until: Date, change: Partial<TokenColumns & { updatedAt: Date }>) =>
  identities.updateOne(tx, { id, refreshClaimedUntil: until }, { ...change, refreshClaimedUntil: null })

export const deleteIdentity = (tx: Tx, id: string) => identities.delete(tx, { id })
/** Deletes all sign-in methods of a user, including the password, except those to keep. */
export const deleteAllOf = async (tx: Tx, userId: string, kept: readonly Pick<IdentityRow, 'id'>[]): Promise<void> => {
  const ids = kept.map(({ id }) => id)
  await tx.knex(identities.name).where({ user_id: userId }).whereNotIn('id', ids).delete()
}

/** The row of a user's password; its account id is the user id. */
const credentials = table(accounts.pick('id', 'accountId', 'providerId', 'userId', 'password', 'createdAt', 'updatedAt'))
const credentialOf = (userId: string) => ({ providerId: credentialProvider, accountId: userId })

const credentialAndOwner = [...credentials.columnsOf('a', ''), ...signInStates.columnsOf('u', 'u_')]

/** The password row of a user, locked together with the user's row by one statement: it waits for a password change or a ban. */
export const lockCredential = async (tx: Tx, userId: string) => {
  const rest = `from "user" u join account a on a.user_id = u.id where a.provider_id = ? and a.account_id = ?${isPostgres(tx) ? ' for update' : ''}`
  const [row] = await readPrepared(tx, preparedSelect('lock_credential', credentialAndOwner, rest), [credentialProvider, userId])
  return row === undefined ? undefined : { credential: credentials.decode(row), owner: signInStates.decode(row, 'u_') }
}

export const findCredential = (db: Db, userId: string) => credentials.find(db, credentialOf(userId))
export const insertCredential = (tx: Tx, id: string, userId: string, password: string, now: Date) =>
  credentials.insert(tx, { ...credentialOf(userId), id, userId, password, createdAt: now, updatedAt: now })
/** False if the hash has changed since it was read. */
export const replaceHash = (tx: Tx, id: string, from: string, to: string, now: Date) =>
  credentials.updateOne(tx, { id, password: from }, { password: to, updatedAt: now })
/** False without such a row. */
export const setHash = (tx: Tx, userId: string, password: string, now: Date) =>
  credentials.updateOne(tx, credentialOf(userId), { password, updatedAt: now })

export const deleteCredential = (tx: Tx, userId: string) => credentials.delete(tx, credentialOf(userId))

export const ownIdentities = personalRows(identities, {
  name: 'signInMethods',
  fields: ['id', 'providerId', 'accountId', 'scope', 'createdAt', 'updatedAt'],
})
