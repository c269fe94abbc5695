import type { Feature } from '../feature.ts'
import { sessionErrors } from './errors.ts'
import { sessionRoutes } from './routes.ts'
import {
  type AllSessionsEnded,
  createSessions,
  type NewDevice,
  type SessionEnded,
  type Sessions,
  type SessionsDeps,
  type StartedSession,
} from './service.ts'

export type { AllSessionsEnded, NewDevice, SessionEnded, Sessions, StartedSession }

export const sessionsFeature = (deps: SessionsDeps): Feature & { api: Sessions } => {
  const api = createSessions(deps)
  return {
    api,
    routes: sessionRoutes(api, deps.transact),
    jobs: [{ name: 'sessions.sweep', everyMs: 60_000, run: api.sweep }],
    errors: sessionErrors.table,
  }
}
