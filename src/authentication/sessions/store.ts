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
  /**
   * The id of the administrator who impersonates the user. `impersonatorSessionId` is the administrator's own session. Both are null if
   * nobody impersonates the user.
   */
  impersonatedBy: nullable(text),
  impersonatorSessionId: nullable(text),
  /** The number of different kinds of factors that were given. */
  factors: int,
  /** The time of the last proof that is strong enough for sensitive changes. */
  provenAt: nullable(time),
  /** The authentication methods as values of RFC 8176. */
  amr: json(() => texts),
  /** The authentication class (`acr`) that all proofs together reach. */
  acr: text,
  /** The methods that have succeeded, with the time of each proof in ISO 8601. */
  proofs: json(storedProofs),
}
/** The table of sessions with all of its columns. */
const stored = table('session', columns)
const authentication = stored.pick('amr', 'acr', 'proofs')
export type AuthenticationRow = Row<typeof authentication.columns>
/** The columns that every request needs. The other columns are read only at sign-ins and before sensitive changes. */
export const sessions = stored.omit('amr', 'acr', 'proofs')
export type SessionRow = Row<typeof sessions.columns>

/** Selects the sessions of a user in which an organization is active. With `teamId`, only sessions in which that team is active. */
export interface ActiveScope {
  readonly organizationId: string
  readonly teamId?: string
  readonly userId: string
}

// The list of columns is prepared once. The check of a session is the most frequent statement, and building it with knex takes as long as
// running it.
const ownerColumns = requesters.columnsOf('u', 'u_')
const bothOf = [...sessions.columnsOf('s', 's_'), ...ownerColumns]
const byTokenHash = 'from session s join "user" u on u.id = s.user_id where s.token_hash'

const withAuthentication = preparedSelect(
  'session_with_authentication_by_token_hash',
  [...stored.columnsOf('s', 's_'), ...ownerColumns],
  `${byTokenHash} = ?`,
)

const banned = requesters.name
/** Notices bans: the result of this query changes with a new ban, and when the newest ban ends. It is read from the index of banned users. */
export const bansWatch: Watch = { sql: `select max(banned_at) from "${banned}" where banned_at is not null` }
/** The ids of users who were banned after `since` and are still banned. */
export const listBannedSince = (db: Db, since: Date): Promise<string[]> =>
  db.knex(banned).whereNotNull('banned_at').where('banned_at', '>', since).pluck('id')

export interface FoundSession {
  readonly session: SessionRow
  readonly user: Requester
}

/** Reads sessions by the hashes of their tokens, together with their users, with one statement. */
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

/**
 * Reads a session by the hash of its token, with its user and its authentication. A single statement reads all three, so that they are
 * from the same moment.
 */
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
/** The authentication of a session; undefined if the session has ended. */
export const findAuthentication = (db: Db, id: string): Promise<AuthenticationRow | undefined> => stored.find(db, { id })
export const insertSession = (tx: Tx, row: SessionRow & AuthenticationRow) => stored.insert(tx, row)
/** The columns for the organization and the team that are active in a session. */
type Active = 'activeOrganizationId' | 'activeTeamId'

/**
 * Replaces the data of a session at its renewal. The id and the active organization stay. Returns false if the session has ended, or if
 * its token has changed since `seenTokenHash` was read.
 */
export const renew = (tx: Tx, id: string, seenTokenHash: string, row: Omit<SessionRow, 'id' | Active> & AuthenticationRow) =>
  stored.updateOne(tx, { id, tokenHash: seenTokenHash }, row)
/** Gives a session a new token. Returns false if the session has ended, or if it has another token than `from`. */
export const replaceToken = (tx: Tx, id: string, from: string, to: string) =>
  stored.updateOne(tx, { id, tokenHash: from }, { tokenHash: to })
/** Extends a session. Returns false if another request has extended or ended it since it was read. */
export const extend = (tx: Tx, id: string, seen: Date, expiresAt: Date, updatedAt: Date) =>
  stored.updateOne(tx, { id, updatedAt: seen }, { expiresAt, updatedAt })
