import {
  anyOf,
  type Db,
  isPostgres,
  lockRow,
  preparedSelect,
  readPrepared,
  type Tx,
  writePrepared,
} from '../../core/db/database.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import type { Outdated } from '../../core/db/sweep.ts'
import { document, int, nullable, type Row, table, text, time, view } from '../../core/db/table.ts'
import { record } from '../../core/stored-json.ts'
import { subjects } from '../../identity/users/table.ts'
import { consents } from '../interactions/store.ts'
import { partKind } from './rules.ts'

/** The data that the library stores about a code, token or interaction. */
export type Payload = Readonly<Record<string, unknown>>

const columns = {
  /** The SHA-256 of the code, token or interaction id. A code or token itself is never stored. */
  id: text,
  kind: text,
  accountId: nullable(text),
  clientId: nullable(text),
  /** The gatehouse session whose end deletes the row; null if the row outlives the session. */
  sessionId: nullable(text),
  grantId: nullable(text),
  payload: document<Payload>(() => record),
  consumedAt: nullable(time),
  /** The id of the refresh token that this token replaces. Null for the first token of its family, and for rows that are no refresh tokens. */
  rotatedFrom: nullable(text),
  /**
   * Only for a refresh token that was issued because its predecessor was used again within the grace period. Names the token that was
   * issued at the predecessor's first use. The two tokens count as one, and their use is stored in the row of the first.
   */
  siblingOf: nullable(text),
  /** The token that was exchanged for this token. The database deletes this row together with the row of that token. */
  exchangedFrom: nullable(text),
  /** The administrator who impersonates the person in this session. There is no foreign key: the row may outlive the administrator's account. */
  impersonatorId: nullable(text),
  expiresAt: time,
}
export const artifacts = table('oidc_artifact', columns)
export type ArtifactRow = Row<typeof columns>

/** The columns of the consent that decide whether a code or exchanged token is valid. One statement reads both rows. */
const consent = consents.pick('consentGiven', 'notBefore').optional()
export type CodeConsent = ReturnType<typeof consent.decode>

/** The columns of the user that claims need. The statement that reads a token reads them too. */
export type ArtifactUser = ReturnType<typeof subjects.decode>

export interface StoredArtifact {
  readonly artifact: ArtifactRow
  /** Undefined for a token that belongs to no user. */
  readonly user: ArtifactUser | undefined
  readonly consent: CodeConsent
}

// The list of columns is prepared once, because this statement runs at every use of a token.
const bothOf = [...artifacts.columnsOf('m', 'm_'), ...subjects.columnsOf('u', 'u_'), ...consent.columnsOf('c', 'c_')]
const consentOfCode =
  "(m.kind in ('AuthorizationCode', 'DeviceCode') or m.exchanged_from is not null) and c.user_id = m.account_id and c.client_id = m.client_id"
const byId = `from oidc_artifact m left join "user" u on u.id = m.account_id left join oauth_consent c on ${consentOfCode} where m.id`

/** A client has one row for each session. Another sign-in to the client in the same session adds its organization to the row. */
const mergedParts = (db: Db): string => {
  const payload = isPostgres(db)
    ? '(oidc_artifact.payload::jsonb || excluded.payload::jsonb)::text'
    : 'json_patch(oidc_artifact.payload, excluded.payload)'
  return `on conflict (id) do update set payload = ${payload}, expires_at = excluded.expires_at where oidc_artifact.kind = '${partKind}'`
}

/** Reads codes, tokens and interactions together with their users, with one statement. */
export const findArtifacts = async (db: Db, ids: readonly string[]): Promise<Map<string, StoredArtifact>> => {
  const { sql, values, name } = anyOf(db, ids)
  const rows = await readPrepared(db, preparedSelect(`oidc_artifacts_${name}`, bothOf, `${byId} ${sql}`), values)
  return new Map(
    rows.map((raw) => {
      const artifact = artifacts.decode(raw, 'm_')
      const user = raw['u_id'] === null ? undefined : subjects.decode(raw, 'u_')
      return [artifact.id, { artifact, user, consent: consent.decode(raw, 'c_') }]
    }),
  )
}

