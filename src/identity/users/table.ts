import { bool, int, json, nullable, type Row, text, time, view } from '../../core/db/table.ts'
import { recordOf } from '../../core/stored-json.ts'
import { isFieldValue } from './rules.ts'

/**
 * The columns of users, and the views for other features: in joins, decoded as here. These views are values that stores above import, because
 * every one of these features is built after the users (`composition.ts`); the statements that change a user are in `store.ts` alone.
 */
export const users = view('user', {
  id: text,
  name: text,
  email: text,
  emailVerified: bool,
  image: nullable(text),
  role: text,
  language: nullable(int),
  /** IANA name; null: not known. */
  timeZone: nullable(text),
  /** Grows with every change of the address. */
  emailVersion: int,
  /** This address or one before it was verified. */
  emailEverVerified: bool,
  /** Values of the configured fields; null: none was ever set. */
  fields: nullable(json(() => recordOf(isFieldValue))),
  bannedAt: nullable(time),
  banReason: nullable(text),
  /** Null: until the ban is lifted. */
  banExpiresAt: nullable(time),
  /** A password alone does not sign in. */
  twoFactorEnabled: bool,
  /** Since when they could prove a second factor; null: they cannot. */
  secondFactorSince: nullable(time),
  /** From when on a second factor is required; null: it is not. */
  secondFactorDue: nullable(time),
  /** An operator requires a second factor of this person, whatever their roles. */
  secondFactorRequired: bool,
  /** Normalized, and unique. */
  username: nullable(text),
  /** How the user name is written. */
  displayUsername: nullable(text),
  createdAt: time,
  updatedAt: time,
})
export type UserRow = Row<typeof users.columns>

/** The columns of the user of a session or API key that a request needs. */
export const requesters = users.pick(
  'id',
  ...(['name', 'email', 'emailVerified', 'image', 'role', 'language', 'fields', 'bannedAt', 'banExpiresAt'] as const),
  ...(['twoFactorEnabled', 'secondFactorSince', 'secondFactorDue'] as const),
  ...(['username', 'displayUsername', 'createdAt', 'updatedAt'] as const),
)
export type Requester = Row<typeof requesters.columns>

/** The columns of the user of a token that claims need. */
export const subjects = users.pick(
  ...(['id', 'name', 'email', 'emailVerified', 'image', 'username', 'bannedAt', 'banExpiresAt', 'updatedAt'] as const),
)

/** The columns of the locked user that a sign-in needs. */
export const signInStates = users.pick(
  ...(['bannedAt', 'banExpiresAt', 'twoFactorEnabled', 'secondFactorSince', 'secondFactorDue', 'secondFactorRequired'] as const),
)

export const userBans = users.pick('bannedAt', 'banExpiresAt')

/** The columns of a person that other people see. */
export const userNames = users.pick('name', 'email', 'image')
/** The columns of the person of a row that operators see. */
export const userAddresses = users.pick('name', 'email')
