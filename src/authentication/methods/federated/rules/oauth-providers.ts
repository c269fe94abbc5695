import { type ProviderDefinition, profileOf } from './definition.ts'
import { at, firstText, flag, fullName, type Json, text } from './json.ts'

/** The URL of a Discord picture contains the user's id and a hash. If the hash starts with `a_`, the picture is animated. */
const discordImage = (json: Json): string | undefined => {
  const [id, avatar] = [text(json, 'id'), text(json, 'avatar')]
  if (id === undefined || !/^\d+$/.test(id)) return undefined
  if (avatar !== undefined) return `https://cdn.discordapp.com/avatars/${id}/${avatar}.${avatar.startsWith('a_') ? 'gif' : 'png'}`
  const discriminator = Number(text(json, 'discriminator') ?? '0')
  return `https://cdn.discordapp.com/embed/avatars/${discriminator === 0 ? Number((BigInt(id) >> 22n) % 6n) : discriminator % 5}.png`
}

/** The providers that use OAuth 2.0 without OpenID Connect, and have a profile endpoint. */
export const oauthProviders = {
  discord: {
    name: 'Discord',
    provesEmail: true,
    authorizationUrl: 'https://discord.com/oauth2/authorize',
    tokenUrl: 'https://discord.com/api/oauth2/token',
    userinfoUrl: 'https://discord.com/api/users/@me',
    scopes: ['identify', 'email'],
    profile: (json) =>
      profileOf(
        text(json, 'id'),
        firstText(json, 'global_name', 'username'),
        text(json, 'email'),
        flag(json, 'verified'),
        discordImage(json),
      ),
  },
  facebook: {
    name: 'Facebook',
    authorizationUrl: 'https://www.facebook.com/v24.0/dialog/oauth',
    tokenUrl: 'https://graph.facebook.com/v24.0/oauth/access_token',
    userinfoUrl: 'https://graph.facebook.com/v24.0/me?fields=id,name,email,picture',
    scopes: ['email', 'public_profile'],
    scopeSeparator: ',',
    noRefresh: true,
    // These keys verify the ID tokens of Facebook's Limited Login in iOS applications.
    idToken: {
      issuers: ['https://www.facebook.com'],
      jwksUrl: 'https://limited.facebook.com/.well-known/oauth/openid/jwks/',
    },
    // Facebook does not say whether the mail address in the profile was verified. In an ID token the account's id is called `sub`.
    profile: (json) =>
      profileOf(
        firstText(json, 'id', 'sub'),
        text(json, 'name'),
        text(json, 'email'),
        flag(json, 'email_verified'),
        firstText(json, 'picture.data.url', 'picture'),
      ),
  },
  spotify: {
    name: 'Spotify',
    authorizationUrl: 'https://accounts.spotify.com/authorize',
    tokenUrl: 'https://accounts.spotify.com/api/token',
    userinfoUrl: 'https://api.spotify.com/v1/me',
    scopes: ['user-read-email'],
    pkce: true,
    clientAuth: 'basic',
    // Spotify's documentation says: "This email address is unverified".
    profile: (json) =>
      profileOf(text(json, 'id'), firstText(json, 'display_name', 'id'), text(json, 'email'), false, text(json, 'images.0.url')),
  },
  twitter: {
    name: 'X (Twitter)',
    provesEmail: true,
    authorizationUrl: 'https://x.com/i/oauth2/authorize',
    tokenUrl: 'https://api.x.com/2/oauth2/token',
    userinfoUrl: 'https://api.x.com/2/users/me?user.fields=profile_image_url,confirmed_email',
    scopes: ['users.read', 'tweet.read', 'offline.access', 'users.email'],
    pkce: true,
    clientAuth: 'basic',
    profile: (json) =>
      profileOf(
        text(json, 'data.id'),
        firstText(json, 'data.name', 'data.username'),
        text(json, 'data.confirmed_email'),
        true,
        text(json, 'data.profile_image_url'),
      ),
  },
  dropbox: {
    name: 'Dropbox',
    provesEmail: true,
    authorizationUrl: 'https://www.dropbox.com/oauth2/authorize',
    tokenUrl: 'https://api.dropboxapi.com/oauth2/token',
    userinfoUrl: 'https://api.dropboxapi.com/2/users/get_current_account',
    userinfoMethod: 'POST',
    scopes: ['account_info.read'],
    pkce: true,
    authorizationParams: { token_access_type: 'offline' },
    profile: (json) =>
      profileOf(
        text(json, 'account_id'),
        text(json, 'name.display_name'),
        text(json, 'email'),
        flag(json, 'email_verified'),
        text(json, 'profile_photo_url'),
      ),
  },
  kick: {
    name: 'Kick',
    authorizationUrl: 'https://id.kick.com/oauth/authorize',
    tokenUrl: 'https://id.kick.com/oauth/token',
    userinfoUrl: 'https://api.kick.com/public/v1/users',
    scopes: ['user:read'],
    pkce: true,
    profile: (json) =>
      profileOf(
        text(json, 'data.0.user_id'),
        text(json, 'data.0.name'),
        text(json, 'data.0.email'),
        false,
        text(json, 'data.0.profile_picture'),
      ),
  },
  gitlab: {
    name: 'GitLab',
    provesEmail: true,
    authorizationUrl: 'https://gitlab.com/oauth/authorize',
    tokenUrl: 'https://gitlab.com/oauth/token',
    userinfoUrl: 'https://gitlab.com/api/v4/user',
    scopes: ['read_user'],
    pkce: true,
    // An account that is blocked or locked at the provider gets no profile, so it cannot sign in.
    profile: (json) =>
      (text(json, 'state') ?? 'active') !== 'active' || flag(json, 'locked')
        ? undefined
        : profileOf(
            text(json, 'id'),
            firstText(json, 'name', 'username'),
            text(json, 'email'),
            text(json, 'confirmed_at') !== undefined,
            text(json, 'avatar_url'),
          ),
  },
  tiktok: {
    name: 'TikTok',
    authorizationUrl: 'https://www.tiktok.com/v2/auth/authorize/',
    tokenUrl: 'https://open.tiktokapis.com/v2/oauth/token/',
    userinfoUrl: 'https://open.tiktokapis.com/v2/user/info/?fields=open_id,display_name,username,avatar_large_url',
    scopes: ['user.info.basic', 'user.info.profile'],
    scopeSeparator: ',',
    clientIdParam: 'client_key',
    profile: (json) =>
      profileOf(
        text(json, 'data.user.open_id'),
        firstText(json, 'data.user.display_name', 'data.user.username'),
        text(json, 'data.user.email'),
        false,
        text(json, 'data.user.avatar_large_url'),
      ),
  },
  reddit: {
    name: 'Reddit',
    authorizationUrl: 'https://www.reddit.com/api/v1/authorize',
    tokenUrl: 'https://www.reddit.com/api/v1/access_token',
    userinfoUrl: 'https://oauth.reddit.com/api/v1/me',
    scopes: ['identity'],
    clientAuth: 'basic',
    authorizationParams: { duration: 'permanent' },
    // Reddit gives no mail address. Its picture URLs have a query that is escaped for HTML.
    profile: (json) =>
      profileOf(text(json, 'id'), text(json, 'name'), undefined, false, text(json, 'icon_img')?.replaceAll('&amp;', '&')),
  },
  vk: {
    name: 'VK',
    authorizationUrl: 'https://id.vk.com/authorize',
    tokenUrl: 'https://id.vk.com/oauth2/auth',
    userinfoUrl: 'https://id.vk.com/oauth2/user_info',
    userinfoMethod: 'form',
    scopes: ['email'],
    pkce: true,
    deviceBound: true,
    // `verified` concerns the person. It does not say whether the mail address was verified.
    profile: (json) =>
      profileOf(
        text(json, 'user.user_id'),
        fullName(json, 'user.first_name', 'user.last_name'),
        text(json, 'user.email'),
        false,
        text(json, 'user.avatar'),
      ),
  },
  zoom: {
    name: 'Zoom',
    authorizationUrl: 'https://zoom.us/oauth/authorize',
    tokenUrl: 'https://zoom.us/oauth/token',
    userinfoUrl: 'https://api.zoom.us/v2/users/me',
    // The owner of a Zoom account creates its users. `verified` therefore does not say who verified the mail address. The scopes are
    // chosen in the settings of the application at Zoom, so none are requested.
    scopes: [],
    pkce: true,
    clientAuth: 'basic',
    profile: (json) =>
      profileOf(
        text(json, 'id'),
        text(json, 'display_name') ?? fullName(json, 'first_name', 'last_name'),
        text(json, 'email'),
        flag(json, 'verified'),
        text(json, 'pic_url'),
      ),
  },
} as const satisfies Readonly<Record<string, ProviderDefinition>>

