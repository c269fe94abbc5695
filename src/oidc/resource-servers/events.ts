import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

/** The changed fields of an API. None of them is a secret. */
const fields = z.record(z.string(), z.unknown())

export const apiEvents = defineEvents({
  'api.created': {
    summary: 'An API was registered, which accepts tokens of this server.',
    subject: 'api',
    data: z.object({
      identifier: z.string(),
      access: z.string(),
      clients: z.array(z.string()).describe('the listed applications'),
    }),
  },
  'api.updated': {
    summary: 'An API was changed: its scopes, its tokens, or the applications that may request them.',
    subject: 'api',
    data: z.object({ identifier: z.string(), fields: z.array(z.string()), before: fields, after: fields }),
  },
  'api.deleted': {
    summary: 'An API was deleted. No token is issued for it any more.',
    subject: 'api',
    data: z.object({ identifier: z.string(), name: z.string() }),
  },
  'api.secret_rotated': {
    summary: 'An API got a new secret for introspecting tokens.',
    subject: 'api',
    data: z.object({
      id: z.string().describe('the id of the secret'),
      ended: z.array(z.string()).describe('the ids of the secrets that ended'),
    }),
  },
  'api.secret_revoked': {
    summary: 'A secret of an API was removed.',
    subject: 'api',
    data: z.object({ id: z.string().describe('the id of the secret') }),
  },
})
