import { countUpTo } from '../../core/db/count.ts'
import { type Db, lockName, type Tx } from '../../core/db/database.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import { searchTerms, termsOfEmail, termsOfName } from '../../core/db/search.ts'
import { listNamesOf, table } from '../../core/db/table.ts'
import { users as columns, type UserRow } from './table.ts'

export type { UserRow }
export const users = table(columns)

/** Names of users, by id. */
export const listUserNames = listNamesOf(columns)

/** An address of a user at one time: given up and taken back, it has another version. */
export type Address = Pick<UserRow, 'email' | 'emailVersion'>

export const findUser = (db: Db, id: string) => users.find(db, { id })
/** `email` is the lower-cased address. */
export const findUserByEmail = (db: Db, email: string) => users.find(db, { email })

/** `username` is normalized. */
export const findUserByUsername = (db: Db, username: string) => users.find(db, { username })

/** The index of words in names and addresses, for searches of administrators; written with every change of them. */
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
/** Marks the address as verified if the user still has it; false if it was verified or has changed. */
export const markVerified = (tx: Tx, id: string, { email, emailVersion }: Address, updatedAt: Date) =>
  users.updateOne(
    tx,
    { id, email, emailVersion, emailVerified: false },
    { emailVerified: true, emailEverVerified: true, updatedAt },
  )
/** Does not set the time of the last change, which nobody made. */
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
/** False if the user has another address now; throws by the unique index. */
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
/** False for a deleted user. */
export const setRole = (tx: Tx, id: string, role: string, updatedAt: Date) => users.updateOne(tx, { id }, { role, updatedAt })
/** Bans the user, or replaces their ban. False for a deleted user. */
export const setBan = (tx: Tx, id: string, ban: Pick<UserRow, 'bannedAt' | 'banReason' | 'banExpiresAt'>) =>
  users.updateOne(tx, { id }, ban)
/** False for a user without a ban. */
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

/** Users with a role besides the default one: few, with an index whose condition a statement has to repeat. */
const withInstanceRole = (db: Db) => db.knex('user').whereRaw("role <> 'user'")
/** Matches stored roles that contain one; `searched` has a comma on both sides. Compares exactly, unlike `like` of SQLite. */
export const hasRole = (column: string, searched: string): string =>
  `replace(',' || ${column} || ',', ${searched}, '') <> ',' || ${column} || ','`
const administrators = (db: Db) => withInstanceRole(db).whereRaw(hasRole('role', "',admin,'"))

/** Held until the transaction ends, so that simultaneous changes of roles and administrators see each other. */
export const lockRoles = (tx: Tx) => lockName(tx, 'role:admin')
/** True if an administrator other than this user can sign in at `now`. Only this condition knows everything that prevents a sign-in. */
export const hasOtherAdministrator = async (tx: Tx, id: string, now: Date): Promise<boolean> =>
  (await administrators(tx)
    .whereNot({ id })
    .andWhere((free) => free.whereNull('banned_at').orWhere('ban_expires_at', '<=', now))
    .first('id')) !== undefined
/** Ids of administrators who are not banned, oldest first. */
export const listAdministratorIds = (db: Db, now: Date, limit: number): Promise<string[]> =>
  administrators(db)
    .andWhere((free) => free.whereNull('banned_at').orWhere('ban_expires_at', '<=', now))
    .orderBy(['created_at', 'id'])
    .limit(limit)
    .pluck('id')
/** True if an administrator exists, whether or not they can sign in. */
export const hasAdministrator = async (db: Db): Promise<boolean> => (await administrators(db).first('id')) !== undefined
/** Stores the state of a user's second factors. False for a deleted user. */
export const setSecondFactor = (
  tx: Tx,
  id: string,
  change: Partial<Pick<UserRow, 'twoFactorEnabled' | 'secondFactorSince' | 'secondFactorDue' | 'secondFactorRequired'>>,
) => users.updateOne(tx, { id }, change)
/** True when a user with a role besides the default one has a second factor. */
export const hasSecondFactorAmongRoles = async (db: Db): Promise<boolean> =>
  (await withInstanceRole(db).whereNotNull('second_factor_since').first('id')) !== undefined
/** The number of users without a second factor who need one since `now` or before; at most `most`. */
export const countSecondFactorOverdue = (db: Db, now: Date, most: number): Promise<number> =>
  countUpTo(db, db.knex(users.name).whereNull('second_factor_since').where('second_factor_due', '<=', now), most)
/** Users with a role besides the default one, in the order of their own index: otherwise SQLite would read all users by id. */
export const listWithRoles = async (db: Db): Promise<readonly UserRow[]> => {
  const rows: Record<string, unknown>[] = await withInstanceRole(db).orderBy(['created_at', 'id']).limit(10_000)
  return rows.map((row) => users.decode(row))
}
/** True when at least two users have a role besides the default one. */
export const isRoleShared = async (db: Db): Promise<boolean> => (await withInstanceRole(db).limit(2).pluck('id')).length === 2
/** The different stored roles besides the default one. */
export const listInstanceRoles = (db: Db): Promise<string[]> => withInstanceRole(db).distinct().pluck('role')

/** Fields that are not returned stay out. */
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
