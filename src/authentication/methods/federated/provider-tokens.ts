import { setTimeout as wait } from 'node:timers/promises'
import type { Principal } from '../../../access/principal.ts'
import type { Core } from '../../../core/core.ts'
import { AppError } from '../../../core/errors.ts'
import type { AccountChoice, Identities, Identity, ProviderTokens } from '../../../identity/identities/index.ts'
import { providerError, socialErrors } from './contract.ts'
import { type IdentityProvider, type ProfileResponse, reasonOf } from './providers/provider.ts'

/** Selects an account at a provider. Only a command of the command line may set `userId`. */
type Choice = AccountChoice & { readonly userId?: string | undefined }

/** `id` is the id of the row here. `accountId` is the id of the account at the provider. */
type AccountIds = Pick<Identity, 'id' | 'providerId' | 'accountId'>

/** Stored tokens with an access token, and the account to which they belong. */
export type UsableTokens = ProviderTokens & { readonly accessToken: string; readonly account: AccountIds }

export interface ProviderTokensService {
  /** Returns the tokens of an account. The access token is valid for at least 5 more seconds. Throws FAILED_TO_GET_A_VALID_ACCESS_TOKEN. */
  accessToken(principal: Principal, choice: Choice): Promise<UsableTokens>
  /** Refreshes the tokens of an account at the provider. Throws FAILED_TO_REFRESH_ACCESS_TOKEN. */
  refresh(principal: Principal, choice: Choice): Promise<UsableTokens>
  /** The present profile of the account at the provider. Throws FAILED_TO_GET_USER_INFO. */
  profile(principal: Principal, choice: AccountChoice): Promise<ProfileResponse & { readonly account: AccountIds }>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'log'> {
  readonly identities: Identities
  readonly providers: ReadonlyMap<string, IdentityProvider>
}

/** A token that is valid for no more than this number of milliseconds is refreshed (accounts specification, section 9). */
const thresholdMs = 5_000
/**
 * Seconds for which one request has the sole right to refresh. A refresh never takes that long. If the node of the request dies, another
 * request may refresh after that time.
 */
const claimSeconds = 20
const pollMs = 50

const noUserInfo = () => socialErrors.error('FAILED_TO_GET_USER_INFO', { status: 400 })

export const createProviderTokens = ({ db, transact, clock, log, identities, providers }: Deps): ProviderTokensService => {
  /** The user of the session. Only a command of the command line can name another user. */
  const userOf = (principal: Principal, userId: string | undefined): string => {
    if (principal.kind === 'user') return principal.user.id
    if (principal.kind === 'system' && userId !== undefined) return userId
    throw socialErrors.error('EITHER_USERID_OR_SESSION_IS_REQUIRED')
  }

  const providerOf = (id: string): IdentityProvider => {
    const provider = providers.get(id)
    if (provider === undefined) throw providerError('PROVIDER_ID_IS_NOT_SUPPORTED', id)
    return provider
  }

  const refreshAsOwner = async (provider: IdentityProvider, identity: Identity, until: Date, failed: () => AppError) => {
    const endClaim = (sealed: ReturnType<Identities['seal']> | undefined) =>
      transact((tx) => identities.settleRefresh(tx, identity.id, until, sealed))
    try {
      const tokens = await provider.refresh(identities.open(identity))
      await endClaim(identities.seal(tokens, identity.id))
    } catch (error) {
      await endClaim(undefined)
      log.warn({ provider: provider.id, reason: reasonOf(error) }, 'tokens not refreshed')
      throw failed()
    }
  }

  /**
   * Refreshes tokens. Of all simultaneous requests on all nodes, only one refreshes, because the provider may accept a refresh token only
   * once. The other requests wait for the result.
   */
  const refreshOnce = async (provider: IdentityProvider, identity: Identity, failed: () => AppError): Promise<Identity> => {
    const until = clock.after(claimSeconds)
    if (await transact((tx) => identities.claimRefresh(tx, identity, until)))
      await refreshAsOwner(provider, identity, until, failed)
    for (let waitedMs = 0; waitedMs <= claimSeconds * 1000; waitedMs += pollMs) {
      const current = await identities.findById(db, identity.id)
      if (current === undefined) break
      if (current.updatedAt.getTime() !== identity.updatedAt.getTime()) return current
      if (current.refreshClaimedUntil === null || current.refreshClaimedUntil <= clock.now()) break
      await wait(pollMs)
    }
    throw failed()
  }

  const isExpiring = ({ accessTokenExpiresAt }: Identity) =>
    accessTokenExpiresAt !== null && accessTokenExpiresAt.getTime() - clock.now().getTime() <= thresholdMs

  const idsOf = ({ id, providerId, accountId }: Identity): AccountIds => ({ id, providerId, accountId })

  /** Finds the selected account and its provider. A disabled provider is an error, whether or not the account exists. */
  const choose = async (userId: string, choice: AccountChoice) => {
    const named = choice.providerId === undefined ? undefined : providerOf(choice.providerId)
    const identity = await identities.require(db, userId, choice)
    return { identity, provider: named ?? providerOf(identity.providerId) }
  }

  const usable = (identity: Identity, failed: () => AppError): UsableTokens => {
    const tokens = identities.open(identity)
    if (tokens.accessToken === undefined) throw failed()
    return { ...tokens, accessToken: tokens.accessToken, account: idsOf(identity) }
  }

  /** Returns the account. If its access token is about to expire, the tokens are refreshed before. */
  const withValidToken = async (provider: IdentityProvider, identity: Identity, failed: () => AppError): Promise<Identity> => {
    if (!isExpiring(identity)) return identity
    if (!provider.canRefresh || identity.refreshToken === null) throw failed()
    return refreshOnce(provider, identity, failed)
  }

  const noAccessToken = () => socialErrors.error('FAILED_TO_GET_A_VALID_ACCESS_TOKEN')
  const notRefreshed = () => socialErrors.error('FAILED_TO_REFRESH_ACCESS_TOKEN')

  return {
    accessToken: async (principal, choice) => {
      const { identity, provider } = await choose(userOf(principal, choice.userId), choice)
      return usable(await withValidToken(provider, identity, noAccessToken), noAccessToken)
    },
    refresh: async (principal, choice) => {
      const { identity, provider } = await choose(userOf(principal, choice.userId), choice)
      if (!provider.canRefresh) throw providerError('PROVIDER_ID_DOES_NOT_SUPPORT_TOKEN_REFRESHING', provider.id)
      if (identity.refreshToken === null) throw notRefreshed()
      return usable(await refreshOnce(provider, identity, notRefreshed), notRefreshed)
    },
    profile: async (principal, choice) => {
      const { identity, provider } = await choose(userOf(principal, undefined), choice)
      const fresh = await withValidToken(provider, identity, noAccessToken)
      const response = await provider.loadProfile(identities.open(fresh)).catch((error: unknown) => {
        throw error instanceof AppError ? noUserInfo() : error
      })
      // The provider may return another account for the access token by now.
      if (response.profile.id !== identity.accountId) throw noUserInfo()
      return { ...response, account: idsOf(identity) }
    },
  }
}
