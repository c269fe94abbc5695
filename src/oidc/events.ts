import { z } from 'zod'
import { defineEvents } from '../core/events/types.ts'

export const oidcEvents = defineEvents({
  'client.created': {
    summary: 'An application was registered.',
    subject: 'client',
    data: z.object({ type: z.string(), skipConsent: z.boolean() }),
  },
  'consent.given': {
    summary: 'A user agreed to scopes of an application that they had not agreed to before.',
    subject: 'user',
    data: z.object({ clientId: z.string(), scopes: z.array(z.string()) }),
  },
  'consent.withdrawn': {
    summary: 'A user denied an application scopes that they had just agreed to.',
    subject: 'user',
    data: z.object({ clientId: z.string(), scopes: z.array(z.string()) }),
  },
  'grant.revoked': {
    summary: 'All tokens of one sign-in were revoked: by the application, or because a code or refresh token was used twice.',
    subject: 'user',
    data: z.object({ clientId: z.string().nullable(), isReused: z.boolean().describe('something was used twice') }),
  },
  'keys.rotated': {
    summary: 'The next signing keys were published.',
    subject: 'issuer',
    data: z.object({ keyIds: z.array(z.string()), signFrom: z.string() }),
  },
})
