import { anyOf, type Db, preparedSelect, readPrepared, type Tx } from '../../core/db/database.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import { deleteSome, type Outdated } from '../../core/db/sweep.ts'
import { bool, int, json, nullable, type Row, table, text, time } from '../../core/db/table.ts'
import type { Watch } from '../../core/jobs.ts'
import { texts } from '../../core/stored-json.ts'
import { type Requester, requesters } from '../../identity/users/table.ts'
import { type StoredProof, storedProofs } from './table.ts'

export type { StoredProof }

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
  activeOrganizationId: nullable(text),
  activeTeamId: nullable(text),
  /** The impersonating administrator, and the administrator's session. */
  impersonatedBy: nullable(text),
  impersonatorSessionId: nullable(text),
  /** Number of kinds of factors in the sign-in. */
  factors: int,
  /** Time of the last proof that is enough for sensitive changes. */
  provenAt: nullable(time),
  /** Values of RFC 8176. */
  amr: json(() => texts),
  /** Authentication context class. */
  acr: text,
  /** Methods with the time of each proof, in ISO 8601. */
  proofs: json(storedProofs),
}
/** All columns. */
const stored = table('session', columns)
const authentication = stored.pick('amr', 'acr', 'proofs')
export type AuthenticationRow = Row<typeof authentication.columns>
/** The columns that a request needs. Columns for sign-ins or sensitive changes are not read with every request. */
export const sessions = stored.omit('amr', 'acr', 'proofs')
export type SessionRow = Row<typeof sessions.columns>

/** The sessions of the user that act for the organization, and for the team of it if one is named. */
export interface ActiveScope {
  readonly organizationId: string
  readonly teamId?: string
  readonly userId: string
}

// Prepared text: the session check is the most frequent statement, and building it with knex costs as much as running it.
const ownerColumns = requesters.columnsOf('u', 'u_')
const bothOf = [...sessions.columnsOf('s', 's_'), ...ownerColumns]
const byTokenHash = 'from session s join "user" u on u.id = s.user_id where s.token_hash'

const withAuthentication = preparedSelect(
  'session_with_authentication_by_token_hash',
  [...stored.columnsOf('s', 's_'), ...ownerColumns],
  `${byTokenHash} = ?`,
)

const banned = requesters.name
/** Changes with every ban and its end. Read from the index of banned users. */
export const bansWatch: Watch = { sql: `select max(banned_at) from "${banned}" where banned_at is not null` }
/** Users who were banned after `since` and still are. */
export const listBannedSince = (db: Db, since: Date): Promise<string[]> =>
  db.knex(banned).whereNotNull('banned_at').where('banned_at', '>', since).pluck('id')

export interface FoundSession {
  readonly session: SessionRow
  readonly user: Requester
}

/** Sessions with their users by token hashes, in one read. */
export const findByTokenHashes = async (db: Db, tokenHashes: readonly string[]): Promise<Map<string, FoundSession>> => {
  const { name, sql, values } = anyOf(db, tokenHashes)
  const rows = await readPrepared(db, preparedSelect(`sessions_by_token_hash_${name}`, bothOf, `${byTokenHash} ${sql}`), values)
  return new Map(
    rows.map((raw) => {
      const session = sessions.decode(raw, 's_')
      return [session.tokenHash, { session, user: requesters.decode(raw, 'u_') }]
    }),
  )
}

/** A session with its user and its authentication by token hash, in one read, so that all are of the same moment. */
export const findByTokenHashWithAuthentication = async (
  db: Db,
  tokenHash: string,
): Promise<{ session: SessionRow; user: Requester; authentication: AuthenticationRow } | undefined> => {
  const [raw] = await readPrepared(db, withAuthentication, [tokenHash])
  if (raw === undefined) return undefined
  const { amr, acr, proofs, ...session } = stored.decode(raw, 's_')
  return { session, user: requesters.decode(raw, 'u_'), authentication: { amr, acr, proofs } }
}

export const findSession = (db: Db, id: string) => sessions.find(db, { id })
/** Authentication of a session; undefined if it has ended. */
export const findAuthentication = (db: Db, id: string): Promise<AuthenticationRow | undefined> => stored.find(db, { id })
export const insertSession = (tx: Tx, row: SessionRow & AuthenticationRow) => stored.insert(tx, row)
/** Organization and team of a session. */
type Active = 'activeOrganizationId' | 'activeTeamId'

/** Renews a session under its id; its active organization stays. False if it has ended or was renewed since `seenTokenHash` was read. */
export const renew = (tx: Tx, id: string, seenTokenHash: string, row: Omit<SessionRow, 'id' | Active> & AuthenticationRow) =>
  stored.updateOne(tx, { id, tokenHash: seenTokenHash }, row)
/** False if the session has ended or has another token. */
export const replaceToken = (tx: Tx, id: string, from: string, to: string) =>
  stored.updateOne(tx, { id, tokenHash: from }, { tokenHash: to })
/** False if another request extended or ended it first. */
export const extend = (tx: Tx, id: string, seen: Date, expiresAt: Date, updatedAt: Date) =>
  stored.updateOne(tx, { id, updatedAt: seen }, { expiresAt, updatedAt })
/** False if the session has ended. */
export const setActive = (tx: Tx, id: string, activeOrganizationId: string | null, activeTeamId: string | null) =>
  stored.updateOne(tx, { id }, { activeOrganizationId, activeTeamId })
