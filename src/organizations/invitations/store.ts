import type { Db } from '../../core/database.ts'
import { json, nullable, oneOf, type Row, table, text, time } from '../../core/table.ts'

const columns = {
  id: text,
  organizationId: text,
  email: text,
  role: text,
  status: oneOf('pending', 'accepted', 'rejected', 'canceled'),
  teamIds: json<readonly string[]>(),
  inviterId: nullable(text),
  expiresAt: time,
  createdAt: time,
}
const invitations = table('invitation', columns)
export type InvitationRow = Row<typeof columns>

/** Invitations of an organization that wait for an answer, newest first. */
export const listWaiting = async (db: Db, organizationId: string, now: Date, limit: number): Promise<InvitationRow[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex('invitation')
    .where({ organization_id: organizationId, status: 'pending' })
    .where('expires_at', '>', now)
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit)
  return rows.map((raw) => invitations.decode(raw))
}
