import { nullable, sealed, text, time, view } from '../../core/db/table.ts'

/** The row to which a token is bound. */
export const contextOf = (column: string) => (id: string) => `account/${column}/${id}`

/** Identities of users at providers, and the rows of their passwords. Tokens are sealed. */
export const accounts = view('account', {
  id: text,
  /** At the provider; in a password row the user id. */
  accountId: text,
  providerId: text,
  userId: text,
  accessToken: nullable(sealed(contextOf('access_token'))),
  refreshToken: nullable(sealed(contextOf('refresh_token'))),
  idToken: nullable(sealed(contextOf('id_token'))),
  accessTokenExpiresAt: nullable(time),
  refreshTokenExpiresAt: nullable(time),
  scope: nullable(text),
  /** The provider's id of the device of the sign-in; its token endpoint requires it again (VK). */
  deviceId: nullable(text),
  /** Another request refreshes the tokens until this time. */
  refreshClaimedUntil: nullable(time),
  /** The hash. */
  password: nullable(text),
  createdAt: time,
  updatedAt: time,
})

/** The columns of the password row that a sign-in reads together with the user. */
export const passwords = accounts.pick('id', 'password')
