import { z } from 'zod'

export const eventsConfig = z
  .strictObject({
    keepDays: z
      .int()
      .min(7)
      .max(3650)
      .default(400)
      .describe('Days for which events of the audit log are kept. Older events are deleted, up to a checkpoint of the chain.')
      .meta({ weakened: 'lower' }),
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'File to which every event is appended, as JSON Lines, a moment after it happened. It may be renamed by log rotation; a new one begins then.',
      )
      .meta({ needsRestart: true }),
    syslog: z
      .url({ protocol: /^(udp|tcp|tls)$/, error: 'udp://host:514, tcp://host:601 or tls://host:6514' })
      .optional()
      .describe('Syslog server that gets every event (RFC 5424): `udp://host:514`, `tcp://host:601` or `tls://host:6514`.'),
    syslogCaFile: z
      .string()
      .min(1)
      .optional()
      .describe(
        "PEM file with the authorities that may have signed the certificate of a `tls://` server; the system's without it.",
      ),
    webhook: z
      .strictObject({
        url: z
          .url({ protocol: /^https?$/, error: 'https://host/path' })
          .optional()
          .describe(
            'HTTP endpoint that gets every event, in batches, signed as Standard Webhooks says. `outbound` decides which hosts may be called.',
          ),
        secret: z
          .string()
          .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'whsec_ and at least 24 bytes in base64')
          .optional()
          .meta({ secret: true, description: 'Secret with which the events for `events.webhook.url` are signed: `whsec_…`.' }),
      })
      .refine(({ url, secret }) => (url === undefined) === (secret === undefined), 'url and secret, or neither')
      .prefault({}),
    maxStreams: z
      .int()
      .min(1)
      .max(10_000)
      .default(200)
      .describe('Most consoles that follow events live on one node (`GET /admin/events/stream`); each holds a connection.')
      .meta({ weakened: 'never' }),
    maxExportMegabytes: z
      .int()
      .min(1)
      .max(10_000)
      .default(1_000)
      .describe(
        'Largest file of `POST /admin/events/exports`, in millions of bytes; the database keeps it for a day, in about a tenth of that.',
      )
      .meta({ weakened: 'never' }),
    log: z
      .boolean()
      .default(false)
      .describe('Write every event to the log as well, a moment after it happened, for a system that collects logs.')
      .meta({ weakened: 'never' }),
  })
  .prefault({})

export type EventsConfig = z.output<typeof eventsConfig>
