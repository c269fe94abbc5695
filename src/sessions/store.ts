import { type Db, readPrepared, type Tx } from '../core/database.ts'
import { bool, nullable, type Row, table, text, time } from '../core/table.ts'

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
}
const sessions = table('session', columns)
export type SessionRow = Row<typeof columns>

/** What a session check needs of the user, read in the same statement. */
const owner = table('user', {
  id: text,
  name: text,
  email: text,
  emailVerified: bool,
  image: nullable(text),
  role: text,
  createdAt: time,
  updatedAt: time,
})
export type Owner = ReturnType<typeof owner.decode>

// Written out once: the session check is the hottest statement there is, and building it anew costs as much as running it.
const bothOf = [...sessions.select('s', 's_'), ...owner.select('u', 'u_')].map((part) => {
  const [from = '', to = ''] = part.split(' as ')
  return `${from} as "${to}"`
})
const byTokenHash = {
  name: 'session_by_token_hash',
  sql: `select ${bothOf.join(', ')} from session s join "user" u on u.id = s.user_id where s.token_hash = ?`,
}

/** Session and user of a token in one read. */
export const findByTokenHash = async (db: Db, tokenHash: string): Promise<{ session: SessionRow; user: Owner } | undefined> => {
  const [raw] = await readPrepared(db, byTokenHash, [tokenHash])
  return raw === undefined ? undefined : { session: sessions.decode(raw, 's_'), user: owner.decode(raw, 'u_') }
}

export const findSession = (db: Db, id: string) => sessions.find(db, { id })
export const insertSession = (tx: Tx, row: SessionRow) => sessions.insert(tx, row)
/** Begins a session anew under its id. False when it was ended or begun anew since `seenTokenHash` was read. */
export const renew = (tx: Tx, id: string, seenTokenHash: string, row: Omit<SessionRow, 'id'>) =>
  sessions.updateOne(tx, { id, tokenHash: seenTokenHash }, row)
/** False when another request extended or ended it first. */
export const extend = (tx: Tx, id: string, seen: Date, expiresAt: Date, updatedAt: Date) =>
  sessions.updateOne(tx, { id, updatedAt: seen }, { expiresAt, updatedAt })
/** False when it was gone already. */
export const deleteSession = async (tx: Tx, id: string) => (await sessions.delete(tx, { id })) === 1
/** Deletes sessions that ended before `now`, at most `limit`; returns their ids. */
export const deleteExpired = async (tx: Tx, now: Date, limit: number): Promise<string[]> => {
  const ids: string[] = await tx.knex('session').where('expires_at', '<=', now).limit(limit).pluck('id')
  if (ids.length > 0) await tx.knex('session').whereIn('id', ids).delete()
  return ids
}
