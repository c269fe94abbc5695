import { z } from 'zod'
import { hourSeconds } from '../core/time.ts'
import { parseMailbox } from './rules.ts'

/**
 * The configuration of mail. Some keys are at the top level, because operators already know their names; the others are in the section
 * `mail`.
 */
export const mailConfig = {
  smtpUrl: z
    .url({ protocol: /^smtps?$/, error: 'smtp://user:password@host:587 or smtps://host:465' })
    .optional()
    .meta({
      secret: true,
      description:
        'Mail server; `smtps://` for TLS from the start. `smtp://` upgrades by STARTTLS and, beyond loopback, sends nothing without it. ' +
        'Without it every mail is written to `<data dir>/outbox/` as an `.eml` file and its link is logged.',
    }),
  smtpAllowPlaintext: z
    .boolean()
    .default(false)
    .describe('Send mails with their links to an `smtp://` server beyond loopback in the clear when it offers no TLS.')
    .meta({ weakened: 'on' }),
  mailFrom: z
    .string()
    .refine((value) => parseMailbox(value) !== undefined, 'an address such as Acme <no-reply@acme.com>')
    .optional()
    .describe('Sender of all mails; `gatehouse <no-reply@<host of the public address>>` when not set.')
    .meta({ weakened: 'never' }),
  mail: z
    .strictObject({
      maxAttempts: z.int().min(1).max(50).default(12).describe('Attempts before a mail is kept as failed.'),
      retrySeconds: z
        .int()
        .min(1)
        .max(hourSeconds)
        .default(5)
        .describe('Wait before the second attempt in seconds; doubles with each further one, up to an hour.'),
      timeoutSeconds: z.int().min(1).max(120).default(60).describe('Time one delivery may take in all, in seconds.'),
      noticesPerHour: z
        .int()
        .min(3)
        .max(100_000)
        .default(30)
        .describe(
          'Most mails of a kind in an hour that tell an address of something that has happened, such as a changed password or a new ' +
            'device, where limits apply. Nothing that is asked for uses them up.',
        ),
      requestsPerHour: z
        .int()
        .min(1)
        .max(100_000)
        .default(10)
        .describe(
          'Largest number of requested mails of a kind, such as links that reset a password, to one address in an hour, where ' +
            'limits apply. Browsers that have signed in to the account have as many again.',
        )
        .meta({ weakened: 'higher' }),
      requestsPerAskerAndHour: z
        .int()
        .min(1)
        .max(100_000)
        .default(3)
        .describe(
          'Most mails of a kind in an hour that one asker has sent to one address, where limits apply. Askers are sessions, browsers that have ' +
            'signed in to the account, and else networks (/24 of IPv4, /48 of IPv6); for invitations, persons.',
        )
        .meta({ weakened: 'higher' }),
      textsDirectory: z.string().min(1).optional().describe('The older name of `texts.directory`. Set one of the two.'),
      keepSentDays: z.int().min(1).max(365).default(7).describe('Days for which the outbox remembers that a mail was sent.'),
      keepFailedDays: z.int().min(1).max(365).default(30).describe('Days for which a mail that could not be sent is kept.'),
    })
    .prefault({})
    .meta({ weakened: 'never' }),
  texts: z
    .strictObject({
      directory: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Path of a directory with texts of your own for pages and mails: `en.yaml`, `de.yaml` and so on, each with the texts that differ ' +
            'from the texts of gatehouse. Read at start. See [brand.md](../how-to/brand.md).',
        ),
    })
    .prefault({})
    .meta({ weakened: 'never' }),
}

export type MailConfig = z.output<z.ZodObject<typeof mailConfig>>
