import type { Db, Tx } from '../../core/database.ts'
import { deleteSome } from '../../core/sweep.ts'
import { nullable, type Row, table, text, time } from '../../core/table.ts'

const columns = {
  id: text,
  identifier: text,
  value: text,
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
  userId: nullable(text),
}
const verifications = table('verification', columns)

export const insertVerification = (tx: Tx, row: Row<typeof columns>) => verifications.insert(tx, row)

/** The value under an identifier, while it is valid. */
export const findValue = async (db: Db, identifier: string, now: Date): Promise<string | undefined> => {
  const row = await verifications.find(db, { identifier })
  return row !== undefined && row.expiresAt > now ? row.value : undefined
}

/** Values of a user that are valid after `at`, under the identifiers that begin so. */
export const listValues = async (db: Db, userId: string, beginning: string, at: Date): Promise<string[]> => {
  const rows = await verifications.list(db, { userId }, { orderBy: 'expiresAt', descending: true, limit: 100 })
  return rows.flatMap(({ identifier, expiresAt, value }) => (identifier.startsWith(beginning) && expiresAt > at ? [value] : []))
}

export const deleteVerification = (tx: Tx, identifier: string) => verifications.delete(tx, { identifier })

/** Takes the value away: one of many simultaneous callers gets it. */
export const takeValue = async (tx: Tx, identifier: string, now: Date): Promise<string | undefined> => {
  const row = await verifications.find(tx, { identifier })
  if (row === undefined || row.expiresAt <= now) return undefined
  // Its row count decides, whoever else has read the row by now.
  return (await verifications.delete(tx, { id: row.id })) === 1 ? row.value : undefined
}

/** Deletes at most `limit` rows that have expired, whoever put them there; returns how many. */
export const deleteExpired = (tx: Tx, now: Date, limit: number): Promise<number> =>
  deleteSome(tx, verifications.name, ['id'], (rows) => rows.where('expires_at', '<=', now), limit)
