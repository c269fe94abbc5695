import { bool, int, json, nullable, type Row, text, time, view } from '../../core/db/table.ts'
import { recordOf } from '../../core/stored-json.ts'
import { isFieldValue } from './rules.ts'

/**
 * The columns of users, and selections of them that other features read. Only `store.ts` changes users. A feature that uses these columns
 * must be built after the users (`composition.ts`).
 */
export const users = view('user', {
  id: text,
  name: text,
  email: text,
  emailVerified: bool,
  image: nullable(text),
  role: text,
  language: nullable(int),
  /** The name of the time zone in the IANA database. Null if unknown. */
  timeZone: nullable(text),
  /** How often the email address was changed. */
  emailVersion: int,
  /** True if the user has ever verified an email address, this one or an earlier one. */
  emailEverVerified: bool,
  /** The values of configured fields. Null if none was ever set. */
  fields: nullable(json(() => recordOf(isFieldValue))),
  bannedAt: nullable(time),
  banReason: nullable(text),
  /** Null for a ban without an end. */
  banExpiresAt: nullable(time),
  /** True if the password alone is not enough to sign in. */
  twoFactorEnabled: bool,
  /** When the user got a second factor. Null if the user has none. */
  secondFactorSince: nullable(time),
  /** From when the user must have a second factor. Null if the user needs none. */
  secondFactorDue: nullable(time),
  /** True if an operator requires a second factor of this user, independently of the user's roles. */
  secondFactorRequired: bool,
  /** The normalized user name. No two users have the same one. */
  username: nullable(text),
  /** The user name as the user spells it, or another text that is displayed in its place. */
  displayUsername: nullable(text),
  createdAt: time,
  updatedAt: time,
})
export type UserRow = Row<typeof users.columns>

/** The columns that a request needs about the user of its session or API key. */
export const requesters = users.pick(
  'id',
  ...(['name', 'email', 'emailVerified', 'image', 'role', 'language', 'fields', 'bannedAt', 'banExpiresAt'] as const),
  ...(['twoFactorEnabled', 'secondFactorSince', 'secondFactorDue'] as const),
  ...(['username', 'displayUsername', 'createdAt', 'updatedAt'] as const),
)
export type Requester = Row<typeof requesters.columns>

/** The columns that claims need about the user of a token. */
export const subjects = users.pick(
  ...(['id', 'name', 'email', 'emailVerified', 'image', 'username', 'bannedAt', 'banExpiresAt', 'updatedAt'] as const),
)

/** The columns that a sign-in needs about its user, who is locked. */
export const signInStates = users.pick(
  ...(['bannedAt', 'banExpiresAt', 'twoFactorEnabled', 'secondFactorSince', 'secondFactorDue', 'secondFactorRequired'] as const),
)

export const userBans = users.pick('bannedAt', 'banExpiresAt')

/** The columns that other people see of a user. */
export const userNames = users.pick('name', 'email', 'image')
/** The columns that identify a person in lists for operators. */
export const userAddresses = users.pick('name', 'email')
