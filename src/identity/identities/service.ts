import type { Core } from '../../core/core.ts'
import type { Sealed } from '../../core/crypto.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import { identityErrors, identityEvents } from './contract.ts'
import { type AccountChoice, chooseAccount } from './rules.ts'
import * as store from './store.ts'

/** An identity of a user at a provider. Its tokens are sealed; `Identities.open` decrypts them. */
export type Identity = store.IdentityRow

/** The tokens that a provider has issued to the user. */
export interface ProviderTokens {
  readonly accessToken: string | undefined
  readonly refreshToken: string | undefined
  readonly idToken: string | undefined
  readonly accessTokenExpiresAt: Date | undefined
  readonly refreshTokenExpiresAt: Date | undefined
  readonly scopes: readonly string[]
  /** The id that the provider has given to the device on which the user signed in. */
  readonly deviceId: string | undefined
}

/** The sealed tokens of one row. The id of the row is needed to open them. */
export interface SealedTokens {
  readonly id: string
  readonly columns: store.TokenColumns
}

export interface Identities {
  /** Finds an identity by the provider and by the id of the account at the provider. */
  find(db: Db, providerId: string, accountId: string): Promise<Identity | undefined>
  findById(db: Db, id: string): Promise<Identity | undefined>
  hasAny(db: Db, userId: string): Promise<boolean>
  /** Counts the users who can sign in with a provider, but only up to `most`. */
  countAt(db: Db, providerId: string, most: number): Promise<number>
  /** Finds identities at a provider whose account id has at least `length` characters. Returns at most `most`. */
  listLongIds(
    db: Db,
    providerId: string,
    length: number,
    most: number,
  ): Promise<readonly Pick<Identity, 'accountId' | 'userId'>[]>
  /** Ids of the providers with which a user can sign in, in the order in which the user linked them. */
  providersOf(db: Db, userId: string): Promise<readonly string[]>
  /** The identities of a user at providers, the oldest first. */
  listOf(db: Db, userId: string): Promise<readonly Identity[]>
  /** All sign-in methods of a user, including the password, the oldest first. */
  listAll(db: Db, userId: string): Promise<readonly Identity[]>
  /** Removes a sign-in method of a user. The caller has locked the row of the user. */
  unlink(tx: Tx, actor: Actor, identity: Identity): Promise<void>
  /** Finds the identity of a user that a call names. Throws ACCOUNT_NOT_FOUND, even if another user has the identity. */
  require(db: Db, userId: string, choice: AccountChoice): Promise<Identity>
  /** Finds the sign-in method of a user that a call names. It may be the password. Throws ACCOUNT_NOT_FOUND. */
  requireAny(db: Db, userId: string, choice: AccountChoice): Promise<Identity>
  /**
   * Seals tokens for the row with this `id`, or for a new row if `id` is absent. Call it outside of transactions, because encryption
   * takes time.
   */
  seal(tokens: ProviderTokens, id?: string): SealedTokens
  open(identity: Identity): ProviderTokens
  /** Inserts an identity. If two requests insert the same one, the unique index on provider and account id decides. */
  insert(tx: Tx, actor: Actor, userId: string, providerId: string, accountId: string, sealed: SealedTokens): Promise<void>
  /** Stores tokens that the provider has newly issued. If the provider did not send a token again, the stored one stays. */
  update(tx: Tx, sealed: SealedTokens): Promise<boolean>
  /** Reserves the refresh of the tokens for this request, until the time `until`. Returns false if another request has reserved it. */
  claimRefresh(tx: Tx, identity: Identity, until: Date): Promise<boolean>
  /** Ends the reservation, and stores the new tokens if there are any. */
  settleRefresh(tx: Tx, id: string, until: Date, sealed: SealedTokens | undefined): Promise<boolean>
  /**
   * Removes all sign-in methods of a user, including the password. Used when an email address becomes verified, because another person
   * may have added these methods before. Identities for which `keeps` returns true stay.
   */
  removeAll(tx: Tx, userId: string, keeps?: (identity: Identity) => boolean): Promise<void>
}

/**
 * The columns to change after an answer of the provider. The answer may leave out values that have not changed, such as the refresh token
 * or the scopes.
 */
