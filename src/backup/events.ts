import { z } from 'zod'
import { defineEvents } from '../core/events/types.ts'

export const backupEvents = defineEvents({
  'backup.requested': {
    summary: 'The actor asked for a backup, which a node then makes.',
    subject: 'backup',
    data: z.object({}),
  },
  'backup.made': {
    summary: 'A backup was written and read again without a fault.',
    subject: 'backup',
    data: z.object({
      reason: z.enum(['command', 'call', 'schedule']),
      bytes: z.number(),
      rows: z.number(),
      sha256: z.string(),
      /** True when the master secret is in it, sealed under a passphrase. */
      hasKeys: z.boolean(),
    }),
  },
  'backup.failed': {
    summary: 'A backup could not be written, or did not read as it was written.',
    subject: 'backup',
    data: z.object({ reason: z.enum(['command', 'call', 'schedule']), error: z.string() }),
  },
  'backup.downloaded': {
    summary: 'The file of a backup began to be sent to the actor, who then has all that the instance stores.',
    subject: 'backup',
    data: z.object({ bytes: z.number(), sha256: z.string(), hasKeys: z.boolean() }),
  },
  'instance.restored': {
    summary:
      'The database was filled from a backup. `held` counts what was kept from being sent a second time, `ended` what let people in and was ended.',
    subject: 'instance',
    data: z.object({
      madeAt: z.string(),
      gatehouse: z.string(),
      from: z.enum(['sqlite', 'postgres']),
      rows: z.number(),
      sha256: z.string(),
      held: z.record(z.string(), z.number()),
      ended: z.record(z.string(), z.number()).default({}),
    }),
  },
})
