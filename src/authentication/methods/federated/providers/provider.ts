import type { Core } from '../../../../core/core.ts'
import { AppError } from '../../../../core/errors.ts'
import type { Outbound } from '../../../../core/fetch.ts'
import type { Log } from '../../../../core/log.ts'
import type { ProviderTokens } from '../../../../identity/identities/index.ts'
import type { ProviderSection } from '../config.ts'
import { socialErrors } from '../contract.ts'
import type { ExternalProfile, ProviderDefinition } from '../rules/definition.ts'
import type { Json } from '../rules/json.ts'

/** The checked parameters of a callback (RFC 6749, section 4.1.2). */
export interface AuthorizationResponse {
  readonly code: string
  readonly state: string
  readonly iss?: string | undefined
  readonly deviceId?: string | undefined
  /** Apple sends the person's name and mail address as JSON, only at the first sign-in. */
  readonly user?: Json
}

/** The random values that bind a provider's answer to its authorization request. They are stored with the state. */
export interface RequestSecrets {
  readonly codeVerifier: string
  readonly nonce: string
}

export interface AuthorizationRequest extends RequestSecrets {
  readonly state: string
  /** Scopes that are requested in addition to the provider's usual scopes. */
  readonly scopes: readonly string[]
  readonly loginHint: string | undefined
}

/** An account as the identity provider describes it. `data` is the whole answer of the provider. */
export interface ProfileResponse {
  readonly profile: ExternalProfile
  readonly data: Json
}

export interface RedeemedCode extends ProfileResponse {
  readonly tokens: ProviderTokens
}

/** The URLs of a provider's key set and token endpoint, from an accepted discovery document. */
export interface DiscoveredAddresses {
  readonly keys: string | undefined
  readonly token: string | undefined
}

/** An enabled identity provider. Its expected errors are `AppError`s of the catalogue. */
export interface IdentityProvider {
  readonly id: string
  readonly name: string
  readonly section: ProviderSection
  readonly canRefresh: boolean
  /** True if a mail address that the provider calls verified counts as verified here. */
  readonly trustsEmail: boolean
  /** Reads the discovery document anew. Undefined if the endpoints are configured or built in. Throws if a sign-in would refuse the document. */
  readonly discover: (() => Promise<DiscoveredAddresses>) | undefined
  /** The URL to which the browser is sent. Throws SERVICE_UNAVAILABLE if the provider cannot be discovered now. */
  authorizationUrl(request: AuthorizationRequest): Promise<string>
  /** Exchanges the code for tokens and the profile. Throws INVALID_CODE or UNABLE_TO_GET_USER_INFO. */
  redeemCode(response: AuthorizationResponse, secrets: RequestSecrets): Promise<RedeemedCode>
  /** Gets new tokens with the refresh token. Throws if the provider refuses. */
  refresh(tokens: ProviderTokens): Promise<ProviderTokens>
  /** Reads the profile of the account to which stored tokens belong. Throws UNABLE_TO_GET_USER_INFO. */
  loadProfile(tokens: ProviderTokens): Promise<ProfileResponse>
  /**
   * Verifies an ID token that an application got directly from the provider. Undefined if the provider issues no ID tokens. Throws
   * INVALID_TOKEN.
   */
  readonly fromIdToken: ((token: string, nonce: string | undefined) => Promise<ProfileResponse>) | undefined
}

export interface ProviderDeps extends Pick<Core, 'clock' | 'log'> {
  readonly outbound: Outbound
  /** True if the configuration allows URLs with http. */
  readonly allowHttp: boolean
}

/** The settings of a provider: its endpoints and the client's credentials. */
export interface ProviderSettings extends ProviderDeps {
  readonly id: string
  readonly section: ProviderSection
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly redirectUri: string
  readonly trustsEmail: boolean
}

const longestReason = 500

/**
 * Describes a failed request to a provider in one line of limited length. It includes the cause of the error, in which libraries put the
 * details. Parts of the text may come from the provider.
 */
export const reasonOf = (error: unknown): string => {
  const words: string[] = []
  for (let cause = error; cause instanceof Error && words.length < 8; cause = cause.cause) {
    const { message, error: code } = cause as Error & { readonly error?: unknown }
    for (const said of [message, code]) if (typeof said === 'string' && !words.join().includes(said)) words.push(said)
  }
  return (
    words
      .join(': ')
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')
      .trim()
      .slice(0, longestReason)
      .toWellFormed() || 'unknown'
  )
}

/** Makes the error for a failed request to a provider, and logs the reason. The browser gets only the error code. */
export const createProviderErrors =
  (log: Log, provider: string) =>
  (code: 'INVALID_CODE' | 'UNABLE_TO_GET_USER_INFO', error: unknown): AppError => {
    if (error instanceof AppError) return error
    const reason = reasonOf(error)
    log.warn({ provider, code, reason }, 'social sign-in failed')
    return Object.assign(socialErrors.error(code), { cause: reason })
  }

/** Reads the profile from a provider's answer. Throws UNABLE_TO_GET_USER_INFO if the answer contains no account. */
export const readProfile = (data: Json, profileIn: ProviderDefinition['profile']): ProfileResponse => {
  const profile = profileIn(data)
  if (profile === undefined) throw socialErrors.error('UNABLE_TO_GET_USER_INFO')
  return { profile, data }
}
