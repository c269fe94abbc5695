import { reactTo } from '../../core/events/record.ts'
import { type Base, defineFeature } from '../../feature.ts'
import type { SignedCookie } from '../../http/cookies.ts'
import type { RoleDirectory } from '../../identity/roles/index.ts'
import { userEvents } from '../../identity/users/contract.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Attempts } from '../attempts/index.ts'
import type { Sessions } from '../sessions/index.ts'
import { type ImpersonationConfig, impersonationErrors, impersonationEvents, impersonationSettings } from './contract.ts'
import { impersonationRoutes, ownCookieOf } from './routes.ts'
import { createImpersonation, type Impersonation } from './service.ts'

export type { Impersonation }

interface Needs {
  readonly users: Users
  readonly sessions: Sessions
  readonly sessionCookie: SignedCookie
  readonly attempts: Attempts
  readonly instanceRoles: RoleDirectory
}

/** Lets administrators impersonate users. Ends the impersonated sessions. */
export const impersonationFeature = defineFeature({
  name: 'impersonation',
  config: { admin: impersonationSettings },
  errors: impersonationErrors.table,
  events: impersonationEvents,
  build: (base: Base, { admin: config }: { readonly admin: ImpersonationConfig }, needs: Needs) => {
    const { url, secrets, clock } = base
    const { sessionCookie } = needs
    const impersonation = createImpersonation({ ...base, ...needs, config })
    const ownCookie = ownCookieOf({ url, secrets })
    return {
      api: { impersonation },
      routes: impersonationRoutes({ impersonation, sessionCookie, ownCookie, clock }),
      reactions: [reactTo(userEvents['user.role_changed'], (tx, { subjectId }) => impersonation.endAllBy(tx, subjectId))],
    }
  },
})
