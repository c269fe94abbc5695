import type { Json } from './json.ts'

/** An account as its provider describes it. Provider and `id` identify it, never the address. */
export interface ExternalProfile {
  readonly id: string
  readonly name: string | undefined
  readonly email: string | undefined
  /** True only if the provider says that the person has proven the address. */
  readonly emailVerified: boolean
  readonly image: string | undefined
}

/** The differences between providers. Absent members have the defaults of OAuth 2.0. */
export interface ProviderDefinition {
  /** Name for people: "Sign in with …". */
  readonly name: string
  readonly authorizationUrl: string
  readonly tokenUrl: string
  /** Absent if the ID token is the profile. */
  readonly userinfoUrl?: string
  /** `POST` without a body (Dropbox), `form`: POST of access token and client id (VK); else GET with a bearer token. */
  readonly userinfoMethod?: 'POST' | 'form'
  readonly scopes: readonly string[]
  readonly scopeSeparator?: ','
  /** True for support of PKCE (S256). */
  readonly pkce?: true
  /** Client authentication at the token endpoint; by default in the body. */
  readonly clientAuth?: 'basic'
  /** Name of the client id in requests, if it is not `client_id` (TikTok). */
  readonly clientIdParam?: string
  readonly authorizationParams?: Readonly<Record<string, string>>
  /** The client secret is a signed token (Apple). */
  readonly signedSecret?: true
  /** The callback's `device_id` is sent with the code and each refresh (VK). */
  readonly deviceBound?: true
  /**
   * True if its documentation says that `emailVerified` only covers addresses it has verified itself, which others cannot write into an
   * account.
   */
  readonly provesEmail?: true
  /** True without refresh tokens. */
  readonly noRefresh?: true
  /** Signed ID tokens: issuer and keys. `{tid}` in an issuer stands for the claim of that name (Microsoft). */
  readonly idToken?: { readonly issuers: readonly string[]; readonly jwksUrl: string }
  /** Undefined for an answer without an account. */
  readonly profile: (json: Json) => ExternalProfile | undefined
}

/** A profile with an id, and the other fields that were found. */
export const profileOf = (
  id: string | undefined,
  name: string | undefined,
  email: string | undefined,
  emailVerified: boolean,
  image: string | undefined,
): ExternalProfile | undefined =>
  id === undefined ? undefined : { id, name, email, emailVerified: email !== undefined && emailVerified, image }