export const findArtifact = async (db: Db, id: string): Promise<StoredArtifact | undefined> =>
  (await findArtifacts(db, [id])).get(id)

export const insertArtifacts = async (tx: Tx, rows: readonly ArtifactRow[]): Promise<void> => {
  const [first, ...more] = rows
  if (first === undefined) return
  if (rows.some(({ kind }) => kind === partKind)) return artifacts.insertAll(tx, rows, ` ${mergedParts(tx)}`)
  await (more.length === 0 ? artifacts.insert(tx, first) : artifacts.insertAll(tx, rows))
}

/** Returns true for the first caller with this id. Later callers get false until the row of the id has expired and was deleted. */
export const claimOnce = async (tx: Tx, id: string, expiresAt: Date): Promise<boolean> => {
  const nothing = { accountId: null, clientId: null, sessionId: null, grantId: null, rotatedFrom: null, siblingOf: null }
  const row = { id, kind: 'ReplayDetection', ...nothing, payload: {}, consumedAt: null, impersonatorId: null, expiresAt }
  const inserted = await tx.knex(artifacts.name).insert(artifacts.encode(row)).onConflict('id').ignore().returning('id')
  return inserted.length === 1
}

/** An SQL condition that selects the listed rows that are not consumed yet. `and` is an additional condition. */
const free = (tx: Tx, { sql }: ReturnType<typeof anyOf>, count: number, and = '') => {
  const condition = `id ${sql} and consumed_at is null${and}`
  // The rows are locked in a fixed order, so that two transactions that consume the same rows cannot deadlock.
  const inOrder = `id in (select id from oidc_artifact where ${condition} order by id for update)`
  return isPostgres(tx) && count > 1 ? inOrder : condition
}

/** Marks the listed rows as consumed, unless they were consumed before. Returns the ids of the rows that it has marked. */
export const consumeArtifacts = async (tx: Tx, ids: readonly string[], now: Date): Promise<string[]> => {
  if (ids.length === 0) return []
  const list = anyOf(tx, ids)
  const text = `update oidc_artifact set consumed_at = ? where ${free(tx, list, ids.length)} returning id`
  const update = { name: `oidc_artifacts_consume_${list.name}`, sql: text }
  return (await writePrepared(tx, update, [now, ...list.values])).map(({ id }) => id as string)
}

/** The rows that one request writes: `consumes` is the id of the used code or token, or null; `inserts` are the rows that are issued for it. */
export interface Exchange {
  readonly consumes: string | null
  readonly inserts: readonly ArtifactRow[]
}

/** The tables whose rows an insert locks, in order. Each lock counts the rows of the previous lock, and therefore waits for it. */
const parents = [
  ['users', 'user', 'id', 'account_id'],
  ['clients', 'oauth_client', 'client_id', 'client_id'],
  ['sessions', 'session', 'id', 'session_id'],
] as const
const lockedParents = parents.map(([name, parent, key, column], i) => {
  const after = i === 0 ? '' : ` and (select count(*) from ${parents[i - 1]?.[0]}) >= 0`
  return `${name} as materialized (select 1 from "${parent}" where ${key} in (select ${column} from given)${after} order by ${key} for key share)`
})
const names = artifacts.names.map((name) => `"${name}"`).join(', ')
const exchangeOnPostgres = (
  condition: string,
  merge: string,
) => `with given as materialized (select * from json_populate_recordset(null::oidc_artifact, ?::json)),
  ${lockedParents.join(',\n  ')},
  consumed as (update oidc_artifact set consumed_at = ? where ${condition} returning id),
  inserted as (insert into oidc_artifact (${names}) select ${names} from given left join json_each_text(?::json) n on n.key = id
    where n.value is null or n.value in (select id from consumed)
    ${merge})
select id from consumed`

