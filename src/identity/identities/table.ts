import { nullable, sealed, text, time, view } from '../../core/db/table.ts'

/** The row to which a sealed token is bound. A token copied into another row cannot be opened. */
export const contextOf = (column: string) => (id: string) => `account/${column}/${id}`

/** Users' identities at providers, and the rows with their passwords. Tokens are sealed. */
export const accounts = view('account', {
  id: text,
  /** The id of the account at the provider. In the row of a password it is the user id. */
  accountId: text,
  providerId: text,
  userId: text,
  accessToken: nullable(sealed(contextOf('access_token'))),
  refreshToken: nullable(sealed(contextOf('refresh_token'))),
  idToken: nullable(sealed(contextOf('id_token'))),
  accessTokenExpiresAt: nullable(time),
  refreshTokenExpiresAt: nullable(time),
  scope: nullable(text),
  /** The provider's id of the device on which the user signed in. VK's token endpoint asks for it again. */
  deviceId: nullable(text),
  /** Until this time another request has the right to refresh the tokens. */
  refreshClaimedUntil: nullable(time),
  /** The hash of the password. */
  password: nullable(text),
  createdAt: time,
  updatedAt: time,
})

/** The columns of the password row that a sign-in reads together with the user. */
export const passwords = accounts.pick('id', 'password')
