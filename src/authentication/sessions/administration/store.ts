import type { Db, RawRow } from '../../../core/db/database.ts'
import { readWindow } from '../../../core/db/keyset.ts'
import type { Row } from '../../../core/db/table.ts'
import { type Cursor, type PlacedRows, type Position, timeAfter } from '../../../core/page.ts'
import { userAddresses } from '../../../identity/users/table.ts'
import { sessions as all } from '../store.ts'

const sessions = all.pick(
  ...(['id', 'userId', 'createdAt', 'updatedAt', 'expiresAt', 'ipAddress', 'userAgent'] as const),
  ...(['activeOrganizationId', 'impersonatedBy'] as const),
)

export interface SessionOfUser extends Row<typeof sessions.columns> {
  readonly user: { readonly id: string; readonly name: string; readonly email: string }
}

export interface SessionFilter {
  readonly userId?: string | undefined
  readonly ipAddress?: string | undefined
}

const position = (raw: RawRow): Position => {
  const { createdAt, id } = sessions.decode(raw)
  return { value: createdAt.getTime(), id }
}

/** A page of sessions with their users. Expired sessions are left out: their rows are deleted only some time after their end. */
export const pageOfSessions = async (
  db: Db,
  { userId, ipAddress }: SessionFilter,
  now: Date,
  { order, limit, after, isCounted }: Cursor,
): Promise<Pick<PlacedRows<SessionOfUser>, 'lookedTo' | 'total'> & { readonly rows: readonly SessionOfUser[] }> => {
  const { rows, lookedTo, total } = await readWindow(db, {
    isCounted,
    from: 'session',
    columns: ['created_at', 'id'],
    select: sessions.names,
    order,
    limit,
    after: timeAfter(after),
    where: (query) => {
      if (userId !== undefined) query.where('x.user_id', userId)
      else if (ipAddress !== undefined) query.where('x.ip_address', ipAddress)
    },
    rest: (query) => {
      query.where('c.expires_at', '>', now).join('user as u', 'u.id', 'c.user_id')
      if (ipAddress !== undefined) query.where('c.ip_address', ipAddress)
      query.select([...sessions.namesOf('c'), ...userAddresses.namesOf('u', 'user_')])
    },
  })
  return {
    rows: rows.map((raw) => {
      const session = sessions.decode(raw)
      return { ...session, user: { id: session.userId, ...userAddresses.decode(raw, 'user_') } }
    }),
    lookedTo: lookedTo && position(lookedTo),
    total,
  }
}
