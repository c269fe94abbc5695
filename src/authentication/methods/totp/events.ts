import { z } from 'zod'
import { defineEvents } from '../../../core/events/types.ts'

export const totpEvents = defineEvents({
  'totp.enabled': {
    summary: 'A user proved the first code of a new authenticator app: it is a second factor of theirs.',
    subject: 'user',
    data: z.object({}),
  },
  'totp.replaced': {
    summary: 'A user proved the first code of another authenticator app, which took the place of the one before.',
    subject: 'user',
    data: z.object({}),
  },
  'totp.shown': {
    summary: 'The secret of the authenticator app was shown again to a session with a recent proof.',
    subject: 'user',
    data: z.object({}),
  },
  'totp.disabled': {
    summary: 'The authenticator app of a user was removed.',
    subject: 'user',
    data: z.object({}),
  },
})
