import type { Knex } from 'knex'
import type { Total } from '../../core/db/count.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import { readCounted } from '../../core/db/keyset.ts'
import { int, json, listNamesOf, nullable, type Row, table, text, time } from '../../core/db/table.ts'
import { type Cursor, timeAfter } from '../../core/page.ts'
import { texts } from '../../core/stored-json.ts'

const columns = {
  id: text,
  name: text,
  /** The SHA-256 of the token. */
  tokenHash: text,
  /** The first characters of the token. */
  hint: text,
  /** The types of clients that the token may register. */
  types: json(() => texts),
  /** The scopes that clients of this token may request; null if all scopes are allowed. */
  scopes: nullable(json(() => texts)),
  /** The hosts that redirect URIs of clients of this token may have; null if every host is allowed. */
  redirectHosts: nullable(json(() => texts)),
  maxClients: int,
  usedClients: int,
  createdAt: time,
  expiresAt: time,
  revokedAt: nullable(time),
  lastUsedAt: nullable(time),
}
const tokens = table('initial_access_token', columns)
export type TokenRow = Row<typeof columns>

/** Reads the names of tokens by their ids. */
export const listTokenNames = listNamesOf(tokens)

export const insertToken = (tx: Tx, row: TokenRow) => tokens.insert(tx, row)
export const findToken = (db: Db, id: string) => tokens.find(db, { id })
export const findByHash = (db: Db, tokenHash: string) => tokens.find(db, { tokenHash })

/** A page of tokens, in the order in which they were created. */
export const pageOfTokens = async (
  db: Db,
  { order, limit, after, isCounted }: Cursor,
): Promise<{ readonly rows: TokenRow[]; readonly total: Total | null }> => {
  const query = db.knex(tokens.name).select(tokens.names)
  const page = { columns: ['created_at', 'id'], order, limit, after: timeAfter(after), isCounted } as const
  const { rows, total } = await readCounted(db, query, page, tokens.name)
  return { rows: rows.map((raw) => tokens.decode(raw)), total }
}

/** Selects tokens that can still register a client: neither revoked nor expired nor used up. */
const active = (query: Knex.QueryBuilder, now: Date) =>
  query.whereNull('revoked_at').where('expires_at', '>', now).whereRaw('used_clients < max_clients')

/** At most `most` tokens that can still register a client. The newest comes first. */
export const activeTokens = async (db: Db, now: Date, most: number): Promise<TokenRow[]> => {
  const query = db
    .knex(tokens.name)
    .select(tokens.names)
    .orderBy([{ column: 'created_at', order: 'desc' }, 'id'])
    .limit(most)
  return (await active(query, now)).map((raw: Record<string, unknown>) => tokens.decode(raw))
}

/**
 * Counts one more client of a token. Returns false if the token is used up, revoked or expired. If two requests compete for the last
 * client, only one of them succeeds.
 */
export const takeClient = async (tx: Tx, id: string, now: Date): Promise<boolean> => {
  const counted = { used_clients: tx.knex.raw('used_clients + 1'), last_used_at: now }
  return (await active(tx.knex(tokens.name).where({ id }), now).update(counted)) === 1
}

/** Revokes a token. Returns false if the token was revoked before or does not exist. */
export const revokeToken = (tx: Tx, id: string, revokedAt: Date) => tokens.updateOne(tx, { id, revokedAt: null }, { revokedAt })
