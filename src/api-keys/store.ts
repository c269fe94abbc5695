import { type KeyOwnerKind, keyOwnerKinds } from '../access/key-permissions.ts'
import { type Db, preparedSelect, type RawRow, readPrepared, type Tx } from '../core/db/database.ts'
import { joinOne, readWindow, type Window } from '../core/db/keyset.ts'
import { personalRows } from '../core/db/personal-rows.ts'
import { askedTerms, termsOfTitle } from '../core/db/search.ts'
import { searchTexts } from '../core/db/search-text.ts'
import type { Outdated } from '../core/db/sweep.ts'
import { bool, int, json, listNamesOf, nullable, oneOf, type Row, table, text, time } from '../core/db/table.ts'
import { type Cursor, type PlacedRows, timeAfter } from '../core/page.ts'
import { texts } from '../core/stored-json.ts'
import { type Requester, requesters } from '../identity/users/table.ts'

const columns = {
  id: text,
  ownerKind: oneOf(...keyOwnerKinds),
  userId: nullable(text),
  organizationId: nullable(text),
  name: text,
  permissions: json(() => texts),
  allowedNetworks: json(() => texts),
  requestsPerMinute: nullable(int),
  enabled: bool,
  expiresAt: nullable(time),
  createdBy: nullable(text),
  /** How many kinds of factors were proved in the session in which the API key was created. */
  factors: int,
  acr: nullable(text),
  createdAt: time,
  updatedAt: time,
}
const keys = table('api_key', columns)
export type KeyRow = Row<typeof columns>

/** Reads the names of keys by their ids. */
export const listKeyNames = listNamesOf(keys)

const secretColumns = {
  hash: text,
  keyId: text,
  createdAt: time,
  /** Id of the person to whom the secret was shown. Null if an operator at the command line made it, or if the person is unknown. */
  createdBy: nullable(text),
  expiresAt: nullable(time),
  lastUsedAt: nullable(time),
}
const secrets = table('api_key_secret', secretColumns)
export type SecretRow = Row<typeof secretColumns>

export interface FoundKey {
  readonly key: KeyRow
  readonly secret: SecretRow
  /** The person who owns the API key. Undefined if its owner is not a person. */
  readonly user: Requester | undefined
}

const bySecret = preparedSelect(
  'api_key_by_secret',
  [...keys.columnsOf('k', 'k_'), ...secrets.columnsOf('s', 's_'), ...requesters.columnsOf('u', 'u_')],
  'from api_key_secret s join api_key k on k.id = s.key_id left join "user" u on u.id = k.user_id where s.hash = ?',
)

/** Finds an API key, its secret and its owner by the hash of the key's text, with one statement. */
export const findBySecret = async (db: Db, hash: string): Promise<FoundKey | undefined> => {
  const [raw] = await readPrepared(db, bySecret, [hash])
  if (raw === undefined) return undefined
  const user = raw['u_id'] === null ? undefined : requesters.decode(raw, 'u_')
  return { key: keys.decode(raw, 'k_'), secret: secrets.decode(raw, 's_'), user }
}

export const findKey = (db: Db, id: string) => keys.find(db, { id })
/** The search index over the names of API keys, for administrators. */
const nameTexts = searchTexts(keys.name)
export const insertKey = async (tx: Tx, row: KeyRow): Promise<void> => {
  await keys.insert(tx, row)
  await nameTexts.insert(tx, row.id, termsOfTitle(row.name))
}
/** Changes an API key. Returns false if it was deleted meanwhile. */
export const updateKey = async (tx: Tx, row: KeyRow): Promise<boolean> => {
  const isThere = await keys.updateOne(tx, { id: row.id }, row)
  if (isThere) await nameTexts.replace(tx, row.id, termsOfTitle(row.name))
  return isThere
}
/** Deletes an API key with its secrets. Returns false if it does not exist. */
export const deleteKey = async (tx: Tx, id: string) => (await keys.delete(tx, { id })) === 1

export interface KeyOwner {
  readonly ownerKind: KeyOwnerKind
  readonly userId: string | null
  readonly organizationId: string | null
}

export const countKeys = async (db: Db, { ownerKind, userId, organizationId }: KeyOwner): Promise<number> => {
  const of = { owner_kind: ownerKind, user_id: userId, organization_id: organizationId }
  const counted = await db.knex('api_key').where(of).count('* as all').first()
  return Number(counted?.['all'])
}

/**
 * API keys of organizations and of the instance that were shown to the user. One of two conditions must hold: a secret was created at
 * `since` or later, or `ids` contains the id of the key.
 */