/** False if another organization is active. */
export const setActiveTeam = (tx: Tx, id: string, activeOrganizationId: string, activeTeamId: string | null) =>
  stored.updateOne(tx, { id, activeOrganizationId }, { activeTeamId })
/** Clears the active organization of a user's sessions, or with `teamId` only the active team. */
export const clearActive = (tx: Tx, { organizationId, teamId, userId }: ActiveScope) =>
  stored.update(
    tx,
    {
      activeOrganizationId: organizationId,
      ...(teamId === undefined ? {} : { activeTeamId: teamId }),
      userId,
    },
    { ...(teamId === undefined ? { activeOrganizationId: null } : {}), activeTeamId: null },
  )
/** Clears the active organization of all sessions with one factor that have it. */
export const clearActiveOfOneFactor = async (tx: Tx, organizationId: string): Promise<void> => {
  const weak = tx.knex(sessions.name).where({ active_organization_id: organizationId }).where('factors', '<', 2)
  await weak.update({ active_organization_id: null, active_team_id: null })
}
/** False if it had ended already. */
export const deleteSession = async (tx: Tx, id: string) => (await stored.delete(tx, { id })) === 1
/** Sessions of users with two factors and no higher class than `acr`. */
export const listOfTwoFactors = async (tx: Tx, userIds: readonly string[], acr: string) => {
  const query = tx
    .knex(stored.name)
    .whereIn('user_id', [...userIds])
    .where('factors', '>', 1)
    .where({ acr })
  const rows: Record<string, unknown>[] = await query.orderBy('id').select(stored.names)
  return rows.map((raw) => stored.decode(raw))
}
/** Replaces the proofs of a session. False if it has ended or was renewed. */
export const setProofs = (tx: Tx, { id, tokenHash }: SessionRow, proofs: readonly StoredProof[], factors: number) =>
  stored.updateOne(tx, { id, tokenHash }, { proofs, factors })
/** Retention of sessions that ended before `now`. */
export const expiredSessions = (now: Date): Outdated => ({
  table: sessions.name,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<=', now),
})

/** The live sessions of a user, last used first. */
export const listByUser = async (db: Db, userId: string, now: Date, withImpersonations: boolean): Promise<SessionRow[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex('session')
    .where({ user_id: userId, ...(withImpersonations ? {} : { impersonated_by: null }) })
    .where('expires_at', '>', now)
    .orderBy([
      { column: 'updated_at', order: 'desc' },
      { column: 'created_at', order: 'desc' },
    ])
    .limit(1000)
  return rows.map((row) => sessions.decode(row))
}

/** Finds a session by its id or token hash. */
export const findByIdOrTokenHash = async (db: Db, id: string, tokenHash: string): Promise<SessionRow | undefined> =>
  (await sessions.find(db, { id })) ?? (await sessions.find(db, { tokenHash }))

/** Deletes all sessions in which the user impersonates others. */
export const deleteImpersonationsBy = (tx: Tx, userId: string) => stored.delete(tx, { impersonatedBy: userId })

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

/** True if the user has signed in with the device of this key. */
export const isKnown = async (db: Db, userId: string, keyHash: string): Promise<boolean> =>
  (await devices.find(db, { userId, keyHash })) !== undefined

/** The number of the user's devices, and of known ones among the keys. */
export const countDevices = async (
  db: Db,
  userId: string,
  keyHashes: readonly string[],
): Promise<{ all: number; known: number }> => {
  const list = anyOf(db, keyHashes)
  const known = `sum(case when key_hash ${list.sql} then 1 else 0 end)`
  const text = `select count(*) as total, ${known} as known from known_device where user_id = ?`
  const [counted] = await readPrepared(db, { name: `known_devices_counted_${list.name}`, sql: text }, [...list.values, userId])
  return { all: Number(counted?.['total']), known: Number(counted?.['known'] ?? 0) }
}

export const rememberDevice = (tx: Tx, userId: string, keyHashes: readonly string[], lastUsedAt: Date): Promise<void> => {
  const rows = keyHashes.map((keyHash) => ({ userId, keyHash, lastUsedAt }))
  return devices.upsertAll(tx, rows, ['userId', 'keyHash'])
}

const outdatedDevices = (choose: Outdated['choose']): Outdated => ({
  table: devices.name,
  key: ['user_id', 'key_hash'],
  choose,
})

/** Deletes all devices of a user but the `most` last used ones, at most 500 at a time. */
export const deleteDevicesBeyond = (tx: Tx, userId: string, most: number): Promise<number> => {
  const oldest = outdatedDevices((rows) => rows.where({ user_id: userId }).orderBy('last_used_at', 'desc').offset(most))
  return deleteSome(tx, oldest, 500)
}

export const deleteDevices = (tx: Tx, userId: string) => devices.delete(tx, { userId })

/** Devices last used before `before`. */
export const devicesBefore = (before: Date): Outdated => outdatedDevices((rows) => rows.where('last_used_at', '<', before))

/** Without sessions of impersonating administrators, whose address and browser they contain. */
export const ownSessions = personalRows(sessions, {
  name: 'sessions',
  fields: [
    ...(['id', 'createdAt', 'updatedAt', 'expiresAt', 'ipAddress', 'userAgent', 'rememberMe'] as const),
    ...(['activeOrganizationId', 'activeTeamId', 'provenAt'] as const),
  ],
  isShown: ({ impersonatedBy }) => impersonatedBy === null,
})
