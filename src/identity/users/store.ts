import { countUpTo } from '../../core/db/count.ts'
import { type Db, lockName, type Tx } from '../../core/db/database.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import { searchTerms, termsOfEmail, termsOfName } from '../../core/db/search.ts'
import { listNamesOf, table } from '../../core/db/table.ts'
import { users as columns, type UserRow } from './table.ts'

export type { UserRow }
export const users = table(columns)

/** Reads the names of users by their ids. */
export const listUserNames = listNamesOf(columns)

/** An email address and its version. If a user gives an address up and later takes it back, it has a new version. */
export type Address = Pick<UserRow, 'email' | 'emailVersion'>

export const findUser = (db: Db, id: string) => users.find(db, { id })
/** Finds a user by email address, which must be in lower case. */
export const findUserByEmail = (db: Db, email: string) => users.find(db, { email })

/** Finds a user by user name, which must be normalized. */
export const findUserByUsername = (db: Db, username: string) => users.find(db, { username })

/** The search index over names and email addresses, for administrators. It is written whenever one of them changes. */
export const userTerms = searchTerms('user')
const termsOf = ({ name, email, username }: Pick<UserRow, 'name' | 'email' | 'username'>) => [
  ...termsOfName(name),
  ...termsOfEmail(email),
  ...termsOfName(username ?? ''),
]
const refreshTerms = async (tx: Tx, id: string): Promise<void> => {
  const row = await findUser(tx, id)
  if (row !== undefined) await userTerms.replace(tx, id, termsOf(row))
}

export const insertUser = async (tx: Tx, row: UserRow): Promise<void> => {
  await users.insert(tx, row)
  await userTerms.insert(tx, row.id, termsOf(row))
}
/** Marks an email address as verified, if the user still has it. Returns false if it was already verified, or has changed. */
export const markVerified = (tx: Tx, id: string, { email, emailVersion }: Address, updatedAt: Date) =>
  users.updateOne(
    tx,
    { id, email, emailVersion, emailVerified: false },
    { emailVerified: true, emailEverVerified: true, updatedAt },
  )
/** `updatedAt` does not change, because no person has changed the account. */
export const noteTimeZone = (tx: Tx, id: string, timeZone: string): Promise<number> =>
  tx
    .knex('user')
    .where({ id })
    .where((stale) => stale.whereNull('time_zone').orWhereNot('time_zone', timeZone))
    .update({ time_zone: timeZone })
export const updateUser = async (
  tx: Tx,
  id: string,
  patch: Partial<Pick<UserRow, 'name' | 'image' | 'language' | 'fields' | 'username' | 'displayUsername'>>,
  updatedAt: Date,
): Promise<boolean> => {
  if (!(await users.updateOne(tx, { id }, { ...patch, updatedAt }))) return false
  if (patch.name !== undefined || patch.username !== undefined) await refreshTerms(tx, id)
  return true
}
/**
 * Replaces the email address of a user. Returns false if the user has another address than expected. Throws if another user has the new
 * address (unique index).
 */
export const replaceEmail = async (
  tx: Tx,
  id: string,
  { email, emailVersion }: Address,
  newEmail: string,
  updatedAt: Date,
): Promise<boolean> => {
  const next = { email: newEmail, emailVersion: emailVersion + 1, emailVerified: false, updatedAt }
  if (!(await users.updateOne(tx, { id, email, emailVersion }, next))) return false
  await refreshTerms(tx, id)
  return true
}
/** Sets the roles of a user. Returns false for a deleted user. */
export const setRole = (tx: Tx, id: string, role: string, updatedAt: Date) => users.updateOne(tx, { id }, { role, updatedAt })
/** Bans a user. An existing ban is replaced. Returns false for a deleted user. */
export const setBan = (tx: Tx, id: string, ban: Pick<UserRow, 'bannedAt' | 'banReason' | 'banExpiresAt'>) =>
  users.updateOne(tx, { id }, ban)
/** Lifts the ban of a user. Returns false if the user was not banned. */
export const clearBan = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx
    .knex(users.name)
    .where({ id })
    .whereNotNull('banned_at')
    .update({ banned_at: null, ban_reason: null, ban_expires_at: null })) === 1
