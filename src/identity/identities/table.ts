import { nullable, sealed, text, time, view } from '../../core/db/table.ts'

/** The context with which a token is sealed. It contains the id of the row, so that a token which is copied to another row cannot be opened. */
export const contextOf = (column: string) => (id: string) => `account/${column}/${id}`

/** The sign-in methods of users: identities at providers, and passwords. Tokens are sealed. */
export const accounts = view('account', {
  id: text,
  /** The id of the account at the provider. In the row with a password it is the user id. */
  accountId: text,
  providerId: text,
  userId: text,
  accessToken: nullable(sealed(contextOf('access_token'))),
  refreshToken: nullable(sealed(contextOf('refresh_token'))),
  idToken: nullable(sealed(contextOf('id_token'))),
  accessTokenExpiresAt: nullable(time),
  refreshTokenExpiresAt: nullable(time),
  scope: nullable(text),
  /** The id that the provider has given to the device on which the user signed in. The token endpoint of VK requires it. */
  deviceId: nullable(text),
  /** Until this time, one request has reserved the refresh of the tokens. */
  refreshClaimedUntil: nullable(time),
  /** The password hash. */
  password: nullable(text),
  createdAt: time,
  updatedAt: time,
})

/** The columns of the row with the password that a sign-in reads together with the user. */
export const passwords = accounts.pick('id', 'password')