/**
 * Consumes each code or token that is not consumed yet, and inserts the rows that are issued for it. If a code or token was consumed
 * before, no rows are inserted for it. Returns the ids that were consumed. On PostgreSQL this is a single statement, which commits by
 * itself. It locks users, clients and sessions before codes and tokens, like every other transaction of this file.
 */
export const exchangeArtifacts = async (tx: Tx, exchanges: readonly Exchange[], now: Date): Promise<string[]> => {
  const ids = exchanges.flatMap(({ consumes }) => consumes ?? [])
  if (!isPostgres(tx)) {
    const consumed = await consumeArtifacts(tx, ids, now)
    const inserts = exchanges.flatMap(({ consumes, inserts }) =>
      consumes === null || consumed.includes(consumes) ? inserts : [],
    )
    await insertArtifacts(tx, inserts)
    return consumed
  }
  const list = anyOf(tx, ids)
  const condition = free(tx, list, ids.length, ' and (select count(*) from sessions) >= 0')
  const statement = { name: `oidc_artifacts_exchange_${list.name}`, sql: exchangeOnPostgres(condition, mergedParts(tx)) }
  const rows = exchanges.flatMap(({ inserts }) => inserts)
  const needs = exchanges.flatMap(({ consumes, inserts }) => (consumes === null ? [] : inserts.map(({ id }) => [id, consumes])))
  const values = [artifacts.asJson(tx, rows), now, ...list.values, JSON.stringify(Object.fromEntries(needs))]
  return (await writePrepared(tx, statement, values)).map(({ id }) => id as string)
}

export const deleteArtifacts = async (tx: Tx, ids: readonly string[]): Promise<void> => {
  if (ids.length > 0) await artifacts.deleteAll(tx, 'id', ids)
}

/** The listed rows link clients to sessions. Deletes the rows whose session has ended, and returns their number. */
export const deletePartsOfEnded = async (tx: Tx, ids: readonly string[]): Promise<number> => {
  if (ids.length === 0) return 0
  const isOver = `not exists (select 1 from session s where s.id = ${payloadField(tx, 'sessionUid')})`
  return tx
    .knex(artifacts.name)
    .whereIn('id', [...ids])
    .whereRaw(isOver)
    .delete()
}

/** Deletes and returns an unused code of this user for this application. Returns undefined if the user has no such code. */
export const takeCode = async (
  tx: Tx,
  { id, accountId, clientId }: { readonly id: string; readonly accountId: string; readonly clientId: string },
  now: Date,
): Promise<ArtifactRow | undefined> => {
  const found = await artifacts.find(tx, { id, kind: 'AuthorizationCode', accountId, clientId, consumedAt: null })
  if (found === undefined || found.expiresAt <= now) return undefined
  return (await artifacts.delete(tx, { id, consumedAt: null })) === 1 ? found : undefined
}

/**
 * Returns a used refresh token and its replacement. Locks the used token, so that no other transaction deletes the family of tokens
 * before this transaction ends. `undecided` lists rows that this transaction may still delete, so they do not count as the replacement.
 */
export const lockRotation = async (tx: Tx, id: string, undecided: readonly string[]) => {
  await lockRow(tx, artifacts.name, id)
  const used = await artifacts.find(tx, { id })
  if (used === undefined) return undefined
  const next = await artifacts.list(tx, { grantId: used.grantId, rotatedFrom: id, siblingOf: null })
  return { used, next: next.find((row) => !undecided.includes(row.id)) }
}

/** Stores that a new refresh token counts as one with an earlier token: both expire together and are consumed together. */
export const makeSibling = (tx: Tx, id: string, { id: siblingOf, expiresAt }: ArtifactRow) =>
  artifacts.updateOne(tx, { id }, { siblingOf, expiresAt })

/**
 * Deletes all codes and tokens of the given grants. Returns the number of deleted rows. A statement that waits for the lock of a refresh
 * token does not see the replacement that is inserted meanwhile. The statement is therefore repeated until it deletes nothing.
 */
