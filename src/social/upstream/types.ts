import type { ProviderTokens } from '../../accounts/index.ts'
import type { Clock } from '../../core/clock.ts'
import type { Outbound } from '../../core/fetch.ts'
import type { Log } from '../../core/log.ts'
import type { ProviderSection } from '../config.ts'
import type { SocialProfile } from '../rules/definition.ts'
import type { Json } from '../rules/reading.ts'

/** What a person brings back from the provider, checked for form. */
export interface Returned {
  readonly code: string
  readonly state: string
  readonly iss?: string | undefined
  readonly deviceId?: string | undefined
  /** Apple: name and address as JSON, on the first sign-in alone. */
  readonly user?: Json
}

/** What binds the answer to the request; kept in the state. */
export interface FlowSecrets {
  readonly codeVerifier: string
  readonly nonce: string
}

export interface AuthorizationRequest extends FlowSecrets {
  readonly state: string
  /** Scopes besides the provider's usual ones. */
  readonly scopes: readonly string[]
  readonly loginHint: string | undefined
}

/** A person at a provider. `data` is the provider's own answer. */
export interface Person {
  readonly profile: SocialProfile
  readonly data: Json
}

export interface Arrival extends Person {
  readonly tokens: ProviderTokens
}

/** One provider that is switched on. Refusals are `AppError`s of the catalogue. */
export interface Upstream {
  readonly id: string
  readonly name: string
  readonly section: ProviderSection
  readonly canRefresh: boolean
  /** What it calls verified counts as proven. */
  readonly trustsEmail: boolean
  /** The address to send the browser to. */
  authorizationUrl(request: AuthorizationRequest): Promise<string>
  /** Redeems the code. Throws INVALID_CODE or UNABLE_TO_GET_USER_INFO. */
  arrive(returned: Returned, secrets: FlowSecrets): Promise<Arrival>
  /** Throws when the provider refuses. */
  refresh(tokens: ProviderTokens): Promise<ProviderTokens>
  /** The person whom stored tokens belong to. Throws UNABLE_TO_GET_USER_INFO. */
  person(tokens: ProviderTokens): Promise<Person>
  /** Checks an ID token that an application got by itself; undefined where the provider signs none. Throws INVALID_TOKEN. */
  readonly fromIdToken: ((token: string, nonce: string | undefined) => Promise<Person>) | undefined
}

export interface UpstreamDeps {
  readonly outbound: Outbound
  readonly clock: Clock
  readonly log: Log
  /** http instead of https is allowed (setting). */
  readonly allowHttp: boolean
}

/** One provider with its addresses and credentials in place. */
export interface UpstreamSettings extends UpstreamDeps {
  readonly id: string
  readonly section: ProviderSection
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly redirectUri: string
  readonly trustsEmail: boolean
}
