import type { Db, Tx } from '../../core/database.ts'
import { type Row, table, text, time } from '../../core/table.ts'

const columns = { id: text, identifier: text, value: text, expiresAt: time, createdAt: time, updatedAt: time }
const verifications = table('verification', columns)

export const insertVerification = (tx: Tx, row: Row<typeof columns>) => verifications.insert(tx, row)

/** The value under an identifier, while it is valid. */
export const findValue = async (db: Db, identifier: string, now: Date): Promise<string | undefined> => {
  const row = await verifications.find(db, { identifier })
  return row !== undefined && row.expiresAt > now ? row.value : undefined
}

/** Takes the value away: one of many simultaneous callers gets it. */
export const takeValue = async (tx: Tx, identifier: string, now: Date): Promise<string | undefined> => {
  const rows: { value: string }[] = await tx
    .knex('verification')
    .where({ identifier })
    .where('expires_at', '>', now)
    .delete()
    .returning('value')
  return rows[0]?.value
}

/** Deletes what has expired, whoever put it there; at most `limit` rows. */
export const deleteExpired = async (tx: Tx, now: Date, limit: number): Promise<void> => {
  const ids = tx.knex('verification').select('id').where('expires_at', '<=', now).limit(limit)
  await tx.knex('verification').whereIn('id', ids).delete()
}
