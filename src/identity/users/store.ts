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

/** An address and its version. An address that the user gives up and takes back has a new version. */
export type Address = Pick<UserRow, 'email' | 'emailVersion'>

export const findUser = (db: Db, id: string) => users.find(db, { id })
/** `email` is the lower-cased address. */
export const findUserByEmail = (db: Db, email: string) => users.find(db, { email })

/** `username` is normalized. */
export const findUserByUsername = (db: Db, username: string) => users.find(db, { username })

/** The word index over names and addresses, for searches by administrators. It is updated with every change of them. */
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
/** Marks the address as verified if the user still has it. Returns false if it was verified before or has changed. */
export const markVerified = (tx: Tx, id: string, { email, emailVersion }: Address, updatedAt: Date) =>
  users.updateOne(
    tx,
    { id, email, emailVersion, emailVerified: false },
    { emailVerified: true, emailEverVerified: true, updatedAt },
  )
/** The time of the last change stays, because no person has changed the account. */
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
/** Returns false if the user has another address now. Throws if the unique index refuses the address. */
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
/** Returns false for a deleted user. */
export const setRole = (tx: Tx, id: string, role: string, updatedAt: Date) => users.updateOne(tx, { id }, { role, updatedAt })
/** Bans the user, or replaces the user's ban. Returns false for a deleted user. */
export const setBan = (tx: Tx, id: string, ban: Pick<UserRow, 'bannedAt' | 'banReason' | 'banExpiresAt'>) =>
  users.updateOne(tx, { id }, ban)
/** Returns false if the user was not banned. */
export const clearBan = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx
    .knex(users.name)
    .where({ id })
    .whereNotNull('banned_at')
    .update({ banned_at: null, ban_reason: null, ban_expires_at: null })) === 1
/** Banned users. The newest ban comes first. */
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

/** Users with a role besides the default role. They are few, and the query has to repeat the condition of their index. */
const withInstanceRole = (db: Db) => db.knex('user').whereRaw("role <> 'user'")
/**
 * SQL that is true if the stored roles contain a role. `searched` is the role with a comma on both sides. The comparison is exact, unlike
 * `like` in SQLite.
 */
export const hasRole = (column: string, searched: string): string =>
  `replace(',' || ${column} || ',', ${searched}, '') <> ',' || ${column} || ','`
const administrators = (db: Db) => withInstanceRole(db).whereRaw(hasRole('role', "',admin,'"))

/** Locks changes of roles and administrators until the transaction ends. Simultaneous changes therefore see each other's result. */
export const lockRoles = (tx: Tx) => lockName(tx, 'role:admin')
/** True if an administrator other than this user could sign in at `now`. This condition includes everything that prevents a sign-in. */
export const hasOtherAdministrator = async (tx: Tx, id: string, now: Date): Promise<boolean> =>
  (await administrators(tx)
    .whereNot({ id })
    .andWhere((free) => free.whereNull('banned_at').orWhere('ban_expires_at', '<=', now))
    .first('id')) !== undefined
/** The ids of administrators who are not banned. The oldest account comes first. */
export const listAdministratorIds = (db: Db, now: Date, limit: number): Promise<string[]> =>
  administrators(db)
    .andWhere((free) => free.whereNull('banned_at').orWhere('ban_expires_at', '<=', now))
    .orderBy(['created_at', 'id'])
    .limit(limit)
    .pluck('id')
/** True if an administrator exists, even one who cannot sign in. */
export const hasAdministrator = async (db: Db): Promise<boolean> => (await administrators(db).first('id')) !== undefined
/** Stores the state of a user's second factors. Returns false for a deleted user. */
export const setSecondFactor = (
  tx: Tx,
  id: string,
  change: Partial<Pick<UserRow, 'twoFactorEnabled' | 'secondFactorSince' | 'secondFactorDue' | 'secondFactorRequired'>>,
) => users.updateOne(tx, { id }, change)
/** True if any user with a role besides the default role has a second factor. */
export const hasSecondFactorAmongRoles = async (db: Db): Promise<boolean> =>
  (await withInstanceRole(db).whereNotNull('second_factor_since').first('id')) !== undefined
/** Counts the users without a second factor whose time to add one had ended at `now`. Counting stops at `most`. */
export const countSecondFactorOverdue = (db: Db, now: Date, most: number): Promise<number> =>
  countUpTo(db, db.knex(users.name).whereNull('second_factor_since').where('second_factor_due', '<=', now), most)
/** The users who have a role besides the default role. The order is that of their own index; with another order SQLite would read all users. */
export const listWithRoles = async (db: Db): Promise<readonly UserRow[]> => {
  const rows: Record<string, unknown>[] = await withInstanceRole(db).orderBy(['created_at', 'id']).limit(10_000)
  return rows.map((row) => users.decode(row))
}
/** True if at least two users have a role besides the default role. */
export const isRoleShared = async (db: Db): Promise<boolean> => (await withInstanceRole(db).limit(2).pluck('id')).length === 2
/** The distinct values of stored roles, without the default role. */
export const listInstanceRoles = (db: Db): Promise<string[]> => withInstanceRole(db).distinct().pluck('role')

/** The user's profile for the download of personal data. It leaves out fields that answers never contain. */
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
