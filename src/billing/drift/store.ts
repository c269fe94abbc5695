import type { Db } from '../../core/db/database.ts'

interface Identity {
  readonly id: string
  readonly email: string | null
  readonly externalId: string | null
}

/** Ids, external ids and email addresses of the customers whose id sorts after `after`, in the order of their ids. */
export const listIdentities = async (db: Db, after: string, limit: number): Promise<readonly Identity[]> => {
  const rows: { id: string; email: string | null; external_id: string | null }[] = await db
    .knex('billing_customer')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .select('id', 'email', 'external_id')
  return rows.map(({ id, email, external_id }) => ({ id, email, externalId: external_id }))
}
