import { z } from 'zod'
import { instant } from '../core/wire.ts'
import { contract } from '../http/contract.ts'
import { User } from '../users/contract.ts'

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
  })
  .meta({ id: 'Session' })

const flag = z.enum(['true', 'false']).optional()

export const sessionContract = contract({
  getSession: {
    method: 'GET',
    path: '/get-session',
    summary: 'The session of the caller, or null',
    access: 'public',
    query: z.object({ disableCookieCache: flag, disableRefresh: flag }),
    response: z.object({ session: Session, user: User }).nullable(),
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
