/** A profile from each provider's documentation, and the user that is made from it here. */
export interface Sample {
  readonly id: string
  /** The answer of the profile endpoint, or the claims of the ID token. */
  readonly profile: unknown
  readonly fromIdToken?: true
  /** The resulting user. Without an address in the profile, only the id and the name are known. */
  readonly user: {
    readonly id: string
    readonly name: string
    readonly email?: string
    readonly verified: boolean
    readonly image: string | null
  }
  /** Scopes as sent in the request. */
  readonly scope: string | null
  readonly authorize?: Readonly<Record<string, string>>
  readonly pkce: boolean
  readonly auth: 'basic' | 'post' | 'client_key'
  /** The form of the request for the profile. */
  readonly asks?: 'bearer' | 'POST' | 'form'
  readonly refreshes?: false
}

const image = 'https://images.example/person.png'

export const samples: readonly Sample[] = [
  {
    id: 'apple',
    profile: {
      sub: '001234.abcdef0123456789abcdef0123456789.1234',
      email: 'apple@example.com',
      email_verified: 'true',
      is_private_email: 'false',
      auth_time: 1700000000,
      nonce_supported: true,
    },
    fromIdToken: true,
    user: {
      id: '001234.abcdef0123456789abcdef0123456789.1234',
      name: 'John Appleseed',
      email: 'apple@example.com',
      verified: true,
      image: null,
    },
    scope: 'email name',
    authorize: { response_mode: 'form_post' },
    pkce: false,
    auth: 'post',
  },
  {
    id: 'discord',
    profile: {
      id: '80351110224678912',
      username: 'nelly',
      discriminator: '0',
      global_name: 'Nelly',
      avatar: '8342729096ea3675442027381ff50dfe',
      verified: true,
      email: 'discord@example.com',
      mfa_enabled: true,
    },
    user: {
      id: '80351110224678912',
      name: 'Nelly',
      email: 'discord@example.com',
      verified: true,
      image: 'https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea3675442027381ff50dfe.png',
    },
    scope: 'identify email',
    pkce: false,
    auth: 'post',
  },
  {
    id: 'facebook',
    profile: {
      id: '10160000000000000',
      name: 'Mark Face',
      email: 'facebook@example.com',
      picture: { data: { height: 50, url: image } },
    },
    user: { id: '10160000000000000', name: 'Mark Face', email: 'facebook@example.com', verified: false, image },
    scope: 'email,public_profile',
    pkce: false,
    auth: 'post',
    refreshes: false,
  },
  {
    id: 'microsoft',
    profile: {
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      name: 'Abe Lincoln',
      preferred_username: 'AbeLi@microsoft.com',
      oid: '00000000-0000-0000-66f3-3332eca7ea81',
      tid: '9188040d-6c67-4c5b-b112-36a304b66dad',
      email: 'microsoft@example.com',
    },
    fromIdToken: true,
    user: {
      id: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      name: 'Abe Lincoln',
      email: 'microsoft@example.com',
      verified: false,
      image: null,
    },
    scope: 'openid profile email User.Read offline_access',
    pkce: true,
    auth: 'post',
  },
  {
    id: 'google',
    profile: {
      sub: '110169484474386276334',
      name: 'Gordon Google',
      given_name: 'Gordon',
      family_name: 'Google',
      picture: image,
      email: 'google@example.com',
      email_verified: true,
    },
    fromIdToken: true,
    user: { id: '110169484474386276334', name: 'Gordon Google', email: 'google@example.com', verified: true, image },
    scope: 'email profile openid',
    authorize: { access_type: 'offline', include_granted_scopes: 'true' },
    pkce: true,
    auth: 'post',
  },
  {
    id: 'huggingface',
    profile: {
      sub: '62f264b9f3c90f4b6514a269',
      name: 'Hugo Face',
      preferred_username: 'hugo',
      profile: 'https://huggingface.co/hugo',
      picture: image,
      email: 'huggingface@example.com',
      email_verified: true,
      isPro: false,
    },
    user: { id: '62f264b9f3c90f4b6514a269', name: 'Hugo Face', email: 'huggingface@example.com', verified: true, image },
    scope: 'openid profile email',
    pkce: true,
    auth: 'post',
  },
  {
    id: 'spotify',
    profile: {
      id: 'wizzler',
      display_name: 'JM Wizzler',
      email: 'spotify@example.com',
      images: [{ url: image, height: 300, width: 300 }],
      product: 'premium',
      uri: 'spotify:user:wizzler',
    },
    user: { id: 'wizzler', name: 'JM Wizzler', email: 'spotify@example.com', verified: false, image },
    scope: 'user-read-email',
    pkce: true,
    auth: 'basic',
  },
  {
    id: 'twitch',
    profile: {
      sub: '713936733',
      preferred_username: 'scotwht',
      email: 'twitch@example.com',
      email_verified: true,
      picture: image,
    },
    fromIdToken: true,
    user: { id: '713936733', name: 'scotwht', email: 'twitch@example.com', verified: true, image },
    scope: 'user:read:email openid',
    authorize: { claims: '{"id_token":{"email":null,"email_verified":null,"preferred_username":null,"picture":null}}' },
    pkce: false,
    auth: 'post',
  },
  {
    id: 'twitter',
    profile: {
      data: {
        id: '2244994945',
        name: 'X Dev',
        username: 'TwitterDev',
        profile_image_url: image,
        confirmed_email: 'twitter@example.com',
      },
    },
    user: { id: '2244994945', name: 'X Dev', email: 'twitter@example.com', verified: true, image },
    scope: 'users.read tweet.read offline.access users.email',
    pkce: true,
    auth: 'basic',
  },
  {
    id: 'dropbox',
    profile: {
      account_id: 'dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc',
      name: { given_name: 'Franz', surname: 'Ferdinand', display_name: 'Franz Ferdinand (Personal)' },
      email: 'dropbox@example.com',
      email_verified: true,
      disabled: false,
      profile_photo_url: image,
    },
    user: {
      id: 'dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc',
      name: 'Franz Ferdinand (Personal)',
      email: 'dropbox@example.com',
      verified: true,
      image,
    },
    scope: 'account_info.read',
    authorize: { token_access_type: 'offline' },
    pkce: true,
    auth: 'post',
    asks: 'POST',
  },
  {
    id: 'kick',
    profile: { data: [{ user_id: 123, name: 'Kicker', email: 'kick@example.com', profile_picture: image }], message: 'OK' },
    user: { id: '123', name: 'Kicker', email: 'kick@example.com', verified: false, image },
    scope: 'user:read',
    pkce: true,
    auth: 'post',
  },
  {
    id: 'linkedin',
    profile: {
      sub: '782bbtaQ',
      name: 'Lin Kedin',
      picture: image,
      locale: 'en-US',
      email: 'linkedin@example.com',
      email_verified: true,
    },
    user: { id: '782bbtaQ', name: 'Lin Kedin', email: 'linkedin@example.com', verified: true, image },
    scope: 'profile email openid',
    pkce: false,
    auth: 'post',
  },
  {
    id: 'gitlab',
    profile: {
      id: 1,
      username: 'john_smith',
      name: 'John Smith',
      state: 'active',
      locked: false,
      avatar_url: image,
      email: 'gitlab@example.com',
      confirmed_at: '2012-05-23T09:05:22Z',
    },
    user: { id: '1', name: 'John Smith', email: 'gitlab@example.com', verified: true, image },
    scope: 'read_user',
    pkce: true,
    auth: 'post',
  },
  {
    id: 'tiktok',
    profile: {
      data: { user: { open_id: '723f24d7-e717-40f8-a2b6-cb8464cd23b4', display_name: 'Tik Tok', avatar_large_url: image } },
      error: { code: 'ok', message: '', log_id: '20220829194722CBE87ED59D524E727021' },
    },
    user: { id: '723f24d7-e717-40f8-a2b6-cb8464cd23b4', name: 'Tik Tok', verified: false, image },
    scope: 'user.info.basic,user.info.profile',
    pkce: false,
    auth: 'client_key',
  },
  {
    id: 'reddit',
    profile: {
      id: '1w72',
      name: 'reddit_bot',
      has_verified_email: true,
      icon_img: 'https://images.example/a.png?width=256&amp;s=1',
    },
    user: { id: '1w72', name: 'reddit_bot', verified: false, image: 'https://images.example/a.png?width=256&s=1' },
    scope: 'identity',
    authorize: { duration: 'permanent' },
    pkce: false,
    auth: 'basic',
  },
  {
    id: 'roblox',
    profile: {
      sub: '12345678',
      name: 'Jane Doe',
      nickname: 'robloxjanedoe',
      preferred_username: 'robloxjanedoe',
      created_at: 1607354232,
      profile: 'https://www.roblox.com/users/12345678/profile',
      picture: image,
    },
    user: { id: '12345678', name: 'Jane Doe', verified: false, image },
    scope: 'openid profile',
    pkce: true,
    auth: 'post',
  },
  {
    id: 'vk',
    profile: {
      user: {
        user_id: '1234567890',
        first_name: 'Ivan',
        last_name: 'Ivanov',
        avatar: image,
        email: 'vk@example.com',
        verified: true,
      },
    },
    user: { id: '1234567890', name: 'Ivan Ivanov', email: 'vk@example.com', verified: false, image },
    scope: 'email',
    pkce: true,
    auth: 'post',
    asks: 'form',
  },
  {
    id: 'zoom',
    profile: {
      id: 'KDcuGIm1QgePTO8WbOqwIQ',
      first_name: 'Jill',
      last_name: 'Chill',
      display_name: 'Jill Chill',
      email: 'zoom@example.com',
      type: 1,
      verified: 1,
      pic_url: image,
    },
    user: { id: 'KDcuGIm1QgePTO8WbOqwIQ', name: 'Jill Chill', email: 'zoom@example.com', verified: true, image },
    scope: null,
    pkce: true,
    auth: 'basic',
  },
]
