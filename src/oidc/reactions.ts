import { factorRemovals } from '../authentication/factor-administration/events.ts'
import { passwordEvents } from '../authentication/methods/password/contract.ts'
import { sessionEvents } from '../authentication/sessions/contract.ts'
import { verificationEvents } from '../authentication/verification/events.ts'
import { beforeCommit } from '../core/db/database.ts'
import { reactTo } from '../core/events/record.ts'
import { userEvents } from '../identity/users/contract.ts'
import type { Users } from '../identity/users/index.ts'
import type { Images } from '../images/index.ts'
import { organizationEvents } from '../organizations/events.ts'
import type { Artifacts } from './artifacts/service.ts'
import { oidcEvents } from './events.ts'
import type { createEndFurtherAccess } from './grants/end.ts'
import type { Logouts } from './logout/service.ts'

/** Ends the access of applications when other features change something about a user. */
export const reactionsOf = (
  needs: { readonly users: Users; readonly images: Images },
  artifacts: Artifacts,
  logouts: Logouts,
  endFurtherAccess: ReturnType<typeof createEndFurtherAccess>,
) => [
  // This reaction has to run before the rows that link clients to sessions are deleted.
  reactTo(verificationEvents['user.claimed'], (tx, { subjectId: userId, type }) => logouts.notify(tx, { userId }, type)),
  reactTo(sessionEvents['session.ended'], (tx, { subjectId: userId, data: { sessionId }, type }) =>
    logouts.notify(tx, { userId, sessionId }, type),
  ),
  reactTo(sessionEvents['user.sessions_ended'], (tx, { subjectId: userId, data, type }) =>
    logouts.notify(tx, { userId, exceptSessionId: data.keptSessionId }, type),
  ),
  reactTo(userEvents['user.role_changed'], (tx, { subjectId, type }) => logouts.notifyOfImpersonations(tx, subjectId, type)),
  reactTo(organizationEvents['member.removed'], async (tx, { subjectId: userId, organizationId, type }) => {
    if (organizationId !== null) await logouts.notify(tx, { userId, organizationId }, type)
  }),
  reactTo(oidcEvents['client.disabled'], (tx, { subjectId, type }) => logouts.notifyAll(tx, subjectId, type)),
  reactTo(verificationEvents['user.claimed'], (tx, { subjectId }) => artifacts.forgetUser(tx, subjectId)),
  // Before the reset, another person may have consented in the name of the user.
  reactTo(passwordEvents['user.password_reset'], (tx, { subjectId }, { actor }) => endFurtherAccess(tx, actor, subjectId)),
  reactTo(verificationEvents['user.activity_reported'], (tx, { subjectId }, { actor }) => endFurtherAccess(tx, actor, subjectId)),
  ...factorRemovals.map((type) =>
    reactTo(type, async (tx, { subjectId }) => {
      beforeCommit(tx, async () => {
        const user = await needs.users.find(tx, subjectId)
        if (user?.secondFactorSince === null) await artifacts.endOfStrictOrganizations(tx, subjectId)
      })
    }),
  ),
  reactTo(sessionEvents['user.sessions_ended'], (tx, { subjectId, data }) =>
    artifacts.endAccess(tx, subjectId, data.keptSessionId),
  ),
  reactTo(organizationEvents['organization.updated'], async (tx, { subjectId, data }) => {
    if (data.after['requiresSecondFactor'] === true) await artifacts.endOfOneFactor(tx, subjectId)
  }),
  // A former member may have tokens from before the organization required two factors. Such tokens would be valid again when the person
  // joins the organization again.
  reactTo(organizationEvents['member.added'], async (tx, { subjectId, organizationId }) => {
    if (organizationId !== null) await artifacts.endOfOneFactor(tx, organizationId, subjectId)
  }),
  reactTo(oidcEvents['client.deleted'], async (tx, { subjectId: ownerId }) => {
    await needs.images.remove(tx, { kind: 'client-logo', ownerId })
  }),
]
