import type { Core } from '../../../../core/core.ts'
import { AppError } from '../../../../core/errors.ts'
import type { Outbound } from '../../../../core/fetch.ts'
import type { Log } from '../../../../core/log.ts'
import type { ProviderTokens } from '../../../../identity/identities/index.ts'
import type { ProviderSection } from '../config.ts'
import { socialErrors } from '../contract.ts'
import type { ExternalProfile, ProviderDefinition } from '../rules/definition.ts'
import type { Json } from '../rules/json.ts'

/** The parameters that the browser brings to the callback (RFC 6749, section 4.1.2), checked for form. */
export interface AuthorizationResponse {
  readonly code: string
  readonly state: string
  readonly iss?: string | undefined
  readonly deviceId?: string | undefined
  /** Apple: name and address as JSON, on the first sign-in alone. */
  readonly user?: Json
}

/** The values that bind the response to the request; stored with the state. */
export interface RequestSecrets {
  readonly codeVerifier: string
  readonly nonce: string
}

export interface AuthorizationRequest extends RequestSecrets {
  readonly state: string
  /** Scopes besides the provider's usual ones. */
  readonly scopes: readonly string[]
  readonly loginHint: string | undefined
}

/** The account that a provider describes. `data` is the provider's own response. */
export interface ProfileResponse {
  readonly profile: ExternalProfile
  readonly data: Json
}

export interface RedeemedCode extends ProfileResponse {
  readonly tokens: ProviderTokens
}

/** The addresses and methods of an accepted discovery document. */
export interface DiscoveredAddresses {
  readonly keys: string | undefined
  readonly token: string | undefined
}

/** One provider that is switched on. Expected errors are `AppError`s of the catalogue. */
export interface IdentityProvider {
  readonly id: string
  readonly name: string
  readonly section: ProviderSection
  readonly canRefresh: boolean
  /** An address that it calls verified counts as proven. */
  readonly trustsEmail: boolean
  /** Fetches the discovery document of sign-ins afresh; undefined where addresses are configured or built in. Throws where a sign-in stops. */
  readonly discover: (() => Promise<DiscoveredAddresses>) | undefined
  /** The address to send the browser to. Throws SERVICE_UNAVAILABLE while the provider cannot be discovered. */
  authorizationUrl(request: AuthorizationRequest): Promise<string>
  /** Throws INVALID_CODE or UNABLE_TO_GET_USER_INFO. */
  redeemCode(response: AuthorizationResponse, secrets: RequestSecrets): Promise<RedeemedCode>
  /** Throws when the provider refuses. */
  refresh(tokens: ProviderTokens): Promise<ProviderTokens>
  /** The account that stored tokens belong to. Throws UNABLE_TO_GET_USER_INFO. */
  loadProfile(tokens: ProviderTokens): Promise<ProfileResponse>
  /** Checks an ID token that an application got by itself; undefined where the provider signs none. Throws INVALID_TOKEN. */
  readonly fromIdToken: ((token: string, nonce: string | undefined) => Promise<ProfileResponse>) | undefined
}

export interface ProviderDeps extends Pick<Core, 'clock' | 'log'> {
  readonly outbound: Outbound
  /** http instead of https is allowed (setting). */
  readonly allowHttp: boolean
}

/** One provider with its addresses and credentials in place. */
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
 * The failure of a call to a provider, on one line of bounded length: libraries name the unexpected part in the cause of their error, and
 * some of the words are the provider's.
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

/** Makes the error of a call to a provider and writes its reason into the log, since the browser gets a code alone. */
export const createProviderErrors =
  (log: Log, provider: string) =>
  (code: 'INVALID_CODE' | 'UNABLE_TO_GET_USER_INFO', error: unknown): AppError => {
    if (error instanceof AppError) return error
    const reason = reasonOf(error)
    log.warn({ provider, code, reason }, 'social sign-in failed')
    return Object.assign(socialErrors.error(code), { cause: reason })
  }

/** The profile in a provider's response. Throws UNABLE_TO_GET_USER_INFO when it names no account. */
export const readProfile = (data: Json, profileIn: ProviderDefinition['profile']): ProfileResponse => {
  const profile = profileIn(data)
  if (profile === undefined) throw socialErrors.error('UNABLE_TO_GET_USER_INFO')
  return { profile, data }
}
