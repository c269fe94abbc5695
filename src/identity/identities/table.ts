import { nullable, sealed, text, time, view } from '../../core/db/table.ts'

/** The row that a token is bound to. */
export const contextOf = (column: string) => (id: string) => `account/${column}/${id}`

/** Identities of users at providers, and the rows that hold their passwords. Tokens are sealed. */
export const accounts = view('account', {
  id: text,
  /** At the provider; of the row that holds a password, the user id. */
  accountId: text,
  providerId: text,
  userId: text,
  accessToken: nullable(sealed(contextOf('access_token'))),
  refreshToken: nullable(sealed(contextOf('refresh_token'))),
  idToken: nullable(sealed(contextOf('id_token'))),
  accessTokenExpiresAt: nullable(time),
  refreshTokenExpiresAt: nullable(time),
  scope: nullable(text),
  /** The provider's id of the device that signed in; its token endpoint requires it again (VK). */
  deviceId: nullable(text),
  /** Until then another request is refreshing the tokens. */
  refreshClaimedUntil: nullable(time),
  /** The hash. */
  password: nullable(text),
  createdAt: time,
  updatedAt: time,
})

/** The columns of the row with the password that a sign-in reads beside the user. */
export const passwords = accounts.pick('id', 'password')
