import type { Db, Tx } from '../../../core/db/database.ts'
import { personalRows } from '../../../core/db/personal-rows.ts'
import type { Outdated } from '../../../core/db/sweep.ts'
import { bool, nullable, type Row, sealed, table, text, time } from '../../../core/db/table.ts'

/** The context to which the encryption binds the sealed key of a list: column and row. */
export const contextOf = (id: string) => `recovery_code_list/key/${id}`

const listColumns = {
  id: text,
  userId: text,
  /** The secret key with which the codes of this list are hashed. */
  key: sealed(contextOf),
  /** False until the user has proven the second factor with which the list was made. */
  isActive: bool,
  createdAt: time,
}
const lists = table('recovery_code_list', listColumns)
export const { sealedColumns } = lists
export type ListRow = Row<typeof listColumns>

const codes = table('recovery_code', { listId: text, codeHash: text, usedAt: nullable(time) })

/** The valid list of codes of a user. */
export const findActive = (db: Db, userId: string) => lists.find(db, { userId, isActive: true })

/** Stores a list of codes. A valid list replaces the user's valid list, and a proposed list the proposed one. */
export const replaceList = async (tx: Tx, row: ListRow, codeHashes: readonly string[]): Promise<void> => {
  await lists.delete(tx, { userId: row.userId, isActive: row.isActive })
  await lists.insert(tx, row)
  await tx.knex(codes.name).insert(codeHashes.map((codeHash) => codes.encode({ listId: row.id, codeHash, usedAt: null })))
}

/** Makes the proposed list valid in place of the valid one. Returns false if there is no proposed list; the valid list then stays. */
export const activate = async (tx: Tx, userId: string): Promise<boolean> => {
  if ((await lists.find(tx, { userId, isActive: false })) === undefined) return false
  await lists.delete(tx, { userId, isActive: true })
  return lists.updateOne(tx, { userId, isActive: false }, { isActive: true })
}

/** True if the list contains the code and the code was not used. */
export const isUnused = async (db: Db, listId: string, codeHash: string): Promise<boolean> =>
  (await codes.find(db, { listId, codeHash, usedAt: null })) !== undefined

/** Marks a code as used. Returns false if it was used before, or if its list was replaced. */
export const claimCode = (tx: Tx, listId: string, codeHash: string, usedAt: Date) =>
  codes.updateOne(tx, { listId, codeHash, usedAt: null }, { usedAt })

export const countUnused = async (db: Db, listId: string): Promise<number> => {
  const counted = await db.knex(codes.name).where({ list_id: listId, used_at: null }).count('* as left').first()
  return Number(counted?.['left'])
}

/** The number of unused codes in a list, and the time at which a code was last used. */
export const readUse = async (db: Db, listId: string) => {
  const rows = await codes.list(db, { listId }, { orderBy: 'codeHash' })
  const used = rows.flatMap(({ usedAt }) => usedAt ?? [])
  const last = Math.max(...used.map((at) => at.getTime()))
  return { left: rows.length - used.length, lastUsedAt: used.length === 0 ? null : new Date(last) }
}

/** Deletes the lists of a user that were created at `since` or later. */
export const deleteListsSince = (tx: Tx, userId: string, since: Date) =>
  tx.knex(lists.name).where({ user_id: userId }).where('created_at', '>=', since).delete()
export const deleteLists = (tx: Tx, userId: string) => lists.delete(tx, { userId })

/** Selects lists from before the given time whose second factor was never proven. */
export const unprovenBefore = (before: Date): Outdated => ({
  table: lists.name,
  key: ['id'],
  choose: (rows) => rows.whereRaw('not is_active').where('created_at', '<', before),
})

export const ownLists = personalRows(lists, { name: 'recoveryCodes', fields: ['id', 'isActive', 'createdAt'] })
