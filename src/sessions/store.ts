import type { Knex } from 'knex'
import { type Db, readPrepared, type Tx } from '../core/database.ts'
import { deleteSome } from '../core/sweep.ts'
import { bool, int, json, nullable, type Row, table, text, time } from '../core/table.ts'
import type { FieldValues } from '../users/index.ts'

const columns = {
  id: text,
  tokenHash: text,
  userId: text,
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
  ipAddress: text,
  userAgent: text,
  rememberMe: bool,
  /** When the password was given for it; null: never. */
  passwordAt: nullable(time),
  activeOrganizationId: nullable(text),
  activeTeamId: nullable(text),
}
const sessions = table('session', columns)
export type SessionRow = Row<typeof columns>

/** Which sessions: those that act for the organization, if named for this team of it, if named of this user. */
export interface ActiveScope {
  readonly organizationId: string
  readonly teamId?: string
  readonly userId?: string
}

/** What a session check needs of the user, read in the same statement. */
const owner = table('user', {
  id: text,
  name: text,
  email: text,
  emailVerified: bool,
  image: nullable(text),
  role: text,
  language: nullable(int),
  fields: nullable(json<FieldValues>()),
  createdAt: time,
  updatedAt: time,
})
export type Owner = ReturnType<typeof owner.decode>

// Written out once: the session check is the hottest statement there is, and building it anew costs as much as running it.
const bothOf = `${sessions.select('s', 's_')}, ${owner.select('u', 'u_')}`
const byTokenHash = {
  name: 'session_by_token_hash',
  sql: `select ${bothOf} from session s join "user" u on u.id = s.user_id where s.token_hash = ?`,
}

/** Session and user of a token in one read. */
export const findByTokenHash = async (db: Db, tokenHash: string): Promise<{ session: SessionRow; user: Owner } | undefined> => {
  const [raw] = await readPrepared(db, byTokenHash, [tokenHash])
  return raw === undefined ? undefined : { session: sessions.decode(raw, 's_'), user: owner.decode(raw, 'u_') }
}

export const findSession = (db: Db, id: string) => sessions.find(db, { id })
export const insertSession = (tx: Tx, row: SessionRow) => sessions.insert(tx, row)
/** What a session acts for. */
type Active = 'activeOrganizationId' | 'activeTeamId'

/** Begins a session anew under its id; what it acts for stays. False when it was ended or begun anew since `seenTokenHash` was read. */
export const renew = (tx: Tx, id: string, seenTokenHash: string, row: Omit<SessionRow, 'id' | Active>) =>
  sessions.updateOne(tx, { id, tokenHash: seenTokenHash }, row)
/** False when another request extended or ended it first. */
export const extend = (tx: Tx, id: string, seen: Date, expiresAt: Date, updatedAt: Date) =>
  sessions.updateOne(tx, { id, updatedAt: seen }, { expiresAt, updatedAt })
/** False when the session is gone. */
export const setActive = (tx: Tx, id: string, activeOrganizationId: string | null, activeTeamId: string | null) =>
  sessions.updateOne(tx, { id }, { activeOrganizationId, activeTeamId })
/** False when the session acts for another organization. */
export const setActiveTeam = (tx: Tx, id: string, activeOrganizationId: string, activeTeamId: string | null) =>
  sessions.updateOne(tx, { id, activeOrganizationId }, { activeTeamId })
/** Sessions that act for an organization, of all users or one, act for none any more; with a team: for none of its teams. */
export const clearActive = (tx: Tx, { organizationId, teamId, userId }: ActiveScope) =>
  sessions.update(
    tx,
    {
      activeOrganizationId: organizationId,
      ...(teamId === undefined ? {} : { activeTeamId: teamId }),
      ...(userId === undefined ? {} : { userId }),
    },
    { ...(teamId === undefined ? { activeOrganizationId: null } : {}), activeTeamId: null },
  )
/** False when it was gone already. */
export const deleteSession = async (tx: Tx, id: string) => (await sessions.delete(tx, { id })) === 1
/** Deletes sessions that ended before `now`, at most `limit`; returns their ids. */
export const deleteExpired = async (tx: Tx, now: Date, limit: number): Promise<string[]> => {
  const ids: string[] = await tx.knex('session').where('expires_at', '<=', now).limit(limit).pluck('id')
  if (ids.length > 0) await tx.knex('session').whereIn('id', ids).delete()
  return ids
}

/** The live sessions of a user, last used first. */
export const listByUser = async (db: Db, userId: string, now: Date): Promise<SessionRow[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex('session')
    .where({ user_id: userId })
    .where('expires_at', '>', now)
    .orderBy([
      { column: 'updated_at', order: 'desc' },
      { column: 'created_at', order: 'desc' },
    ])
    .limit(1000)
  return rows.map((row) => sessions.decode(row))
}

/** A session by its id or by the hash of its token. */
export const findByIdOrTokenHash = async (db: Db, id: string, tokenHash: string): Promise<SessionRow | undefined> =>
  (await sessions.find(db, { id })) ?? (await sessions.find(db, { tokenHash }))

/** Deletes all sessions of a user but one; returns their ids. */
export const deleteByUser = async (tx: Tx, userId: string, exceptId: string | undefined): Promise<string[]> => {
  const ids: string[] = await tx
    .knex('session')
    .where({ user_id: userId })
    .whereNot('id', exceptId ?? '')
    .pluck('id')
  if (ids.length > 0) await tx.knex('session').whereIn('id', ids).delete()
  return ids
}

const devices = table('known_device', { userId: text, keyHash: text, lastUsedAt: time })

/** How many of the keys are known for the user. */
export const countKnown = async (db: Db, userId: string, keyHashes: readonly string[]): Promise<number> =>
  (await db.knex('known_device').where({ user_id: userId }).whereIn('key_hash', keyHashes).select('key_hash')).length

/** True when any device is known for the user. */
export const hasDevices = async (db: Db, userId: string): Promise<boolean> => (await devices.find(db, { userId })) !== undefined

export const rememberDevice = async (tx: Tx, userId: string, keyHashes: readonly string[], lastUsedAt: Date): Promise<void> => {
  const rows = keyHashes.map((keyHash) => devices.encode({ userId, keyHash, lastUsedAt }))
  await tx.knex('known_device').insert(rows).onConflict(['user_id', 'key_hash']).merge(['last_used_at'])
}

/** Forgets all devices of a user but the `most` last used ones, at most 500. */
export const deleteDevicesBeyond = (tx: Tx, userId: string, most: number): Promise<number> => {
  const oldest = (rows: Knex.QueryBuilder) => rows.where({ user_id: userId }).orderBy('last_used_at', 'desc').offset(most)
  return deleteSome(tx, devices.name, ['user_id', 'key_hash'], oldest, 500)
}

export const deleteDevices = (tx: Tx, userId: string) => devices.delete(tx, { userId })

/** Deletes at most `limit` devices last used before `before`; returns how many. */
export const deleteOldDevices = (tx: Tx, before: Date, limit: number): Promise<number> =>
  deleteSome(tx, devices.name, ['user_id', 'key_hash'], (rows) => rows.where('last_used_at', '<', before), limit)
