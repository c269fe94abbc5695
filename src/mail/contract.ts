import { z } from 'zod'
import { errorsOf } from '../core/errors.ts'
import { defineEvents } from '../core/events/types.ts'
import { locales } from '../core/locale.ts'
import { counted, sortedPage } from '../core/page.ts'
import { emailInput, instant, parseEmail, plainText } from '../core/wire.ts'
import { contract } from '../http/contract.ts'

/** A mail as operators see it, without its text and links. */
export const ListedMail = z
  .object({
    /** The id of the mail. The header Message-ID contains it. */
    id: z.string(),
    kind: z.string(),
    address: z.string(),
    state: z.enum(['pending', 'sent', 'failed']),
    attempts: z.int(),
    createdAt: instant,
    /** When the mail is tried next. Null if it is not tried again. */
    nextAttemptAt: instant.nullable(),
    /** What the mail server last responded, or why there was no response. */
    lastError: z.string().nullable(),
  })
  .meta({ id: 'Mail' })

/** A sample of a mail. Links and codes in it do not work. */
export const MailPreview = z
  .object({ kind: z.string(), subject: z.string(), text: z.string(), html: z.string() })
  .meta({ id: 'MailPreview' })

const list = counted(
  sortedPage('mails', ListedMail, {
    filter: {
      state: z.enum(['pending', 'sent', 'failed']).optional(),
      /** Only mails of this kind, such as `reset-password`. */
      kind: plainText(64, 1).optional(),
      /** Only mails to this email address. It has to be complete, and its case does not matter. */
      address: plainText(320, 1).optional(),
      createdSince: instant.optional(),
      createdUntil: instant.optional(),
    },
    sorts: ['createdAt'],
  }),
)
export type MailQuery = z.output<typeof list.query>

export const mailContract = contract('Mail and tasks', {
  listMails: {
    method: 'GET',
    path: '/admin/mails',
    summary: 'List the mails of the outbox with their states, page by page',
    access: { permission: 'mails:read' },
    ...list,
    errors: [],
  },
  listMailTemplates: {
    method: 'GET',
    path: '/admin/mails/templates',
    summary: 'List the kinds of mails that the instance can send',
    access: { permission: 'mails:read' },
    response: z.object({ templates: z.array(z.object({ kind: z.string() })) }),
    errors: [],
  },
  previewMail: {
    method: 'GET',
    path: '/admin/mails/templates/:kind',
    summary: 'Preview a kind of mail in one language, as the caller would get it',
    access: { permission: 'mails:read' },
    params: z.object({ kind: plainText(64, 1) }),
    query: z.object({
      language: z.enum(locales).default('en'),
      /** A name for the sample, in place of the brand's name. */
      name: plainText(64, 1).optional(),
      /** A colour for the sample, in place of the brand's colour. It has six hexadecimal digits. */
      color: z
        .string()
        .regex(/^[0-9a-f]{6}$/, 'six hexadecimal digits in small letters')
        .optional(),
    }),
    response: MailPreview,
    errors: ['MAIL_TEMPLATE_NOT_FOUND'],
  },
  sendTestMail: {
    method: 'POST',
    path: '/admin/mails/test',
    summary: 'Send a test mail without the outbox, and return the answer of the mail server',
    access: { permission: 'mails:update' },
    body: z.strictObject({
      /** The recipient. If absent, it is the email address of the caller. */
      address: emailInput
        .refine((address) => parseEmail(address) !== undefined, 'an email address')
        .transform((address) => parseEmail(address) ?? address)
        .optional(),
    }),
    response: z.object({ address: z.string(), isAccepted: z.boolean(), answer: z.string() }),
    errors: ['MAIL_ADDRESS_MISSING'],
    limit: 'strict',
  },
  retryMail: {
    method: 'POST',
    path: '/admin/mails/:id/retry',
    summary: 'Send a failed mail again',
    access: { permission: 'mails:update' },
    params: z.object({ id: plainText(64, 1) }),
    response: ListedMail,
    errors: ['MAIL_NOT_FOUND'],
  },
})

export const mailErrors = errorsOf({
  MAIL_NOT_FOUND: [404, 'Mail not found'],
  MAIL_TEMPLATE_NOT_FOUND: [404, 'Mail template not found'],
  MAIL_ADDRESS_MISSING: [400, 'Mail address missing'],
})

export const mailEvents = defineEvents({
  'mail.given_up': {
    summary: 'A mail could not be sent. It is not sent again unless an operator requests it.',
    subject: 'mail',
    data: z.object({ kind: z.string(), attempts: z.number() }),
    counted: () => ({ counts: [['mails', 'failed']] }),
  },
  'mail.test_sent': {
    summary: 'An operator sent a test mail. `isAccepted` says whether the mail server has accepted it.',
    subject: 'mail',
    data: z.object({ isAccepted: z.boolean() }),
  },
  'mail.retried': { summary: 'An operator sent a failed mail again.', subject: 'mail', data: z.object({}) },
})

const mail = {
  ...{ id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', kind: 'reset-password', address: 'ann@example.com', state: 'failed' },
  ...{ attempts: 12, createdAt: '2026-11-23T08:00:00.000Z', nextAttemptAt: null, lastError: '550 mailbox unavailable' },
}

/** Descriptions and examples for the API document. */
export const mailDocumentation = {
  listMails: {
    description:
      'Newest first. `mail.keepSentDays` and `mail.keepFailedDays` say how long mails are kept. `address` is a complete address. ' +
      '`createdUntil` is exclusive. A page may have fewer than `limit` mails and still have a `next`, because the filters by kind and ' +
      'by `pending` and `sent` examine a thousand mails at a time. The words and links of a mail are never shown.',
    example: { response: { mails: [mail], next: null, total: null } },
  },
  listMailTemplates: {
    description: 'Each kind of mail has a template in every language.',
    example: { response: { templates: [{ kind: 'verification' }, { kind: 'reset-password' }] } },
  },
  previewMail: {
    description:
      'Rendered like a real mail, with your own texts and the name of the caller. Nothing is sent, and links and codes are invalid. ' +
      '`name` and `color` show the mail with another brand.',
    example: {
      response: {
        ...{ kind: 'verification', subject: 'Confirm your address', text: 'Hello Ann, …' },
        html: '<!doctype html>…',
      },
    },
  },
  sendTestMail: {
    description:
      'Does the same as `gatehouse doctor --mail-to`. Without a mail server, the mail becomes a file in the outbox of the data directory.',
    example: { response: { address: 'ada@example.com', isAccepted: true, answer: '250 2.0.0 Ok: queued as 4F1C2A' } },
  },
  retryMail: {
    description: 'Does the same as `gatehouse retry-mail`, for a mail whose state is `failed`.',
    example: { response: { ...mail, state: 'pending', attempts: 0, nextAttemptAt: '2026-11-23T10:00:00.000Z' } },
  },
}