export const deleteGrants = async (tx: Tx, grantIds: readonly string[]): Promise<number> => {
  const ending = () =>
    tx
      .knex(artifacts.name)
      .whereIn('grant_id', [...grantIds])
      .delete()
  let total = 0
  for (let deleted = grantIds.length; deleted > 0; total += deleted) deleted = await ending()
  return total
}

/** Deletes all codes and tokens of a user. */
export const deleteByAccount = (tx: Tx, accountId: string) => artifacts.delete(tx, { accountId })

/** Deletes a user's codes and tokens, except all that were authorized in one session, even if they outlive it. */
export const deleteByAccountExcept = async (tx: Tx, accountId: string, sessionId: string): Promise<void> => {
  const others = (await artifacts.list(tx, { accountId })).filter(({ payload }) => payload['sessionUid'] !== sessionId)
  await deleteArtifacts(
    tx,
    others.map(({ id }) => id),
  )
}

/** The SQL expression for a field of the payload. */
export const payloadField = (db: Db, name: string) =>
  isPostgres(db) ? `payload::json ->> '${name}'` : `json_extract(payload, '$.${name}')`

/**
 * Deletes the codes and tokens of members for an organization that requires two factors, unless their session has two factors. With
 * `userId` only codes and tokens of this member are deleted. The statement is repeated, because simultaneous exchanges and refreshes may
 * insert rows.
 */
export const deleteOfOneFactor = async (tx: Tx, organizationId: string, userId?: string): Promise<number> => {
  const field = (name: string) => payloadField(tx, name)
  const strict = tx.knex('organization').where({ id: organizationId, requires_second_factor: true })
  const members = tx.knex('member').where({ organization_id: organizationId }).select('user_id')
  const weak = () =>
    tx
      .knex(artifacts.name)
      .whereIn('account_id', userId === undefined ? members : [userId])
      .whereExists(strict)
      .whereRaw(`${field('organizationId')} = ?`, [organizationId])
      .whereRaw(`not exists (select 1 from session s where s.id = ${field('sessionUid')} and s.factors >= 2)`)
  // The rows are locked in the order that consuming tokens uses too, so that a deletion and a use of tokens cannot deadlock.
  const ending = () => tx.knex(artifacts.name).whereIn('id', weak().orderBy('id').forUpdate().select('id')).delete()
  let total = 0
  for (let deleted = 1; deleted > 0; total += deleted) deleted = await ending()
  return total
}

/** Deletes the codes and tokens of a user for organizations that require two factors. The caller has locked the row of the user. */
export const deleteOfStrictOrganizations = async (tx: Tx, userId: string): Promise<number> => {
  const isStrict = `${payloadField(tx, 'organizationId')} in (select id from organization where requires_second_factor = ?)`
  const ending = () => tx.knex(artifacts.name).where({ account_id: userId }).whereRaw(isStrict, [true]).delete()
  let total = 0
  for (let deleted = 1; deleted > 0; total += deleted) deleted = await ending()
  return total
}

/** Reads a row and locks it until the transaction ends. Undefined if the row was deleted. */
export const lockArtifact = async (tx: Tx, id: string): Promise<ArtifactRow | undefined> => {
  await lockRow(tx, artifacts.name, id)
  return artifacts.find(tx, { id })
}

/** Replaces the payload and marks the row as consumed. The row cannot change any more after that. The caller has locked the row. */
export const closeArtifact = (tx: Tx, id: string, payload: Payload, now: Date) =>
  artifacts.updateOne(tx, { id }, { payload, consumedAt: now })

/** Replaces the payload of a row that is not consumed. Returns false if the row is consumed or deleted. */
export const updateOpenPayload = (tx: Tx, id: string, payload: Payload) =>
  artifacts.updateOne(tx, { id, consumedAt: null }, { payload })

/** Replaces the payload. Returns false if the row is deleted. */
export const updatePayload = (tx: Tx, id: string, payload: Payload) => artifacts.updateOne(tx, { id }, { payload })

/** Selects rows that expired before the given time, for the deletion of outdated rows. */
export const expiredArtifacts = (now: Date): Outdated => ({
  table: artifacts.name,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<', now),
})

