import type { z } from 'zod'
import type { PermittedPrincipal } from '../../../access/principal.ts'
import type { Core } from '../../../core/core.ts'
import type { Total } from '../../../core/db/count.ts'
import { coreErrors } from '../../../core/errors.ts'
import { cursorOf, cutPage, nextAfter } from '../../../core/page.ts'
import type { ManagedUsers } from '../../../identity/users/index.ts'
import { deviceOf } from '../rules.ts'
import { findSession } from '../store.ts'
import type { Sessions } from '../types.ts'
import type { AdministeredSession, sessionList } from './contract.ts'
import { pageOfSessions } from './store.ts'

type Listed = Omit<z.output<typeof AdministeredSession>, 'impersonator' | 'organization'>

interface SessionPage {
  readonly sessions: readonly Listed[]
  readonly next: string | null
  readonly total: Total | null
}

/** Lets administrators and the command line list and end the sessions of other users. */
export interface SessionAdministration {
  list(query: z.output<typeof sessionList.query>): Promise<SessionPage>
  /** The sessions of a user. Throws NOT_FOUND if there is no such user. */
  listOf(userId: string, query: Omit<z.output<typeof sessionList.query>, 'userId' | 'ipAddress'>): Promise<SessionPage>
  /** Ends a session. Throws NOT_FOUND. Throws FORBIDDEN if the session's user has more permissions than the principal. */
  end(principal: PermittedPrincipal, id: string): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock'> {
  readonly sessions: Sessions
  readonly managedUsers: ManagedUsers
}

export const createSessionAdministration = (deps: Deps): SessionAdministration => {
  const { db, transact, clock, sessions, managedUsers } = deps
  const notFound = () => coreErrors.error('NOT_FOUND', { message: 'Session not found' })

  const list: SessionAdministration['list'] = async ({ userId, ipAddress, ...query }) => {
    const page = await pageOfSessions(db, { userId, ipAddress }, clock.now(), cursorOf(query))
    const { rows, next } = cutPage(page.rows, query.limit, ({ createdAt, id }) =>
      nextAfter(query, { value: createdAt.getTime(), id }),
    )
    const goesOn = page.lookedTo === undefined ? null : nextAfter(query, page.lookedTo)
    return {
      sessions: rows.map((row) => ({ ...row, device: deviceOf(row.userAgent) })),
      next: next ?? goesOn,
      total: page.total ?? null,
    }
  }

  return {
    list,
    listOf: async (userId, query) => {
      await managedUsers.get(userId)
      return list({ ...query, userId })
    },
    end: (principal, id) =>
      transact(async (tx) => {
        const session = await findSession(tx, id)
        if (session === undefined || session.expiresAt <= clock.now()) throw notFound()
        await managedUsers.requireManageable(tx, principal, session.userId)
        if (!(await sessions.end(tx, principal, session))) throw notFound()
      }),
  }
}
