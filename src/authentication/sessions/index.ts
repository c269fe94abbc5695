import type { InstanceRoles } from '../../access/roles.ts'
import { lockRow } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { reactTo } from '../../core/events/record.ts'
import { periodic, sweepSeconds } from '../../core/queue.ts'
import { type Base, defineFeature } from '../../feature.ts'
import { userEvents } from '../../identity/users/contract.ts'
import type { ManagedUsers, Users } from '../../identity/users/index.ts'
import type { Tally } from '../../statistics/index.ts'
import { sessionAdministrationRoutes } from './administration/routes.ts'
import { createSessionAdministration, type SessionAdministration } from './administration/service.ts'
import { type SessionsConfig, sessionErrors, sessionEvents, sessionsConfig } from './contract.ts'
import { createRecentBans } from './recent-bans.ts'
import { sessionCookieOf, sessionRoutes } from './routes.ts'
import { createSessions } from './service.ts'
import type { StoredProof } from './store.ts'
import { ownSessions } from './store.ts'
import type {
  Authentication,
  FullyAuthenticated,
  Impersonator,
  ListedSession,
  SessionStarter,
  Sessions,
  StartedSession,
} from './types.ts'

export type {
  Authentication,
  FullyAuthenticated,
  Impersonator,
  ListedSession,
  SessionAdministration,
  SessionStarter,
  Sessions,
  StartedSession,
  StoredProof,
}

interface Needs {
  readonly managedUsers: ManagedUsers
  readonly users: Users
  readonly instanceRoles: InstanceRoles
  readonly tally?: Tally
}

export const sessionsFeature = defineFeature({
  name: 'sessions',
  config: { sessions: sessionsConfig },
  errors: sessionErrors.table,
  events: sessionEvents,
  build: (base: Base, { sessions: config }: { readonly sessions: SessionsConfig }, needs: Needs) => {
    const { users, instanceRoles, managedUsers, tally } = needs
    const recentBans = createRecentBans(base, config)
    const isRecentlyBanned = recentBans.has
    const created = createSessions({ ...base, config, readFields: users.fieldsOf, instanceRoles, isRecentlyBanned, tally })
    const sessions: Sessions = created
    const sessionStarter: SessionStarter = created
    const sessionAdministration = createSessionAdministration({ ...base, sessions, managedUsers })
    return {
      personalData: [ownSessions],
      withheldData: [{ table: 'known_device', why: 'keyed hashes of browsers, from which nothing can be read' }],
      api: { sessions, sessionAdministration, sessionStarter, sessionCookie: sessionCookieOf(base, config) },
      routes: [...sessionRoutes(sessions, base.transact), ...sessionAdministrationRoutes(sessionAdministration, base.names)],
      access: { session: 'sessions' },
      prepare: recentBans.prepare,
      jobs: recentBans.jobs,
      reactions: [
        reactTo(userEvents['user.banned'], async (tx, { subjectId }, { actor }) => {
          await sessions.endAll(tx, actor, subjectId)
          await recentBans.announce(tx)
        }),
        // A new device may belong to another person. Only a known device sets the user's time zone, so that mails do not show times in
        // another person's zone.
        reactTo(sessionEvents['session.started'], async (tx, { subjectId, data }, { actor: { timeZone } }) => {
          if (timeZone !== undefined && !data.isNewDevice) await users.noteTimeZone(tx, subjectId, timeZone)
        }),
      ],
      // This check locks the session and not the user. Transactions lock a user only after their other rows, and locking in another order
      // could deadlock.
      requireAlive: async (tx, principal) => {
        if (principal.kind !== 'user') return
        const { user, session } = principal
        await lockRow(tx, 'session', session.id)
        if ((await sessions.ownerOf(tx, session.id)) !== user.id) throw coreErrors.error('UNAUTHORIZED')
      },
      retentions: sessions.retentions,
      tasks: [periodic('sessions.sweep', sweepSeconds, sessions.sweep)],
    }
  },
})