const changeBy = ({
  accessToken,
  refreshToken,
  idToken,
  scope,
  deviceId,
  ...expiry
}: store.TokenColumns): Partial<store.TokenColumns> => ({
  ...(accessToken === null ? {} : { accessToken, accessTokenExpiresAt: expiry.accessTokenExpiresAt }),
  ...(refreshToken === null ? {} : { refreshToken, refreshTokenExpiresAt: expiry.refreshTokenExpiresAt }),
  ...(idToken === null ? {} : { idToken }),
  ...(scope === null ? {} : { scope }),
  ...(deviceId === null ? {} : { deviceId }),
})

const chosen = (identities: readonly Identity[], choice: AccountChoice): Identity => {
  const found = chooseAccount(identities, choice)
  if (found === undefined) throw identityErrors.error('ACCOUNT_NOT_FOUND')
  return found
}

export const createIdentities = ({
  clock,
  random,
  secrets,
  events,
}: Pick<Core, 'clock' | 'random' | 'secrets' | 'events'>): Identities => {
  const open = (value: Sealed | null, column: string, id: string) =>
    value === null ? undefined : secrets.open(value, store.contextOf(column)(id))

  return {
    find: store.findIdentity,
    findById: store.findById,
    hasAny: async (db, userId) => (await store.listIdentities(db, userId)).length > 0,
    countAt: store.countAtProvider,
    listLongIds: store.listLongIds,
    providersOf: async (db, userId) => (await store.listIdentities(db, userId)).map(({ providerId }) => providerId),
    listOf: store.listIdentities,
    unlink: async (tx, actor, { id, userId, providerId }) => {
      await store.deleteIdentity(tx, id)
      const data = { identityId: id, provider: providerId }
      await events.record(tx, actor, identityEvents['user.identity_unlinked'], { subject: userId, data })
    },
    listAll: store.listAll,
    require: async (db, userId, choice) => chosen(await store.listIdentities(db, userId), choice),
    requireAny: async (db, userId, choice) => chosen(await store.listAll(db, userId), choice),
    seal: (tokens, id = random.id()) => {
      const seal = (value: string | undefined, column: string) =>
        value === undefined ? null : secrets.seal(value, store.contextOf(column)(id))
      return {
        id,
        columns: {
          accessToken: seal(tokens.accessToken, 'access_token'),
          refreshToken: seal(tokens.refreshToken, 'refresh_token'),
          idToken: seal(tokens.idToken, 'id_token'),
          accessTokenExpiresAt: tokens.accessTokenExpiresAt ?? null,
          refreshTokenExpiresAt: tokens.refreshTokenExpiresAt ?? null,
          scope: tokens.scopes.length === 0 ? null : tokens.scopes.join(','),
          deviceId: tokens.deviceId ?? null,
        },
      }
    },
    open: (identity) => ({
      accessToken: open(identity.accessToken, 'access_token', identity.id),
      refreshToken: open(identity.refreshToken, 'refresh_token', identity.id),
      idToken: open(identity.idToken, 'id_token', identity.id),
      accessTokenExpiresAt: identity.accessTokenExpiresAt ?? undefined,
      refreshTokenExpiresAt: identity.refreshTokenExpiresAt ?? undefined,
      scopes: identity.scope?.split(',') ?? [],
      deviceId: identity.deviceId ?? undefined,
    }),
    insert: async (tx, actor, userId, providerId, accountId, { id, columns }) => {
      const now = clock.now()
      await store.insertIdentity(tx, {
        ...columns,
        ...{ id, userId, providerId, accountId, refreshClaimedUntil: null, createdAt: now, updatedAt: now },
      })
      const data = { identityId: id, provider: providerId }
      await events.record(tx, actor, identityEvents['user.identity_linked'], { subject: userId, data })
    },
    update: (tx, { id, columns }) => store.updateTokens(tx, id, changeBy(columns), clock.now()),
    claimRefresh: (tx, identity, until) => store.claimRefresh(tx, identity, clock.now(), until),
    settleRefresh: (tx, id, until, sealed) =>
      store.settleRefresh(tx, id, until, sealed === undefined ? {} : { ...changeBy(sealed.columns), updatedAt: clock.now() }),
    removeAll: async (tx, userId, keeps) => {
      const kept = keeps === undefined ? [] : (await store.listIdentities(tx, userId)).filter(keeps)
      await store.deleteAllOf(tx, userId, kept)
    },
  }
}