export const listGivenTo = async (db: Db, userId: string, since: Date, ids: readonly string[]): Promise<KeyRow[]> => {
  const given = db
    .knex(secrets.name)
    .where({ created_by: userId })
    .where((either) => either.where('created_at', '>=', since).orWhereIn('key_id', [...ids]))
    .select('key_id')
  const query = db.knex(keys.name).whereNull('user_id').whereIn('id', given).orderBy('id')
  const rows: Record<string, unknown>[] = await query.select(keys.names)
  return rows.map((raw) => keys.decode(raw))
}

/**
 * Makes a user's API keys count as created with one factor. The column `acr` does not change, so that `strengthenKeys` can find the keys
 * again.
 */
export const weakenKeys = (tx: Tx, userId: string) =>
  tx.knex(keys.name).where({ user_id: userId }).where('factors', '>', 1).update({ factors: 1 })
/** Undoes `weakenKeys`. It changes those API keys whose column `acr` contains one of these values. */
export const strengthenKeys = (tx: Tx, userId: string, acrs: readonly string[]) =>
  tx
    .knex(keys.name)
    .where({ user_id: userId, factors: 1 })
    .whereIn('acr', [...acrs])
    .update({ factors: 2 })

export const listOfUser = (db: Db, userId: string) => keys.list(db, { userId })

export interface Filter {
  readonly ownerKind?: KeyOwnerKind | undefined
  readonly userId?: string | undefined
  readonly organizationId?: string | undefined
  /** Words to find in the names of API keys. */
  readonly search?: string | undefined
}

/** A page of API keys in the order of their creation. */
export const pageOfKeys = async (
  db: Db,
  { ownerKind, userId, organizationId, search }: Filter,
  { after, isCounted = false, ...page }: Omit<Cursor, 'sort'>,
): Promise<PlacedRows<KeyRow>> => {
  const equal = { 'x.owner_kind': ownerKind, 'x.user_id': userId, 'x.organization_id': organizationId }
  const given = Object.entries(equal).filter(([, value]) => value !== undefined)
  const window: Window = {
    ...{ from: keys.name, columns: ['created_at', 'id'], select: keys.names, ...page, after: timeAfter(after), rest: undefined },
    where: (query) => query.where(Object.fromEntries(given)),
  }
  const words = search === undefined ? undefined : askedTerms(search)
  const matching = async (asked: readonly string[]) => ({
    ...(await nameTexts.readMatching(db, window, asked, 'whole')),
    total: isCounted
      ? await nameTexts.total(db, asked, (query) => {
          joinOne(query, db, { table: keys.name, as: 'x', key: 'id', of: 't.api_key_id' })
          query.where(Object.fromEntries(given))
        })
      : undefined,
  })
  const { rows, lookedTo, total } = words === undefined ? await readWindow(db, { ...window, isCounted }) : await matching(words)
  const placed = (raw: RawRow) => {
    const row = keys.decode(raw)
    return { row, position: { value: row.createdAt.getTime(), id: row.id } }
  }
  return { found: rows.map(placed), lookedTo: lookedTo && placed(lookedTo).position, total }
}

export const insertSecret = (tx: Tx, row: SecretRow) => secrets.insert(tx, row)
/** The secrets of some API keys, the newest first. */
export const listSecrets = async (db: Db, keyIds: readonly string[]): Promise<SecretRow[]> => {
  if (keyIds.length === 0) return []
  const rows: Record<string, unknown>[] = await db.knex('api_key_secret').whereIn('key_id', [...keyIds])
  const found = rows.map((raw) => secrets.decode(raw))
  return found.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
}
/** Sets the time at which a secret of an API key ends. */
export const endSecret = (tx: Tx, hash: string, expiresAt: Date) => secrets.update(tx, { hash }, { expiresAt })
export const deleteSecret = (tx: Tx, hash: string) => secrets.delete(tx, { hash })

/** Stores when a secret was used, unless a later time is already stored. */
export const noteUse = (tx: Tx, hash: string, at: Date): PromiseLike<unknown> =>
  tx
    .knex('api_key_secret')
    .where({ hash })
    .where((rows) => rows.whereNull('last_used_at').orWhere('last_used_at', '<', at))
    .update({ last_used_at: at })

/** Secrets that ended before this time. */
export const endedSecrets = (before: Date): Outdated => ({
  table: secrets.name,
  key: ['hash'],
  choose: (rows) => rows.where('expires_at', '<=', before),
})

export const ownKeys = personalRows(keys, {
  name: 'apiKeys',
  fields: ['id', 'name', 'permissions', 'allowedNetworks', 'requestsPerMinute', 'enabled', 'expiresAt', 'createdAt', 'updatedAt'],
})
