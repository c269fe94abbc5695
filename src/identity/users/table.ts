import { bool, int, json, nullable, type Row, text, time, view } from '../../core/db/table.ts'
import { recordOf } from '../../core/stored-json.ts'
import { isFieldValue } from './rules.ts'

/**
 * The columns of users, and views for other features, also for joins. Stores of later features import these views; every such feature is
 * built after the users (`composition.ts`). Only `store.ts` changes users.
 */
export const users = view('user', {
  id: text,
  name: text,
  email: text,
  emailVerified: bool,
  image: nullable(text),
  role: text,
  language: nullable(int),
  /** IANA name; null: unknown. */
  timeZone: nullable(text),
  /** Increased by every change of the address. */
  emailVersion: int,
  /** This address or an earlier one was verified. */
  emailEverVerified: bool,
  /** Values of configured fields; null: none was set. */
  fields: nullable(json(() => recordOf(isFieldValue))),
  bannedAt: nullable(time),
  banReason: nullable(text),
  /** Null: until the ban is lifted. */
  banExpiresAt: nullable(time),
  /** True if a sign-in needs more than the password. */
  twoFactorEnabled: bool,
  /** Time since when they have a second factor; null: they have none. */
  secondFactorSince: nullable(time),
  /** Time from which they need a second factor; null: never. */
  secondFactorDue: nullable(time),
  /** True if an operator requires a second factor of this person, whatever their roles. */
  secondFactorRequired: bool,
  /** Normalized, and unique. */
  username: nullable(text),
  /** The user's spelling of the name. */
  displayUsername: nullable(text),
  createdAt: time,
  updatedAt: time,
})
export type UserRow = Row<typeof users.columns>

/** The columns of a session's or API key's user that a request needs. */
export const requesters = users.pick(
  'id',
  ...(['name', 'email', 'emailVerified', 'image', 'role', 'language', 'fields', 'bannedAt', 'banExpiresAt'] as const),
  ...(['twoFactorEnabled', 'secondFactorSince', 'secondFactorDue'] as const),
  ...(['username', 'displayUsername', 'createdAt', 'updatedAt'] as const),
)
export type Requester = Row<typeof requesters.columns>

/** The columns of a token's user that claims need. */
export const subjects = users.pick(
  ...(['id', 'name', 'email', 'emailVerified', 'image', 'username', 'bannedAt', 'banExpiresAt', 'updatedAt'] as const),
)

/** The columns of a locked user that a sign-in needs. */
export const signInStates = users.pick(
  ...(['bannedAt', 'banExpiresAt', 'twoFactorEnabled', 'secondFactorSince', 'secondFactorDue', 'secondFactorRequired'] as const),
)

export const userBans = users.pick('bannedAt', 'banExpiresAt')

/** The columns of a person that other people see. */
export const userNames = users.pick('name', 'email', 'image')
/** The columns of a person in rows for operators. */
export const userAddresses = users.pick('name', 'email')
