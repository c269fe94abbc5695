import { type Db, lockRow, readPrepared, type Tx } from '../../core/database.ts'
import { deleteSome } from '../../core/sweep.ts'
import { bool, json, nullable, type Row, table, text, time } from '../../core/table.ts'

/** What the library wants kept. */
export type Payload = Readonly<Record<string, unknown>>

const columns = {
  /** SHA-256 of the identifier: a code or token itself is never stored. */
  id: text,
  kind: text,
  accountId: nullable(text),
  clientId: nullable(text),
  /** The gatehouse session it ends with. */
  sessionId: nullable(text),
  grantId: nullable(text),
  payload: json<Payload>(),
  consumedAt: nullable(time),
  /** Of a refresh token: the one it was given for; null for the first of its family. */
  rotatedFrom: nullable(text),
  /** Of a refresh token that was given for one used before: what that one gave first. Both are used up in the row of that one. */
  siblingOf: nullable(text),
  expiresAt: time,
}
const models = table('oidc_model', columns)
export type ModelRow = Row<typeof columns>

const owner = table('user', {
  id: text,
  name: text,
  email: text,
  emailVerified: bool,
  image: nullable(text),
  updatedAt: time,
})
/** What claims need of the user, read in the same statement as the token. */
export type ModelOwner = ReturnType<typeof owner.decode>

export interface FoundModel {
  readonly model: ModelRow
  /** Undefined when it belongs to nobody. */
  readonly user: ModelOwner | undefined
}

// Written out once: every use of a token begins with this statement.
const bothOf = `${models.select('m', 'm_')}, ${owner.select('u', 'u_')}`
const bothById = `select ${bothOf} from oidc_model m left join "user" u on u.id = m.account_id where m.id in `

/** Codes, tokens and sign-ins under way with their users, in one read. */
export const findModels = async (db: Db, ids: readonly string[]): Promise<Map<string, FoundModel>> => {
  const read = { name: `oidc_models_${ids.length}`, sql: `${bothById}(${ids.map(() => '?').join(', ')})` }
  const rows = await readPrepared(db, read, ids)
  return new Map(
    rows.map((raw) => {
      const model = models.decode(raw, 'm_')
      return [model.id, { model, user: raw['u_id'] === null ? undefined : owner.decode(raw, 'u_') }]
    }),
  )
}

export const findModel = async (db: Db, id: string): Promise<FoundModel | undefined> => (await findModels(db, [id])).get(id)

export const insertModels = async (tx: Tx, rows: readonly ModelRow[]): Promise<void> => {
  if (rows.length > 0) await tx.knex(models.name).insert(rows.map((row) => models.encode(row)))
}

/** Marks as used what was not used yet; returns the ids of those. */
export const consumeModels = async (tx: Tx, ids: readonly string[], now: Date): Promise<string[]> => {
  if (ids.length === 0) return []
  const free = () =>
    tx
      .knex(models.name)
      .whereIn('id', [...ids])
      .whereNull('consumed_at')
  // Several are locked in one order, so that two transactions never wait for each other.
  const inOrder = () => tx.knex(models.name).whereIn('id', free().select('id').orderBy('id').forUpdate())
  const rows: { id: string }[] = await (ids.length === 1 ? free() : inOrder()).update({ consumed_at: now }, ['id'])
  return rows.map((row) => row.id)
}

export const deleteModels = async (tx: Tx, ids: readonly string[]): Promise<void> => {
  if (ids.length > 0)
    await tx
      .knex(models.name)
      .whereIn('id', [...ids])
      .delete()
}

/**
 * A refresh token that was used, and the one it was replaced with. It stays locked, so that its family does not end beside this
 * transaction; `undecided` are the rows of which this transaction does not know yet whether they stay.
 */
export const lockRotation = async (tx: Tx, id: string, undecided: readonly string[]) => {
  await lockRow(tx, models.name, id)
  const used = await models.find(tx, { id })
  if (used === undefined) return undefined
  const next = await models.list(tx, { grantId: used.grantId, rotatedFrom: id, siblingOf: null })
  return { used, next: next.find((row) => !undecided.includes(row.id)) }
}

/** Has a new refresh token be used up, and end, together with another. */
export const makeSibling = (tx: Tx, id: string, { id: siblingOf, expiresAt }: ModelRow) =>
  models.updateOne(tx, { id }, { siblingOf, expiresAt })

/**
 * Deletes everything that came from these authorizations. What is being rotated is locked by who rotates it: a statement waits for that and
 * does not see what was given, the next one does.
 */
export const deleteGrants = async (tx: Tx, grantIds: readonly string[]): Promise<void> => {
  const ending = () =>
    tx
      .knex(models.name)
      .whereIn('grant_id', [...grantIds])
      .delete()
  for (let deleted = grantIds.length; deleted > 0; ) deleted = await ending()
}

/** Deletes everything that was given in a user's name. */
export const deleteByAccount = (tx: Tx, accountId: string) => models.delete(tx, { accountId })

/** The same, but what was authorized in one session stays, whether it ends with that session or outlives it. */
export const deleteByAccountExcept = async (tx: Tx, accountId: string, sessionId: string): Promise<void> => {
  const others = (await models.list(tx, { accountId })).filter(({ payload }) => payload['sessionUid'] !== sessionId)
  await deleteModels(
    tx,
    others.map(({ id }) => id),
  )
}

/** The row, locked until the transaction ends; undefined when it is gone. */
export const lockModel = async (tx: Tx, id: string): Promise<ModelRow | undefined> => {
  await lockRow(tx, models.name, id)
  return models.find(tx, { id })
}

/** Replaces what is kept, and nobody may use or change it any more. The caller has locked the row. */
export const closeModel = (tx: Tx, id: string, payload: Payload, now: Date) =>
  models.updateOne(tx, { id }, { payload, consumedAt: now })

/** Replaces what is kept; false when it is gone. */
export const updatePayload = (tx: Tx, id: string, payload: Payload) => models.updateOne(tx, { id }, { payload })

/** Deletes at most `limit` rows that expired before `now`; returns how many. */
export const deleteExpired = (tx: Tx, now: Date, limit: number): Promise<number> =>
  deleteSome(tx, models.name, ['id'], (rows) => rows.where('expires_at', '<', now), limit)
