import { lockName, type Tx } from '../../core/database.ts'
import { int, nullable, type Row, table, text, time } from '../../core/table.ts'

const columns = {
  key: text,
  userId: nullable(text),
  recent: int,
  consecutive: int,
  lastAt: time,
  waitUntil: nullable(time),
}
const failures = table('password_failure', columns)
export type FailureRow = Row<typeof columns>

/** Held until the transaction ends: attempts at the same time see one another. */
export const lockCount = (tx: Tx, key: string) => lockName(tx, `password-failure:${key}`)

export const findFailures = (tx: Tx, key: string): Promise<FailureRow | undefined> => failures.find(tx, { key })

export const saveFailures = async (tx: Tx, row: FailureRow): Promise<void> => {
  await tx.knex('password_failure').insert(failures.encode(row)).onConflict('key').merge()
}

export const deleteFailures = (tx: Tx, key: string) => failures.delete(tx, { key })
export const deleteFailuresOfUser = (tx: Tx, userId: string) => failures.delete(tx, { userId })

export const deleteOldFailures = async (tx: Tx, before: Date): Promise<void> => {
  await tx.knex('password_failure').where('last_at', '<', before).delete()
}
