import type { Db, Tx } from '../../core/database.ts'
import { nullable, type Row, sealed, table, text, time } from '../../core/table.ts'
import { credentialProvider } from '../store.ts'

/** What a token is bound to. */
export const contextOf = (column: string) => (id: string) => `account/${column}/${id}`

/** An account at a provider, without the password column. Tokens are sealed. */
const columns = {
  id: text,
  accountId: text,
  providerId: text,
  userId: text,
  accessToken: nullable(sealed(contextOf('access_token'))),
  refreshToken: nullable(sealed(contextOf('refresh_token'))),
  idToken: nullable(sealed(contextOf('id_token'))),
  accessTokenExpiresAt: nullable(time),
  refreshTokenExpiresAt: nullable(time),
  scope: nullable(text),
  /** What the provider calls the device that signed in; its token endpoint wants it again (VK). */
  deviceId: nullable(text),
  /** Until then another request is refreshing the tokens. */
  refreshClaimedUntil: nullable(time),
  createdAt: time,
  updatedAt: time,
}
const identities = table('account', columns)
export const { sealedColumns } = identities
export type IdentityRow = Row<typeof columns>
export type TokenColumns = Pick<
  IdentityRow,
  'accessToken' | 'refreshToken' | 'idToken' | 'accessTokenExpiresAt' | 'refreshTokenExpiresAt' | 'scope' | 'deviceId'
>

const isLinked = (row: IdentityRow) => row.providerId !== credentialProvider

export const findIdentity = async (db: Db, providerId: string, accountId: string): Promise<IdentityRow | undefined> => {
  const row = await identities.find(db, { providerId, accountId })
  return row !== undefined && isLinked(row) ? row : undefined
}
export const findById = (db: Db, id: string) => identities.find(db, { id })
/** Accounts of a user at providers, oldest first. */
export const listIdentities = async (db: Db, userId: string): Promise<readonly IdentityRow[]> =>
  (await identities.list(db, { userId }, { orderBy: 'createdAt' })).filter(isLinked)
export const insertIdentity = (tx: Tx, row: IdentityRow) => identities.insert(tx, row)
export const updateTokens = (tx: Tx, id: string, tokens: Partial<TokenColumns>, updatedAt: Date) =>
  identities.updateOne(tx, { id }, { ...tokens, updatedAt })

/** Takes the right to refresh. False when another request has it, or has refreshed since the row was read. */
export const claimRefresh = async (tx: Tx, { id, updatedAt }: IdentityRow, now: Date, until: Date): Promise<boolean> =>
  (await tx
    .knex('account')
    .where({ id, updated_at: updatedAt })
    .andWhere((free) => free.whereNull('refresh_claimed_until').orWhere('refresh_claimed_until', '<=', now))
    .update({ refresh_claimed_until: until })) === 1

/** Ends a claim; with tokens, stores them. False when the claim was lost or the account is gone. */
export const settleRefresh = (tx: Tx, id: string, until: Date, change: Partial<TokenColumns & { updatedAt: Date }>) =>
  identities.updateOne(tx, { id, refreshClaimedUntil: until }, { ...change, refreshClaimedUntil: null })

/** Removes every way in of a user, password and provider accounts. */
export const deleteAllOf = (tx: Tx, userId: string) => identities.delete(tx, { userId })