/** The kinds of codes and tokens that an application can use. */
const tokenKinds = ['AuthorizationCode', 'AccessToken', 'RefreshToken', 'ClientCredentials']

/** Counts the codes and tokens that a client can use now. Counting stops at `upTo`. */
export const countTokens = async (db: Db, clientId: string, now: Date, upTo: number): Promise<number> => {
  const some = db
    .knex(artifacts.name)
    .where({ client_id: clientId })
    .whereIn('kind', tokenKinds)
    .whereNull('consumed_at')
    .where('expires_at', '>', now)
    .limit(upTo)
    .select('id')
  const [row] = await db.knex.from(some.as('some')).count({ count: '*' })
  return Number(row?.['count'] ?? 0)
}

/** The columns of a group. A group is the codes and tokens that one application has of a person for the same organization and the same scopes. */
const heldColumns = {
  clientId: text,
  organizationId: nullable(text),
  scope: nullable(text),
  /** The application whose tokens were exchanged for the tokens of this group; null if the person signed in to the group's own application. */
  through: nullable(text),
  firstAt: int,
  lastAt: int,
}
const held = view('held', heldColumns)
export type HeldRow = Row<typeof heldColumns>

/**
 * The codes and tokens that applications can use for a user, in groups. Each group has its organization, its scopes, and the times in
 * seconds at which the person gave the first and the last grant.
 */
export const listHeld = async (db: Db, accountId: string, now: Date, limit: number): Promise<HeldRow[]> => {
  const field = (name: string) => payloadField(db, name)
  const number = (name: string) => `cast(${field(name)} as bigint)`
  const rows: Record<string, unknown>[] = await db
    .knex(artifacts.name)
    .where({ account_id: accountId })
    .whereNotNull('client_id')
    .whereIn('kind', tokenKinds)
    .whereNull('consumed_at')
    .where('expires_at', '>', now)
    .groupByRaw('1, 2, 3, 4')
    .orderByRaw('6 desc')
    .limit(limit)
    .select(
      'client_id',
      db.knex.raw(`${field('organizationId')} as organization_id`),
      db.knex.raw(`${field('scope')} as scope`),
      db.knex.raw(`${field('through')} as through`),
      db.knex.raw(`min(coalesce(${number('iiat')}, ${number('iat')})) as first_at`),
      db.knex.raw(`max(${number('iat')}) as last_at`),
    )
  return rows.map((raw) => held.decode(raw))
}

/** Deletes a client's codes and tokens of a user and returns their number. Repeats it, because a refresh may insert rows meanwhile. */
export const deleteByClientAndAccount = async (tx: Tx, clientId: string, accountId: string): Promise<number> => {
  let total = 0
  for (let deleted = 1; deleted > 0; total += deleted) deleted = await artifacts.delete(tx, { accountId, clientId })
  return total
}

/** Deletes the codes and tokens that a client has of a user for one organization. Returns the number of deleted rows. */
export const deleteOfOrganization = async (
  tx: Tx,
  clientId: string,
  accountId: string,
  organizationId: string,
): Promise<number> => {
  const rows = () =>
    tx
      .knex(artifacts.name)
      .where({ account_id: accountId, client_id: clientId })
      .whereRaw(`${payloadField(tx, 'organizationId')} = ?`, [organizationId])
  let total = 0
  for (let deleted = 1; deleted > 0; total += deleted) deleted = await rows().delete()
  return total
}

/** Deletes all codes, tokens and unfinished sign-ins of an application. Repeats it, because requests may insert rows meanwhile. */
export const deleteByClient = async (tx: Tx, clientId: string): Promise<void> => {
  while ((await artifacts.delete(tx, { clientId })) > 0);
}

/** The codes and tokens of a user, for the download of personal data. They have no values, because only hashes are stored. */
export const ownTokens = personalRows(artifacts, {
  name: 'applicationTokens',
  owner: 'account_id',
  fields: ['kind', 'clientId', 'consumedAt', 'expiresAt'],
})
