import type { Tx } from '../../core/db/database.ts'
import type { Outdated } from '../../core/db/sweep.ts'

const table = 'used_proof_of_work'

/** Records the use of a challenge. False if it was used before: the database decides which of two requests was first. */
export const insertUse = async (tx: Tx, id: string, expiresAt: Date): Promise<boolean> => {
  const rows: unknown[] = await tx.knex(table).insert({ id, expires_at: expiresAt }).onConflict('id').ignore().returning('id')
  return rows.length === 1
}

/** Challenges that expired before `before`, so that no node accepts them any more. */
export const usesBefore = (before: Date): Outdated => ({
  table,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<', before),
})
