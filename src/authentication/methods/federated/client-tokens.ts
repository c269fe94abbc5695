import type { z } from 'zod'
import type { Principal, UserPrincipal } from '../../../access/principal.ts'
import type { RequireProof } from '../../../access/proof.ts'
import type { Core } from '../../../core/core.ts'
import { sha256 } from '../../../core/crypto.ts'
import type { Tx } from '../../../core/db/database.ts'
import { AppError } from '../../../core/errors.ts'
import type { ProviderTokens } from '../../../identity/identities/index.ts'
import type { SignInFailures } from '../../failures/index.ts'
import type { ExternalIdentity, FederatedAccounts, SignedIn } from './accounts.ts'
import { requireProvider } from './authorization.ts'
import type { LinkSocial, SignInSocial } from './contract.ts'
import { socialErrors } from './contract.ts'
import { createFailureRecorder } from './failures.ts'
import { endOfUse, isIssuedWith } from './providers/id-token.ts'
import type { IdentityProvider, ProfileResponse } from './providers/provider.ts'
import * as store from './store.ts'

type SignInInput = z.output<typeof SignInSocial>
type LinkInput = z.output<typeof LinkSocial>
type IdTokenInput = NonNullable<SignInInput['idToken']>

/** Signs people in and links accounts with an ID token that an application got directly from the identity provider. */
export interface ClientTokens {
  /** Signs a person in. Throws INVALID_TOKEN if the ID token was used before, and the errors of a sign-in by redirect. */
  signIn(principal: Principal, input: SignInInput, idToken: IdTokenInput): Promise<SignedIn>
  /** Links the account that the ID token names to the signed-in user. Throws the errors of `signIn`. */
  link(principal: UserPrincipal, input: LinkInput, idToken: IdTokenInput): Promise<void>
}

interface Deps extends Pick<Core, 'clock' | 'security'> {
  /** Undefined if failed attempts are not stored. */
  readonly signInFailures?: SignInFailures
  readonly providers: ReadonlyMap<string, IdentityProvider>
  readonly accounts: FederatedAccounts
  readonly requireProof: RequireProof
}

/** Errors of the provider callback that have a different code in calls with a JSON answer. */
const jsonErrors: Readonly<Record<string, () => AppError>> = {
  EMAIL_NOT_FOUND: () => socialErrors.error('USER_EMAIL_NOT_FOUND'),
  UNABLE_TO_GET_USER_INFO: () => socialErrors.error('FAILED_TO_GET_USER_INFO'),
  ACCOUNT_ALREADY_LINKED_TO_DIFFERENT_USER: () => socialErrors.error('SOCIAL_ACCOUNT_ALREADY_LINKED'),
  EMAIL_DOESNT_MATCH: () => socialErrors.error('ACCOUNT_NOT_LINKED__DIFFERENT_EMAILS_NOT_ALLOWED'),
  UNABLE_TO_LINK_ACCOUNT: () => socialErrors.error('ACCOUNT_NOT_LINKED__LINKING_NOT_ALLOWED'),
}

const withJsonErrors = async <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof AppError ? (jsonErrors[error.code]?.() ?? error) : error
  })

/**
 * True if the access token and the ID token belong to one account: the ID token contains the hash of the access token, or the provider
 * returns that account for the access token.
 */
const isSameAccount = async (provider: IdentityProvider, { profile }: ProfileResponse, idToken: string, accessToken: string) => {
  if (isIssuedWith(idToken, accessToken)) return true
  const tokens = { accessToken, refreshToken: undefined, idToken: undefined, scopes: [], deviceId: undefined }
  const expiry = { accessTokenExpiresAt: undefined, refreshTokenExpiresAt: undefined }
  const response = await provider.loadProfile({ ...tokens, ...expiry }).catch(() => undefined)
  return response?.profile.id === profile.id
}

/**
 * The tokens to store: the verified ID token, and the access token if it belongs to the same account. A refresh token is never stored.
 * This server would redeem it with its own client secret, and nothing shows that the refresh token belongs to the same person
 * (docs/design/sign-in.md#providers).
 */
const tokensToStore = async (
  provider: IdentityProvider,
  response: ProfileResponse,
  { token, accessToken, expiresAt }: IdTokenInput,
  scopes: readonly string[],
): Promise<ProviderTokens> => {
  const isStored = accessToken !== undefined && (await isSameAccount(provider, response, token, accessToken))
  return {
    accessToken: isStored ? accessToken : undefined,
    refreshToken: undefined,
    idToken: token,
    accessTokenExpiresAt: isStored && expiresAt !== undefined ? new Date(expiresAt * 1000) : undefined,
    refreshTokenExpiresAt: undefined,
    scopes: isStored ? scopes : [],
    deviceId: undefined,
  }
}

export const createClientTokens = ({
  clock,
  security,
  providers,
  accounts,
  requireProof,
  signInFailures,
}: Deps): ClientTokens => {
  const record = createFailureRecorder(signInFailures, accounts)
  /**
   * Stores that an ID token was used. Throws INVALID_TOKEN if it was used before. If two requests use it at the same time, the primary
   * key lets only one of them insert the row.
   */
  const preventReplay = async (tx: Tx, idToken: string): Promise<void> => {
    // Only the signed part is hashed, because one signature can be encoded in several ways.
    const hash = sha256(idToken.split('.').slice(0, 2).join('.'))
    const id = hash.slice(0, 32)
    if (await store.exists(tx, id)) throw socialErrors.error('INVALID_TOKEN')
    const now = clock.now()
    const identifier = `${store.statePrefix}id-token:${hash}`
    await store.insertState(tx, { id, identifier, value: '', expiresAt: endOfUse(idToken, now), createdAt: now, updatedAt: now })
  }

  const identityOf = async (input: SignInInput | LinkInput, idToken: IdTokenInput): Promise<ExternalIdentity> => {
    const provider = requireProvider(providers, input.provider)
    const { token, nonce } = idToken
    if (provider.fromIdToken === undefined) throw socialErrors.error('ID_TOKEN_NOT_SUPPORTED')
    const response = await withJsonErrors(provider.fromIdToken(token, nonce))
    const tokens = await tokensToStore(provider, response, idToken, input.scopes ?? [])
    return { provider, profile: response.profile, tokens, preventReplay: (tx) => preventReplay(tx, token) }
  }

  return {
    signIn: async (principal, input, idToken) => {
      let identity: ExternalIdentity | undefined
      try {
        identity = await identityOf(input, idToken)
        return await withJsonErrors(accounts.signIn(principal, identity, input.requestSignUp ?? false))
      } catch (error) {
        if (error instanceof AppError) {
          const { code } = error
          const provider = providers.has(input.provider) ? input.provider : null
          if (identity !== undefined) security(principal, 'sign-in.failed', { userId: null, code, provider })
          await record(principal, { code, provider, identity }, error)
        }
        throw error
      }
    },
    link: async (principal, input, idToken) => {
      await requireProof(principal, 'link-account')
      await withJsonErrors(accounts.link(principal, await identityOf(input, idToken)))
    },
  }
}
