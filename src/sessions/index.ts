import type { Clock } from '../core/clock.ts'
import type { Db, Transact } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import type { Feature } from '../feature.ts'
import type { SessionsConfig } from './config.ts'
import { sessionErrors } from './errors.ts'
import { sessionRoutes } from './routes.ts'
import { createSessions, type NewDevice, type SessionEnded, type Sessions, type StartedSession } from './service.ts'

export type { NewDevice, SessionEnded, Sessions, StartedSession }

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly config: SessionsConfig
  /** Asked whenever sessions end. */
  readonly onEnded: readonly SessionEnded[]
  /** Told of sign-ins from somewhere new. */
  readonly onNewDevice: readonly NewDevice[]
}

export const sessionsFeature = (deps: Deps): Feature & { api: Sessions } => {
  const api = createSessions(deps)
  return {
    api,
    routes: sessionRoutes(api, deps.transact),
    jobs: [{ name: 'sessions.sweep', everyMs: 60_000, run: api.sweep }],
    errors: sessionErrors.table,
  }
}
