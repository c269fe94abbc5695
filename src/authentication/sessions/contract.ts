import { z } from 'zod'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { User } from '../../identity/users/contract.ts'

/** A session as its owner sees it. `token` is the raw token of the session the call was made with. */
export const Session = z
  .object({
    id: z.string(),
    token: z.string(),
    userId: z.string(),
    expiresAt: instant,
    createdAt: instant,
    updatedAt: instant,
    ipAddress: z.string(),
    userAgent: z.string(),
    activeOrganizationId: z.string().nullable(),
    activeTeamId: z.string().nullable(),
    /** The administrator who acts as the user in this session. */
    impersonatedBy: z.string().nullable(),
  })
  .meta({ id: 'Session' })

/** A session in a list: `token` carries the id, so that a list never shows tokens and clients that revoke by `token` go on working. */
export const ListedSession = Session.extend({
  /** The browser as a person would say it: "Firefox on Linux". */
  device: z.string(),
  /** True for the session the call was made with. */
  current: z.boolean(),
})

const status = z.object({ status: z.boolean() })
const flag = z.enum(['true', 'false']).optional()

export const sessionContract = contract('Sessions', {
  getSession: {
    method: 'GET',
    path: '/get-session',
    summary: 'The session of the signed-in user, or null',
    access: 'public',
    query: z.object({ disableCookieCache: flag, disableRefresh: flag }),
    response: z.object({ session: Session, user: User }).nullable(),
    errors: [],
    cookieCache: true,
  },
  listSessions: {
    method: 'GET',
    path: '/list-sessions',
    summary: 'The live sessions of the signed-in user, last used first',
    access: { permission: 'sessions:read' },
    response: z.array(ListedSession),
    errors: [],
  },
  revokeSession: {
    method: 'POST',
    path: '/revoke-session',
    summary: 'End one of the own sessions, by id or token',
    access: { permission: 'sessions:delete' },
    body: z.object({ token: plainText(64) }),
    response: status,
    errors: ['SESSION_NOT_FOUND'],
  },
  revokeSessions: {
    method: 'POST',
    path: '/revoke-sessions',
    summary: 'End all own sessions',
    access: { permission: 'sessions:delete' },
    response: status,
    errors: [],
  },
  revokeOtherSessions: {
    method: 'POST',
    path: '/revoke-other-sessions',
    summary: 'End all own sessions but this one',
    access: { permission: 'sessions:delete' },
    response: status,
    errors: [],
  },
  signOut: {
    method: 'POST',
    path: '/sign-out',
    summary: 'End the session and single sign-on',
    access: 'public',
    response: z.object({ success: z.boolean() }),
    errors: ['FAILED_TO_GET_SESSION'],
  },
})
