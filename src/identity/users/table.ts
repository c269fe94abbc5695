import { bool, int, json, nullable, type Row, text, time, view } from '../../core/db/table.ts'
import { recordOf } from '../../core/stored-json.ts'
import { isFieldValue } from './rules.ts'

/**
 * The columns of users, and smaller sets of them that other features read or join. Only `store.ts` changes users. A feature that imports
 * these sets is built after the users (`composition.ts`).
 */
export const users = view('user', {
  id: text,
  name: text,
  email: text,
  emailVerified: bool,
  image: nullable(text),
  role: text,
  language: nullable(int),
  /** The IANA name of the time zone; null if unknown. */
  timeZone: nullable(text),
  /** The number of changes of the address so far. */
  emailVersion: int,
  /** True if this address or an earlier one was verified. */
  emailEverVerified: bool,
  /** The values of configured fields; null if none was ever set. */
  fields: nullable(json(() => recordOf(isFieldValue))),
  bannedAt: nullable(time),
  banReason: nullable(text),
  /** Null for a ban that lasts until it is lifted. */
  banExpiresAt: nullable(time),
  /** True if signing in takes more than the password. */
  twoFactorEnabled: bool,
  /** The time at which the user got a second factor; null if the user has none. */
  secondFactorSince: nullable(time),
  /** The time from which the user needs a second factor; null if never. */
  secondFactorDue: nullable(time),
  /** True if an operator requires a second factor of this user, whatever roles the user has. */
  secondFactorRequired: bool,
  /** The normalized user name, which is unique. */
  username: nullable(text),
  /** The user's spelling of the name. */
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

/** The columns that a sign-in needs about the locked user. */
export const signInStates = users.pick(
  ...(['bannedAt', 'banExpiresAt', 'twoFactorEnabled', 'secondFactorSince', 'secondFactorDue', 'secondFactorRequired'] as const),
)

export const userBans = users.pick('bannedAt', 'banExpiresAt')

/** The columns of a person that other people see. */
export const userNames = users.pick('name', 'email', 'image')
/** The columns that show a person in rows for operators. */
export const userAddresses = users.pick('name', 'email')
