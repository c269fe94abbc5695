import type { Db } from '../../core/db/database.ts'

/** An organization, with the number of seats that are taken. */
export interface TakenSeats {
  readonly organizationId: string
  readonly name: string
  readonly slug: string
  readonly members: number
  /** Number of pending invitations that have not expired. Each of them reserves a seat. */
  readonly invitations: number
}

/** For each of these organizations, how many seats are taken. Takes one query. */
export const listTakenSeats = async (
  { knex }: Db,
  organizationIds: readonly string[],
  now: Date,
): Promise<readonly TakenSeats[]> => {
  if (organizationIds.length === 0) return []
  const members = '(select count(*) from member m where m.organization_id = o.id) as members'
  const invitations =
    "(select count(*) from invitation i where i.organization_id = o.id and i.status = 'pending' and i.expires_at > ?) as invitations"
  const rows: Record<string, unknown>[] = await knex('organization as o')
    .whereIn('o.id', [...organizationIds])
    .select('o.id', 'o.name', 'o.slug', knex.raw(members), knex.raw(invitations, [now]))
  return rows.map((row) => ({
    organizationId: String(row['id']),
    name: String(row['name']),
    slug: String(row['slug']),
    members: Number(row['members']),
    invitations: Number(row['invitations']),
  }))
}
