import { type Total, totalOf } from '../../core/db/count.ts'
import type { Db } from '../../core/db/database.ts'
import type { Cursor } from '../../core/page.ts'

/** The number of organizations that are linked to a customer. */
export const totalOfLinkedOrganizations = (db: Db): Promise<Total> =>
  totalOf(db, db.knex('billing_link').whereNotNull('organization_id').groupBy('organization_id'), undefined)

/** Ids of the organizations that are linked to a customer, in sorted order. */
export const listLinkedOrganizations = async (
  { knex }: Db,
  { order, limit, after }: Pick<Cursor, 'order' | 'limit'> & { readonly after: string | undefined },
): Promise<readonly string[]> => {
  const query = knex('billing_link').whereNotNull('organization_id').groupBy('organization_id')
  if (after !== undefined) query.where('organization_id', order === 'asc' ? '>' : '<', after)
  return query.orderBy('organization_id', order).limit(limit).pluck('organization_id')
}
