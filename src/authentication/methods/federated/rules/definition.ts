import type { Json } from './json.ts'

/** An account as its identity provider describes it. The provider and `id` together identify the account. The mail address never does. */
export interface ExternalProfile {
  readonly id: string
  readonly name: string | undefined
  readonly email: string | undefined
  /** True only if the provider says that the person has proven the mail address. */
  readonly emailVerified: boolean
  readonly image: string | undefined
}

/** What distinguishes one provider from another. For absent members, the defaults of OAuth 2.0 apply. */
export interface ProviderDefinition {
  /** The name of the provider that people see, as in "Sign in with …". */
  readonly name: string
  readonly authorizationUrl: string
  readonly tokenUrl: string
  /** Absent if the profile is read from the ID token. */
  readonly userinfoUrl?: string
  /**
   * How the profile endpoint is called. `POST`: without a body (Dropbox). `form`: the access token and client id are posted as a form
   * (VK). If absent: by GET with a bearer token.
   */
  readonly userinfoMethod?: 'POST' | 'form'
  readonly scopes: readonly string[]
  readonly scopeSeparator?: ','
  /** True if the provider supports PKCE with the method S256. */
  readonly pkce?: true
  /** How the client authenticates at the token endpoint. `basic`: in the header `Authorization`. If absent: in the body. */
  readonly clientAuth?: 'basic'
  /** The parameter name of the client id, if it is not `client_id` (TikTok). */
  readonly clientIdParam?: string
  readonly authorizationParams?: Readonly<Record<string, string>>
  /** True if the client secret is a token that this server signs (Apple). */
  readonly signedSecret?: true
  /** True if the parameter `device_id` of the callback has to be sent with the code and with each refresh (VK). */
  readonly deviceBound?: true
  /**
   * True if the provider's documentation says two things: `emailVerified` is true only for mail addresses that the provider has verified
   * itself, and nobody else can write a mail address into an account.
   */
  readonly provesEmail?: true
  /** True if the provider issues no refresh tokens. */
  readonly noRefresh?: true
  /** The issuers of the provider's ID tokens, and the URL of its keys. `{tid}` in an issuer stands for the token's claim `tid` (Microsoft). */
  readonly idToken?: { readonly issuers: readonly string[]; readonly jwksUrl: string }
  /** Reads the profile from an answer. Undefined if the answer describes no account. */
  readonly profile: (json: Json) => ExternalProfile | undefined
}

/** Makes a profile from an id and the other fields. Undefined if there is no id. */
export const profileOf = (
  id: string | undefined,
  name: string | undefined,
  email: string | undefined,
  emailVerified: boolean,
  image: string | undefined,
): ExternalProfile | undefined =>
  id === undefined ? undefined : { id, name, email, emailVerified: email !== undefined && emailVerified, image }
