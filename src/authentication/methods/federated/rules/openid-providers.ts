import { type ProviderDefinition, profileOf } from './definition.ts'
import { at, firstText, flag, type Json, text } from './json.ts'

/** Reads the standard claims (OpenID Connect Core, section 5.1). */
export const openidProfile = (json: Json) =>
  profileOf(
    text(json, 'sub'),
    firstText(json, 'name', 'preferred_username', 'nickname'),
    text(json, 'email'),
    flag(json, 'email_verified'),
    text(json, 'picture'),
  )

const includes = (json: Json, path: string, value: string | undefined): boolean => {
  const list = at(json, path)
  return Array.isArray(list) && value !== undefined && list.includes(value)
}

/**
 * Microsoft's claim `email` proves nothing, because any tenant can write any mail address into an account. Only optional claims say that
 * an address is verified. `xms_edov` says that the owner of the address's domain was verified.
 */
const microsoftProfile = (json: Json) => {
  const email = text(json, 'email')
  const verified =
    flag(json, 'email_verified') ||
    flag(json, 'xms_edov') ||
    includes(json, 'verified_primary_email', email) ||
    includes(json, 'verified_secondary_email', email)
  return profileOf(text(json, 'sub'), firstText(json, 'name', 'preferred_username'), email, verified, text(json, 'picture'))
}

const microsoft = 'https://login.microsoftonline.com/{tenant}'

/**
 * The built-in providers that issue signed ID tokens. The profile may come from the ID token. An application may also sign people in with
 * such a token.
 */
export const openidProviders = {
  apple: {
    name: 'Apple',
    provesEmail: true,
    authorizationUrl: 'https://appleid.apple.com/auth/authorize',
    tokenUrl: 'https://appleid.apple.com/auth/token',
    scopes: ['email', 'name'],
    // Apple requires the response mode `form_post` if the name or mail address is requested.
    authorizationParams: { response_mode: 'form_post' },
    signedSecret: true,
    idToken: { issuers: ['https://appleid.apple.com'], jwksUrl: 'https://appleid.apple.com/auth/keys' },
    profile: openidProfile,
  },
  google: {
    name: 'Google',
    provesEmail: true,
    authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    scopes: ['email', 'profile', 'openid'],
    pkce: true,
    authorizationParams: { access_type: 'offline', include_granted_scopes: 'true' },
    idToken: {
      issuers: ['https://accounts.google.com', 'accounts.google.com'],
      jwksUrl: 'https://www.googleapis.com/oauth2/v3/certs',
    },
    profile: openidProfile,
  },
  microsoft: {
    name: 'Microsoft',
    authorizationUrl: `${microsoft}/oauth2/v2.0/authorize`,
    tokenUrl: `${microsoft}/oauth2/v2.0/token`,
    scopes: ['openid', 'profile', 'email', 'User.Read', 'offline_access'],
    pkce: true,
    idToken: { issuers: ['https://login.microsoftonline.com/{tid}/v2.0'], jwksUrl: `${microsoft}/discovery/v2.0/keys` },
    profile: microsoftProfile,
  },
  twitch: {
    name: 'Twitch',
    provesEmail: true,
    authorizationUrl: 'https://id.twitch.tv/oauth2/authorize',
    tokenUrl: 'https://id.twitch.tv/oauth2/token',
    scopes: ['user:read:email', 'openid'],
    authorizationParams: {
      claims: JSON.stringify({
        id_token: { email: null, email_verified: null, preferred_username: null, picture: null },
      }),
    },
    idToken: { issuers: ['https://id.twitch.tv/oauth2'], jwksUrl: 'https://id.twitch.tv/oauth2/keys' },
    profile: openidProfile,
  },
  huggingface: {
    name: 'Hugging Face',
    provesEmail: true,
    authorizationUrl: 'https://huggingface.co/oauth/authorize',
    tokenUrl: 'https://huggingface.co/oauth/token',
    userinfoUrl: 'https://huggingface.co/oauth/userinfo',
    scopes: ['openid', 'profile', 'email'],
    pkce: true,
    profile: openidProfile,
  },
  linkedin: {
    name: 'LinkedIn',
    provesEmail: true,
    authorizationUrl: 'https://www.linkedin.com/oauth/v2/authorization',
    tokenUrl: 'https://www.linkedin.com/oauth/v2/accessToken',
    userinfoUrl: 'https://api.linkedin.com/v2/userinfo',
    scopes: ['profile', 'email', 'openid'],
    idToken: { issuers: ['https://www.linkedin.com/oauth'], jwksUrl: 'https://www.linkedin.com/oauth/openid/jwks' },
    profile: openidProfile,
  },
  roblox: {
    name: 'Roblox',
    authorizationUrl: 'https://apis.roblox.com/oauth/v1/authorize',
    tokenUrl: 'https://apis.roblox.com/oauth/v1/token',
    userinfoUrl: 'https://apis.roblox.com/oauth/v1/userinfo',
    scopes: ['openid', 'profile'],
    pkce: true,
    idToken: { issuers: ['https://apis.roblox.com/oauth/'], jwksUrl: 'https://apis.roblox.com/oauth/v1/certs' },
    profile: openidProfile,
  },
} as const satisfies Readonly<Record<string, ProviderDefinition>>
