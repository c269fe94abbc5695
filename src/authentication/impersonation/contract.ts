import { z } from 'zod'
import { plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { User } from '../../identity/users/contract.ts'
import { Session } from '../sessions/contract.ts'

const current = z.object({ session: Session, user: User })

export const impersonationContract = contract('Users', {
  impersonateUser: {
    method: 'POST',
    path: '/admin/impersonate-user',
    summary: 'Act as a user for at most an hour: see what they see, and change nothing',
    access: {
      permission: 'users:impersonate',
      session: true,
      fresh: 'person',
      denied: 'You are not allowed to impersonate users',
    },
    body: z.object({ userId: plainText(64, 1), reason: plainText(500).optional() }),
    response: current,
    errors: [
      'YOU_ARE_NOT_ALLOWED_TO_IMPERSONATE_USERS',
      'YOU_CANNOT_IMPERSONATE_ADMINS',
      'YOU_CANNOT_IMPERSONATE_YOURSELF',
      'A_REASON_IS_REQUIRED',
      '404 USER_NOT_FOUND',
      'BANNED_USER',
    ],
    startsSession: true,
  },
  stopImpersonating: {
    method: 'POST',
    path: '/admin/stop-impersonating',
    summary: 'End the impersonated session, and go on in the session it was started from',
    access: { permission: 'account:read', session: true },
    response: current,
    errors: ['YOU_ARE_NOT_IMPERSONATING_ANYONE', 'FAILED_TO_FIND_ADMIN_SESSION'],
    startsSession: true,
  },
})
