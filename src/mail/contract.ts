import { z } from 'zod'
import { sortedPage } from '../core/page.ts'
import { instant, plainText } from '../core/wire.ts'
import { contract } from '../http/contract.ts'

/** A mail as operators see it: never its words and links. */
export const ListedMail = z
  .object({
    /** Makes its Message-ID as well. */
    id: z.string(),
    kind: z.string(),
    address: z.string(),
    state: z.enum(['pending', 'sent', 'failed']),
    attempts: z.int(),
    createdAt: instant,
    /** Null unless it waits for one. */
    nextAttemptAt: instant.nullable(),
    /** What the mail server said last, or what went wrong on the way to it. */
    lastError: z.string().nullable(),
  })
  .meta({ id: 'Mail' })

const list = sortedPage('mails', ListedMail, {
  filter: {
    state: z.enum(['pending', 'sent', 'failed']).optional(),
    /** Such as `reset-password`. */
    kind: plainText(64, 1).optional(),
    /** The whole address, in any case. */
    address: plainText(320, 1).optional(),
    createdSince: instant.optional(),
    createdUntil: instant.optional(),
  },
  sorts: ['createdAt'],
})
export type MailQuery = z.output<typeof list.query>

export const mailContract = contract('Mail and tasks', {
  listMails: {
    method: 'GET',
    path: '/admin/mails',
    summary: 'The mails of the outbox and what became of them, page by page',
    access: { permission: 'mails:read' },
    ...list,
    errors: [],
  },
  retryMail: {
    method: 'POST',
    path: '/admin/mails/:id/retry',
    summary: 'Try a failed mail again',
    access: { permission: 'mails:update' },
    params: z.object({ id: plainText(64, 1) }),
    response: ListedMail,
    errors: ['MAIL_NOT_FOUND'],
  },
})
