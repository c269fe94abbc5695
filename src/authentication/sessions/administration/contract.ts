import { z } from 'zod'
import { counted, sortedPage } from '../../../core/page.ts'
import { instant, Named, plainText } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'

const Id = plainText(64, 1)

/** A session as administrators see it, without its token. */
export const AdministeredSession = z
  .object({
    id: z.string(),
    userId: z.string(),
    user: z.object({ id: z.string(), name: z.string(), email: z.string() }),
    createdAt: instant,
    /** The time of the last use, not exact, because not every use is written. */
    updatedAt: instant,
    expiresAt: instant,
    ipAddress: z.string(),
    userAgent: z.string(),
    /** The readable name of the browser, such as "Firefox on Linux". */
    device: z.string(),
    activeOrganizationId: z.string().nullable(),
    /** The id of the administrator who impersonates the user in this session; null if nobody does. */
    impersonatedBy: z.string().nullable(),
    impersonator: Named.nullable(),
    /** The organization that is active in the session; null if none is active. */
    organization: Named.nullable(),
  })
  .meta({ id: 'AdministeredSession' })

export const sessionList = counted(
  sortedPage('sessions', AdministeredSession, {
    filter: {
      userId: Id.optional(),
      ipAddress: plainText(64, 1)
        .optional()
        .meta({ description: 'The address from which the session was started, as lists show it.' }),
    },
    sorts: ['createdAt'],
  }),
)

const ofUser = counted(sortedPage('sessions', AdministeredSession, { filter: {}, sorts: ['createdAt'] }))

export const sessionAdministrationContract = contract('Sessions', {
  adminListSessions: {
    method: 'GET',
    path: '/admin/sessions',
    summary: 'List sessions that have not ended, page by page',
    access: { permission: 'user-sessions:read' },
    ...sessionList,
    errors: [],
  },
  adminListSessionsOfUser: {
    method: 'GET',
    path: '/admin/users/:id/sessions',
    summary: 'List the sessions of a user that have not ended, page by page',
    access: { permission: 'user-sessions:read' },
    params: z.object({ id: Id }),
    ...ofUser,
    errors: ['NOT_FOUND'],
  },
  adminEndSession: {
    method: 'DELETE',
    path: '/admin/sessions/:id',
    summary: 'End a session and its tokens at applications',
    access: { permission: 'user-sessions:delete' },
    params: z.object({ id: Id }),
    response: z.object({ success: z.boolean() }),
    errors: ['NOT_FOUND'],
  },
})
