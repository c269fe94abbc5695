import type { Tx } from '../../core/db/database.ts'
import type { Outdated } from '../../core/db/sweep.ts'

const table = 'used_proof_of_work'

/**
 * Records that a challenge was used. Returns false if it was used before. If two requests use it at the same time, the database decides
 * which one was first.
 */
export const insertUse = async (tx: Tx, id: string, expiresAt: Date): Promise<boolean> => {
  const rows: unknown[] = await tx.knex(table).insert({ id, expires_at: expiresAt }).onConflict('id').ignore().returning('id')
  return rows.length === 1
}

/** A condition for challenges that expired before `before`. No node accepts these any more. */
export const usesBefore = (before: Date): Outdated => ({
  table,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<', before),
})
