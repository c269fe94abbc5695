import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

/** The changed fields of an API. None of them is a secret. */
const fields = z.record(z.string(), z.unknown())

export const apiEvents = defineEvents({
  'api.created': {
    summary: 'An API was registered: it takes tokens of this server.',
    subject: 'api',
    data: z.object({ identifier: z.string(), access: z.string(), clients: z.array(z.string()).describe('those listed') }),
  },
  'api.updated': {
    summary: 'An API was changed: its scopes, its tokens, or the applications that may ask for them.',
    subject: 'api',
    data: z.object({ identifier: z.string(), fields: z.array(z.string()), before: fields, after: fields }),
  },
  'api.deleted': {
    summary: 'An API was deleted: no token is issued for it any more.',
    subject: 'api',
    data: z.object({ identifier: z.string(), name: z.string() }),
  },
  'api.secret_rotated': {
    summary: 'An API got another secret to ask about tokens with.',
    subject: 'api',
    data: z.object({
      id: z.string().describe('id of the secret'),
      ended: z.array(z.string()).describe('ids of the ended secrets'),
    }),
  },
  'api.secret_revoked': {
    summary: 'A secret of an API was taken back.',
    subject: 'api',
    data: z.object({ id: z.string().describe('id of the secret') }),
  },
})