/** Sets the active organization and team. Returns false if the session has ended. */
export const setActive = (tx: Tx, id: string, activeOrganizationId: string | null, activeTeamId: string | null) =>
  stored.updateOne(tx, { id }, { activeOrganizationId, activeTeamId })
/** Sets the active team. Returns false if another organization is active in the session. */
export const setActiveTeam = (tx: Tx, id: string, activeOrganizationId: string, activeTeamId: string | null) =>
  stored.updateOne(tx, { id, activeOrganizationId }, { activeTeamId })
/** Clears the active organization in the sessions that the scope selects. With `teamId`, clears only the active team. */
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
/** Makes the organization no longer active in any session with one factor. */
export const clearActiveOfOneFactor = async (tx: Tx, organizationId: string): Promise<void> => {
  const weak = tx.knex(sessions.name).where({ active_organization_id: organizationId }).where('factors', '<', 2)
  await weak.update({ active_organization_id: null, active_team_id: null })
}
/** Deletes a session. Returns false if it has ended already. */
export const deleteSession = async (tx: Tx, id: string) => (await stored.delete(tx, { id })) === 1
/** The sessions of these users that have two factors and whose authentication class is not higher than `acr`. */
export const listOfTwoFactors = async (tx: Tx, userIds: readonly string[], acr: string) => {
  const query = tx
    .knex(stored.name)
    .whereIn('user_id', [...userIds])
    .where('factors', '>', 1)
    .where({ acr })
  const rows: Record<string, unknown>[] = await query.orderBy('id').select(stored.names)
  return rows.map((raw) => stored.decode(raw))
}
/** Replaces the proofs of a session. Returns false if the session has ended, or if it was renewed since it was read. */
export const setProofs = (tx: Tx, { id, tokenHash }: SessionRow, proofs: readonly StoredProof[], factors: number) =>
  stored.updateOne(tx, { id, tokenHash }, { proofs, factors })
/** Selects sessions that expired before the given time. */
export const expiredSessions = (now: Date): Outdated => ({
  table: sessions.name,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<=', now),
})

/** The sessions of a user that have not expired. The session that was used last comes first. */
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

/** Finds a session by its id or by the hash of its token. */
export const findByIdOrTokenHash = async (db: Db, id: string, tokenHash: string): Promise<SessionRow | undefined> =>
  (await sessions.find(db, { id })) ?? (await sessions.find(db, { tokenHash }))

/** Deletes all sessions in which this administrator impersonates a user. */
export const deleteImpersonationsBy = (tx: Tx, userId: string) => stored.delete(tx, { impersonatedBy: userId })

/** Deletes all sessions of a user except one. Returns the ids of the deleted sessions. */
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

/** True if the user has signed in with the device that is stored under this hash. */
export const isKnown = async (db: Db, userId: string, keyHash: string): Promise<boolean> =>
  (await devices.find(db, { userId, keyHash })) !== undefined

/** Counts the devices of the user, and how many of the given hashes are among them. */
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

/** Deletes the devices of a user except the `most` that were used last. It deletes at most 500. */
export const deleteDevicesBeyond = (tx: Tx, userId: string, most: number): Promise<number> => {
  const oldest = outdatedDevices((rows) => rows.where({ user_id: userId }).orderBy('last_used_at', 'desc').offset(most))
  return deleteSome(tx, oldest, 500)
}

export const deleteDevices = (tx: Tx, userId: string) => devices.delete(tx, { userId })

/** Selects devices that were last used before the given time. */
export const devicesBefore = (before: Date): Outdated => outdatedDevices((rows) => rows.where('last_used_at', '<', before))

/**
 * The sessions of a person, for the download of personal data. Impersonated sessions are left out, because they contain the network
 * address and browser of an administrator.
 */
export const ownSessions = personalRows(sessions, {
  name: 'sessions',
  fields: [
    ...(['id', 'createdAt', 'updatedAt', 'expiresAt', 'ipAddress', 'userAgent', 'rememberMe'] as const),
    ...(['activeOrganizationId', 'activeTeamId', 'provenAt'] as const),
  ],
  isShown: ({ impersonatedBy }) => impersonatedBy === null,
})
