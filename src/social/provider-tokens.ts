import { setTimeout as wait } from 'node:timers/promises'
import type { AccountChoice, Identities, Identity, ProviderTokens } from '../accounts/index.ts'
import type { Caller } from '../core/caller.ts'
import type { Clock } from '../core/clock.ts'
import type { Db, Transact } from '../core/database.ts'
import { AppError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { noUserInfo, refuseProvider, socialErrors } from './errors.ts'
import type { Person, Upstream } from './upstream/types.ts'

/** `userId` counts for commands alone. */
type Choice = AccountChoice & { readonly userId?: string | undefined }

/** What an account is called: `id` is the row's, `accountId` the provider's. */
type AccountName = Pick<Identity, 'id' | 'providerId' | 'accountId'>

/** Tokens of which there is an access token, and whose they are. */
export type UsableTokens = ProviderTokens & { readonly accessToken: string; readonly account: AccountName }

export interface ProviderTokensService {
  /** A token that is good for another 5 seconds at least. */
  accessToken(caller: Caller, choice: Choice): Promise<UsableTokens>
  /** New tokens, whatever the old ones were. */
  refresh(caller: Caller, choice: Choice): Promise<UsableTokens>
  /** Who the account is, asked from the provider. */
  person(caller: Caller, choice: AccountChoice): Promise<Person & { readonly account: AccountName }>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly log: Log
  readonly identities: Identities
  readonly upstreams: ReadonlyMap<string, Upstream>
}

/** A token that ends sooner than this is refreshed (accounts specification, section 9). */
const thresholdMs = 5_000
/** Longer than a refresh can take; when a node dies in one, the next may begin after it. */
const claimSeconds = 20
const pollMs = 50

export const createProviderTokens = ({ db, transact, clock, log, identities, upstreams }: Deps): ProviderTokensService => {
  /** HTTP callers are who their session says; only commands name a user. */
  const userOf = (caller: Caller, userId: string | undefined): string => {
    if (caller.kind === 'user') return caller.user.id
    if (caller.kind === 'system' && userId !== undefined) return userId
    throw socialErrors.refuse('EITHER_USERID_OR_SESSION_IS_REQUIRED')
  }

  const upstreamOf = (id: string): Upstream => {
    const upstream = upstreams.get(id)
    if (upstream === undefined) throw refuseProvider('PROVIDER_ID_IS_NOT_SUPPORTED', id)
    return upstream
  }

  const refreshAsOwner = async (upstream: Upstream, identity: Identity, until: Date, refused: () => AppError) => {
    const giveBack = (sealed: ReturnType<Identities['seal']> | undefined) =>
      transact((tx) => identities.settleRefresh(tx, identity.id, until, sealed))
    try {
      const tokens = await upstream.refresh(identities.open(identity))
      await giveBack(identities.seal(tokens, identity.id))
    } catch (error) {
      await giveBack(undefined)
      log.warn({ provider: upstream.id, reason: (error as Error).message }, 'tokens not refreshed')
      throw refused()
    }
  }

  /** Of simultaneous requests, on any node, one asks the provider: a rotated refresh token works once. The others wait for its result. */
  const refreshOnce = async (upstream: Upstream, identity: Identity, refused: () => AppError): Promise<Identity> => {
    const until = clock.after(claimSeconds)
    if (await transact((tx) => identities.claimRefresh(tx, identity, until)))
      await refreshAsOwner(upstream, identity, until, refused)
    for (let waitedMs = 0; waitedMs <= claimSeconds * 1000; waitedMs += pollMs) {
      const current = await identities.findById(db, identity.id)
      if (current === undefined) break
      if (current.updatedAt.getTime() !== identity.updatedAt.getTime()) return current
      if (current.refreshClaimedUntil === null || current.refreshClaimedUntil <= clock.now()) break
      await wait(pollMs)
    }
    throw refused()
  }

  const isStale = ({ accessTokenExpiresAt }: Identity) =>
    accessTokenExpiresAt !== null && accessTokenExpiresAt.getTime() - clock.now().getTime() <= thresholdMs

  const nameOf = ({ id, providerId, accountId }: Identity): AccountName => ({ id, providerId, accountId })

  /** The account that is meant and its provider; a provider that is named but not switched on is said first. */
  const choose = async (userId: string, choice: AccountChoice) => {
    const named = choice.providerId === undefined ? undefined : upstreamOf(choice.providerId)
    const identity = await identities.require(db, userId, choice)
    return { identity, upstream: named ?? upstreamOf(identity.providerId) }
  }

  const usable = (identity: Identity, refused: () => AppError): UsableTokens => {
    const tokens = identities.open(identity)
    if (tokens.accessToken === undefined) throw refused()
    return { ...tokens, accessToken: tokens.accessToken, account: nameOf(identity) }
  }

  /** The account as it is, or with fresh tokens when these are about to end and can be had. */
  const freshen = async (upstream: Upstream, identity: Identity, refused: () => AppError): Promise<Identity> => {
    if (!isStale(identity)) return identity
    if (!upstream.canRefresh || identity.refreshToken === null) throw refused()
    return refreshOnce(upstream, identity, refused)
  }

  const noAccessToken = () => socialErrors.refuse('FAILED_TO_GET_A_VALID_ACCESS_TOKEN')
  const notRefreshed = () => socialErrors.refuse('FAILED_TO_REFRESH_ACCESS_TOKEN')

  return {
    accessToken: async (caller, choice) => {
      const { identity, upstream } = await choose(userOf(caller, choice.userId), choice)
      return usable(await freshen(upstream, identity, noAccessToken), noAccessToken)
    },
    refresh: async (caller, choice) => {
      const { identity, upstream } = await choose(userOf(caller, choice.userId), choice)
      if (!upstream.canRefresh) throw refuseProvider('PROVIDER_ID_DOES_NOT_SUPPORT_TOKEN_REFRESHING', upstream.id)
      if (identity.refreshToken === null) throw notRefreshed()
      return usable(await refreshOnce(upstream, identity, notRefreshed), notRefreshed)
    },
    person: async (caller, choice) => {
      const { identity, upstream } = await choose(userOf(caller, undefined), choice)
      const fresh = await freshen(upstream, identity, noAccessToken)
      const person = await upstream.person(identities.open(fresh)).catch((error: unknown) => {
        throw error instanceof AppError ? noUserInfo(400) : error
      })
      // The answer must be about this account, whatever the token was exchanged for.
      if (person.profile.id !== identity.accountId) throw noUserInfo(400)
      return { ...person, account: nameOf(identity) }
    },
  }
}
