import type { Core } from '../../core/core.ts'
import type { Sealed } from '../../core/crypto.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import { identityErrors, identityEvents } from './contract.ts'
import { type AccountChoice, chooseAccount } from './rules.ts'
import * as store from './store.ts'

/** A user's identity at a provider. Token columns are sealed; `open` reads them. */
export type Identity = store.IdentityRow

/** The tokens that a provider issued. */
export interface ProviderTokens {
  readonly accessToken: string | undefined
  readonly refreshToken: string | undefined
  readonly idToken: string | undefined
  readonly accessTokenExpiresAt: Date | undefined
  readonly refreshTokenExpiresAt: Date | undefined
  readonly scopes: readonly string[]
  /** The provider's id of the device of the sign-in. */
  readonly deviceId: string | undefined
}

/** Tokens sealed for their row. */
export interface SealedTokens {
  readonly id: string
  readonly columns: store.TokenColumns
}

export interface Identities {
  /** Finds an identity by provider and the provider's account id. */
  find(db: Db, providerId: string, accountId: string): Promise<Identity | undefined>
  findById(db: Db, id: string): Promise<Identity | undefined>
  hasAny(db: Db, userId: string): Promise<boolean>
  /** Number of accounts that sign in with a provider; at most `most`. */
  countAt(db: Db, providerId: string, most: number): Promise<number>
  /** Identities of a provider whose account id has at least `length` characters; at most `most`. */
  listLongIds(
    db: Db,
    providerId: string,
    length: number,
    most: number,
  ): Promise<readonly Pick<Identity, 'accountId' | 'userId'>[]>
  /** Ids of the providers with which a user can sign in, oldest identity first. */
  providersOf(db: Db, userId: string): Promise<readonly string[]>
  /** The identities of a user, oldest first. */
  listOf(db: Db, userId: string): Promise<readonly Identity[]>
  /** All sign-in methods of a user, including the password, oldest first. */
  listAll(db: Db, userId: string): Promise<readonly Identity[]>
  /** Removes one method. The caller has locked the user's row. */
  unlink(tx: Tx, actor: Actor, identity: Identity): Promise<void>
  /** A user's identity. Throws ACCOUNT_NOT_FOUND, also for another user's. */
  require(db: Db, userId: string, choice: AccountChoice): Promise<Identity>
  /** A sign-in method of a user, possibly the password. Throws ACCOUNT_NOT_FOUND. */
  requireAny(db: Db, userId: string, choice: AccountChoice): Promise<Identity>
  /** Seals tokens for a row that exists (`id`), or a new one. Not for use in a transaction. */
  seal(tokens: ProviderTokens, id?: string): SealedTokens
  open(identity: Identity): ProviderTokens
  /** Inserts an identity. The unique index on provider and account id decides races. */
  insert(tx: Tx, actor: Actor, userId: string, providerId: string, accountId: string, sealed: SealedTokens): Promise<void>
  /** Stores newly issued tokens; absent ones stay. */
  update(tx: Tx, sealed: SealedTokens): Promise<boolean>
  /** Claims the right to refresh until `until`; false if another request has it. */
  claimRefresh(tx: Tx, identity: Identity, until: Date): Promise<boolean>
  /** Ends the claim, and stores new tokens if there are any. */
  settleRefresh(tx: Tx, id: string, until: Date, sealed: SealedTokens | undefined): Promise<boolean>
  /**
   * Removes all sign-in methods of a user, including the password, because another person may have added them before the address was
   * verified. Identities that `keeps` accepts stay.
   */
  removeAll(tx: Tx, userId: string, keeps?: (identity: Identity) => boolean): Promise<void>
}

/** Changes from an answer of a provider, which may omit unchanged values (a refresh token, scopes). */
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
