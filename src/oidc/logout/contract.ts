import { z } from 'zod'
import { counted, sortedPage } from '../../core/page.ts'
import { instant, Named, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

/** `dropped`: the notice was not sent, because the application was deleted or wants no logout tokens any more. */
export const noticeStates = ['waiting', 'delivered', 'failed', 'dropped'] as const

/** A notice to an application that a session has ended (OpenID Connect Back-Channel Logout 1.0). */
export const LogoutNotice = z.object({
  id: z.string(),
  clientId: z.string(),
  client: Named,
  userId: z.string(),
  user: Named,
  /** The id of the session that has ended. The session's row may have been deleted. */
  sessionId: z.string(),
  /** The type of the event that led to the notice. */
  cause: z.string(),
  state: z.enum(noticeStates),
  attempts: z.int(),
  /** The HTTP status of the application's last answer; null if there was no answer. */
  answer: z.int().nullable(),
  /** The problem of the last attempt; null if there was none. */
  problem: z.string().nullable(),
  createdAt: instant,
  attemptedAt: instant.nullable(),
})

const list = counted(
  sortedPage('notices', LogoutNotice, {
    filter: { clientId: plainText(255, 1).optional(), userId: plainText(64, 1).optional() },
    sorts: ['createdAt'],
  }),
)

export const logoutContract = contract('Administration of applications', {
  listLogoutNotices: {
    method: 'GET',
    path: '/admin/logout-notices',
    summary: 'List the notices to applications that a session has ended, with the answers of the applications, newest first',
    access: { permission: 'clients:read' },
    query: list.query,
    response: list.response,
    errors: [],
  },
})

/** Descriptions and examples for the API document. */
export const logoutDocumentation = {
  listLogoutNotices: {
    description: 'Notices are kept for 30 days. A failed notice can be sent again like every other task that has failed.',
    example: {
      response: {
        notices: [
          {
            ...{ id: 'n4Tz8wQm2rVbY6cJ0kXe5nLsPa9uDgFi', clientId: 'shop', userId: 'u7Yt2RkLq9WnXm4sVb6ZcKd0PpHf1JgE' },
            client: { kind: 'client', id: 'shop', name: 'Shop' },
            user: { kind: 'user', id: 'u7Yt2RkLq9WnXm4sVb6ZcKd0PpHf1JgE', name: 'Ann Example' },
            ...{ sessionId: 's8Tz8wQm2rVbY6cJ0kXe5nLsPa9uDgFi', cause: 'session.ended', state: 'delivered', attempts: 1 },
            ...{ answer: 200, problem: null, createdAt: '2026-11-23T09:00:00.000Z', attemptedAt: '2026-11-23T09:00:01.000Z' },
          },
        ],
        next: null,
        total: { count: 1, isExact: true },
      },
    },
  },
}