/** The primary mail address in GitHub's list of mail addresses. Without that list, the mail address in the profile. */
const githubEmail = (json: Json): { readonly email: string | undefined; readonly verified: boolean } => {
  const emails = at(json, 'emails')
  const primary = Array.isArray(emails) ? emails.find((entry: unknown) => flag(entry, 'primary')) : undefined
  return primary === undefined
    ? { email: text(json, 'email'), verified: false }
    : { email: text(primary, 'value'), verified: flag(primary, 'verified') }
}

/** `providers/github.ts` handles GitHub, because it also has to read the list of mail addresses. */
export const github = {
  name: 'GitHub',
  provesEmail: true,
  authorizationUrl: 'https://github.com/login/oauth/authorize',
  tokenUrl: 'https://github.com/login/oauth/access_token',
  userinfoUrl: 'https://api.github.com/user',
  /** The endpoint that lists the user's mail addresses. */
  emailsUrl: 'https://api.github.com/user/emails',
  scopes: ['read:user', 'user:email'],
  pkce: true,
  profile: (json) => {
    const { email, verified } = githubEmail(json)
    return profileOf(text(json, 'id'), firstText(json, 'name', 'login'), email, verified, text(json, 'avatar_url'))
  },
} as const satisfies ProviderDefinition & { emailsUrl: string }
