import type { Json } from './json.ts'

/** An account as its provider describes it. The provider and `id` identify the account. The address never does. */
export interface ExternalProfile {
  readonly id: string
  readonly name: string | undefined
  readonly email: string | undefined
  /** True only if the provider says that the person has proven the address. */
  readonly emailVerified: boolean
  readonly image: string | undefined
}

/** The properties that distinguish a provider. Absent members have the defaults of OAuth 2.0. */
export interface ProviderDefinition {
  /** The name that people see, as in "Sign in with …". */
  readonly name: string
  readonly authorizationUrl: string
  readonly tokenUrl: string
  /** Absent if the ID token contains the profile. */
  readonly userinfoUrl?: string
  /**
   * The method of the profile endpoint. `POST` has no body (Dropbox). `form` posts the access token and client id (VK). By default it is
   * a GET request with a bearer token.
   */
  readonly userinfoMethod?: 'POST' | 'form'
  readonly scopes: readonly string[]
  readonly scopeSeparator?: ','
  /** True if the provider supports PKCE with S256. */
  readonly pkce?: true
  /** The way in which the client authenticates at the token endpoint. By default its credentials are in the body. */
  readonly clientAuth?: 'basic'
  /** The name of the client id in requests, if it is not `client_id` (TikTok). */
  readonly clientIdParam?: string
  readonly authorizationParams?: Readonly<Record<string, string>>
  /** True if the client secret is a signed token (Apple). */
  readonly signedSecret?: true
  /** True if the `device_id` from the callback has to be sent with the code and with each refresh (VK). */
  readonly deviceBound?: true
  /**
   * True if the provider's documentation says that `emailVerified` is true only for addresses that the provider has verified itself. It
   * must also say that nobody else can write an address into an account.
   */
  readonly provesEmail?: true
  /** True if the provider issues no refresh tokens. */
  readonly noRefresh?: true
  /** The source of the provider's ID tokens: their issuers and keys. `{tid}` in an issuer stands for the claim `tid` (Microsoft). */
  readonly idToken?: { readonly issuers: readonly string[]; readonly jwksUrl: string }
  /** Reads the profile from an answer; undefined if the answer contains no account. */
  readonly profile: (json: Json) => ExternalProfile | undefined
}

/** Makes a profile of an id and the other fields that were found. Without an id there is no profile. */
export const profileOf = (
  id: string | undefined,
  name: string | undefined,
  email: string | undefined,
  emailVerified: boolean,
  image: string | undefined,
): ExternalProfile | undefined =>
  id === undefined ? undefined : { id, name, email, emailVerified: email !== undefined && emailVerified, image }
