import type { Knex } from 'knex'
import type { Db, Tx } from '../../core/db/database.ts'
import { readPage } from '../../core/db/keyset.ts'
import { int, json, nullable, type Row, table, text, time } from '../../core/db/table.ts'
import { type Cursor, timeAfter } from '../../core/page.ts'
import { texts } from '../../core/stored-json.ts'

const columns = {
  id: text,
  name: text,
  /** SHA-256 of the token. */
  tokenHash: text,
  /** Its first characters. */
  hint: text,
  /** Types of clients that it registers. */
  types: json(() => texts),
  /** Scopes that they may ask for; null: any. */
  scopes: nullable(json(() => texts)),
  /** Hosts of their redirect addresses; null: any. */
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

export const insertToken = (tx: Tx, row: TokenRow) => tokens.insert(tx, row)
export const findToken = (db: Db, id: string) => tokens.find(db, { id })
export const findByHash = (db: Db, tokenHash: string) => tokens.find(db, { tokenHash })

/** A page of tokens, in the order in which they were made. */
export const pageOfTokens = async (db: Db, { order, limit, after }: Cursor): Promise<TokenRow[]> => {
  const query = db.knex(tokens.name).select(tokens.names)
  const rows: Record<string, unknown>[] = await readPage(query, {
    ...{ columns: ['created_at', 'id'], order, limit, after: timeAfter(after) },
  })
  return rows.map((raw) => tokens.decode(raw))
}

/** Narrows a query to the tokens that register clients. */
const active = (query: Knex.QueryBuilder, now: Date) =>
  query.whereNull('revoked_at').where('expires_at', '>', now).whereRaw('used_clients < max_clients')

/** The newest `most` tokens that register clients. */
export const activeTokens = async (db: Db, now: Date, most: number): Promise<TokenRow[]> => {
  const query = db
    .knex(tokens.name)
    .select(tokens.names)
    .orderBy([{ column: 'created_at', order: 'desc' }, 'id'])
    .limit(most)
  return (await active(query, now)).map((raw: Record<string, unknown>) => tokens.decode(raw))
}

/** Counts one client of a token. False when it is used up, revoked or over: of two requests for its last client, one gets it. */
export const takeClient = async (tx: Tx, id: string, now: Date): Promise<boolean> => {
  const counted = { used_clients: tx.knex.raw('used_clients + 1'), last_used_at: now }
  return (await active(tx.knex(tokens.name).where({ id }), now).update(counted)) === 1
}

/** False when it is revoked already, or there is none. */
export const revokeToken = (tx: Tx, id: string, revokedAt: Date) => tokens.updateOne(tx, { id, revokedAt: null }, { revokedAt })
