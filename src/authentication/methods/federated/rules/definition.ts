import type { Json } from './json.ts'

/** An account as its provider describes it. Identity is provider and `id`, never the address. */
export interface ExternalProfile {
  readonly id: string
  readonly name: string | undefined
  readonly email: string | undefined
  /** True only when the provider says that the address was proven to be this person's. */
  readonly emailVerified: boolean
  readonly image: string | undefined
}

/** Everything that differs between providers. An absent member has the OAuth 2.0 default. */
export interface ProviderDefinition {
  /** As people know it: "Sign in with …". */
  readonly name: string
  readonly authorizationUrl: string
  readonly tokenUrl: string
  /** Absent where the ID token is the profile. */
  readonly userinfoUrl?: string
  /** `POST` with no body (Dropbox), `form`: POST of access token and client id (VK); else GET with a bearer token. */
  readonly userinfoMethod?: 'POST' | 'form'
  readonly scopes: readonly string[]
  readonly scopeSeparator?: ','
  /** The provider checks PKCE (S256). */
  readonly pkce?: true
  /** How the client proves itself at the token endpoint; in the body unless said. */
  readonly clientAuth?: 'basic'
  /** Name of the client id in requests, where it is not `client_id` (TikTok). */
  readonly clientIdParam?: string
  readonly authorizationParams?: Readonly<Record<string, string>>
  /** The client secret is a signed token (Apple). */
  readonly signedSecret?: true
  /** The callback's `device_id` goes with the code and with each refresh (VK). */
  readonly deviceBound?: true
  /** Says `emailVerified` only of addresses that it has proven itself, by its documents: others may not write one into an account. */
  readonly provesEmail?: true
  /** Gives no refresh tokens. */
  readonly noRefresh?: true
  /** Signed ID tokens: their issuer and its keys. `{tid}` in an issuer is the claim of that name (Microsoft). */
  readonly idToken?: { readonly issuers: readonly string[]; readonly jwksUrl: string }
  /** Undefined when the response names no account. */
  readonly profile: (json: Json) => ExternalProfile | undefined
}

/** A profile when there is an id; the other fields as they were found. */
export const profileOf = (
  id: string | undefined,
  name: string | undefined,
  email: string | undefined,
  emailVerified: boolean,
  image: string | undefined,
): ExternalProfile | undefined =>
  id === undefined ? undefined : { id, name, email, emailVerified: email !== undefined && emailVerified, image }