/** Banned users, the newest ban first. */
export const listBanned = async (db: Db, now: Date, limit: number): Promise<readonly UserRow[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex(users.name)
    .select(users.names)
    .whereNotNull('banned_at')
    .andWhere((still) => still.whereNull('ban_expires_at').orWhere('ban_expires_at', '>', now))
    .orderBy([{ column: 'banned_at', order: 'desc' }, 'id'])
    .limit(limit)
  return rows.map((row) => users.decode(row))
}

export const deleteUser = async (tx: Tx, id: string) => (await users.delete(tx, { id })) === 1

/**
 * Users who have more than the default role. They are few and have a partial index. The query repeats the condition of that index, so
 * that the database can use it.
 */
const withInstanceRole = (db: Db) => db.knex('user').whereRaw("role <> 'user'")
/**
 * An SQL condition that is true if the stored roles contain a role. `searched` is the role with a comma on both sides. Upper and lower
 * case matter, which would not be so with `like` on SQLite.
 */
export const hasRole = (column: string, searched: string): string =>
  `replace(',' || ${column} || ',', ${searched}, '') <> ',' || ${column} || ','`
const administrators = (db: Db) => withInstanceRole(db).whereRaw(hasRole('role', "',admin,'"))

/**
 * Locks changes of roles and administrators until the transaction ends. So such changes run one after the other, and each sees the
 * results of the earlier ones.
 */
export const lockRoles = (tx: Tx) => lockName(tx, 'role:admin')
/** True if an administrator other than this user could sign in at `now`. The condition contains everything that can prevent a sign-in. */
export const hasOtherAdministrator = async (tx: Tx, id: string, now: Date): Promise<boolean> =>
  (await administrators(tx)
    .whereNot({ id })
    .andWhere((free) => free.whereNull('banned_at').orWhere('ban_expires_at', '<=', now))
    .first('id')) !== undefined
/** Ids of administrators who are not banned, the oldest account first. */
export const listAdministratorIds = (db: Db, now: Date, limit: number): Promise<string[]> =>
  administrators(db)
    .andWhere((free) => free.whereNull('banned_at').orWhere('ban_expires_at', '<=', now))
    .orderBy(['created_at', 'id'])
    .limit(limit)
    .pluck('id')
/** True if an administrator exists, even one who cannot sign in. */
export const hasAdministrator = async (db: Db): Promise<boolean> => (await administrators(db).first('id')) !== undefined
/** Stores what is known about a user's second factors. Returns false for a deleted user. */
export const setSecondFactor = (
  tx: Tx,
  id: string,
  change: Partial<Pick<UserRow, 'twoFactorEnabled' | 'secondFactorSince' | 'secondFactorDue' | 'secondFactorRequired'>>,
) => users.updateOne(tx, { id }, change)
/** True if any user with more than the default role has a second factor. */
export const hasSecondFactorAmongRoles = async (db: Db): Promise<boolean> =>
  (await withInstanceRole(db).whereNotNull('second_factor_since').first('id')) !== undefined
/** Counts the users who have no second factor although they should have added one before `now`. Counts only up to `most`. */
export const countSecondFactorOverdue = (db: Db, now: Date, most: number): Promise<number> =>
  countUpTo(db, db.knex(users.name).whereNull('second_factor_since').where('second_factor_due', '<=', now), most)
/** The users who have more than the default role. Their order is that of the partial index. In any other order, SQLite would read all users. */
export const listWithRoles = async (db: Db): Promise<readonly UserRow[]> => {
  const rows: Record<string, unknown>[] = await withInstanceRole(db).orderBy(['created_at', 'id']).limit(10_000)
  return rows.map((row) => users.decode(row))
}
/** True if at least two users have more than the default role. */
export const isRoleShared = async (db: Db): Promise<boolean> => (await withInstanceRole(db).limit(2).pluck('id')).length === 2
/** The different values in the column `role`, except the default role. */
export const listInstanceRoles = (db: Db): Promise<string[]> => withInstanceRole(db).distinct().pluck('role')

/** The user's profile in the download of personal data. Configured fields that answers never contain are left out. */
export const ownProfile = personalRows(users, {
  name: 'profile',
  owner: 'id',
  fields: [
    ...([
      'id',
      'name',
      'email',
      'emailVerified',
      'image',
      'role',
      'language',
      'timeZone',
      'fields',
      'twoFactorEnabled',
      'username',
    ] as const),
    ...(['secondFactorSince', 'secondFactorDue', 'bannedAt', 'banExpiresAt', 'createdAt', 'updatedAt'] as const),
  ],
})
