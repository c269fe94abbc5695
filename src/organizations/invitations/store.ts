import type { Db, Tx } from '../../core/db/database.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import { bool, json, nullable, oneOf, type Row, table, text, time } from '../../core/db/table.ts'
import { texts } from '../../core/stored-json.ts'
import { organizationNames } from '../store.ts'

const columns = {
  id: text,
  organizationId: text,
  email: text,
  role: text,
  status: oneOf('pending', 'accepted', 'rejected', 'canceled'),
  teamIds: json(() => texts),
  /** Id of the user who invited. Null if an operator invited, or if the inviter was deleted. */
  inviterId: nullable(text),
  byOperator: bool,
  expiresAt: time,
  createdAt: time,
}
export const invitations = table('invitation', columns)
export type InvitationRow = Row<typeof columns>
export type InvitationStatus = InvitationRow['status']

export const insertInvitation = (tx: Tx, row: InvitationRow) => invitations.insert(tx, row)
/** Finds an invitation by its id alone, in any organization. The id is a secret, so knowing it is enough. */
export const findInvitation = (db: Db, id: string) => invitations.find(db, { id })
/** Finds the pending invitation for an email address. It may have expired. */
export const findPending = (db: Db, organizationId: string, email: string) =>
  invitations.find(db, { organizationId, email, status: 'pending' })
/** Stores that an invitation was answered or canceled. False if another request did so first. */
export const settle = (tx: Tx, { organizationId, id }: InvitationRow, status: InvitationStatus) =>
  invitations.updateOne(tx, { organizationId, id, status: 'pending' }, { status })
/** Gives a pending invitation a new expiry. False if another request has answered or canceled it first. */
export const renewInvitation = (
  tx: Tx,
  { organizationId, id }: InvitationRow,
  patch: Pick<InvitationRow, 'expiresAt' | 'inviterId' | 'byOperator'>,
) => invitations.updateOne(tx, { organizationId, id, status: 'pending' }, patch)

/** Invitations of an organization, newest first. */
export const listInvitations = async (
  db: Db,
  organizationId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<InvitationRow[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex('invitation')
    .where({ organization_id: organizationId })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit)
    .offset(offset)
  return rows.map((row) => invitations.decode(row))
}

/** The status is written into the SQL and not passed as a parameter, so that SQLite uses the partial index of pending invitations. */
const isPending = "status = 'pending'"

/** Pending invitations of an organization that have not expired, newest first. */
export const listPending = async (db: Db, organizationId: string, now: Date, limit: number): Promise<InvitationRow[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex('invitation')
    .where({ organization_id: organizationId })
    .whereRaw(isPending)
    .where('expires_at', '>', now)
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit)
  return rows.map((row) => invitations.decode(row))
}

/** Selects invitations by their inviter, in one organization or in all. */
export interface SentBy {
  readonly inviterId: string
  readonly organizationId?: string | null
}

/** The pending invitations of an inviter, oldest first. */
export const listPendingBy = async (db: Db, { inviterId, organizationId }: SentBy, now: Date): Promise<InvitationRow[]> => {
  const query = db.knex('invitation').where({ inviter_id: inviterId }).whereRaw(isPending).where('expires_at', '>', now)
  if (organizationId != null) query.where({ organization_id: organizationId })
  const rows: Record<string, unknown>[] = await query.orderBy(['created_at', 'id'])
  return rows.map((row) => invitations.decode(row))
}

export interface InvitationOfUser extends InvitationRow {
  readonly organizationName: string
  readonly organizationSlug: string
}

/** Pending invitations for an email address that have not expired, newest first. */
export const listPendingFor = async (db: Db, email: string, now: Date, limit: number): Promise<InvitationOfUser[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex('invitation as i')
    .join('organization as o', 'o.id', 'i.organization_id')
    .where({ 'i.email': email, 'i.status': 'pending' })
    .where('i.expires_at', '>', now)
    .orderBy([
      { column: 'i.created_at', order: 'desc' },
      { column: 'i.id', order: 'desc' },
    ])
    .limit(limit)
    .select('i.*', ...organizationNames.namesOf('o', 'organization_'))
  return rows.map((row) => {
    const { name: organizationName, slug: organizationSlug } = organizationNames.decode(row, 'organization_')
    return { ...invitations.decode(row), organizationName, organizationSlug }
  })
}

/** Number of an organization's pending invitations that have not expired. */
export const countPending = async (db: Db, organizationId: string, now: Date): Promise<number> => {
  const [row] = await db
    .knex('invitation')
    .where({ organization_id: organizationId })
    .whereRaw(isPending)
    .where('expires_at', '>', now)
    .count({ count: '*' })
  return Number(row?.['count'])
}

/**
 * The columns of an invitation in the download of a user's data. Two columns are left out: the id, because it is the secret of the mail,
 * and the address, because it belongs to another person.
 */
const shown = ['organizationId', 'role', 'status', 'createdAt', 'expiresAt'] as const
export const ownInvitations = [
  personalRows(invitations, { name: 'invitationsReceived', owner: 'email', by: 'email', fields: shown }),
  personalRows(invitations, { name: 'invitationsSent', owner: 'inviter_id', fields: shown }),
]
