import { z } from 'zod'
import { locales } from '../core/locale.ts'
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

/** A mail as it would go out. Its links and codes open nothing. */
export const MailPreview = z
  .object({ kind: z.string(), subject: z.string(), text: z.string(), html: z.string() })
  .meta({ id: 'MailPreview' })

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
  listMailTemplates: {
    method: 'GET',
    path: '/admin/mails/templates',
    summary: 'The kinds of mails that can go out',
    access: { permission: 'mails:read' },
    response: z.object({ templates: z.array(z.object({ kind: z.string() })) }),
    errors: [],
  },
  previewMail: {
    method: 'GET',
    path: '/admin/mails/templates/:kind',
    summary: 'A kind of mail in one language, as it would go out to the caller',
    access: { permission: 'mails:read' },
    params: z.object({ kind: plainText(64, 1) }),
    query: z.object({
      language: z.enum(locales).default('en'),
      /** Tried in the place of the name of the brand. */
      name: plainText(64, 1).optional(),
      /** Tried in the place of the colour of the brand: six hexadecimal digits. */
      color: z
        .string()
        .regex(/^[0-9a-f]{6}$/, 'six hexadecimal digits in small letters')
        .optional(),
    }),
    response: MailPreview,
    errors: ['MAIL_TEMPLATE_NOT_FOUND'],
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
