import { z } from 'zod'
import { defineEvents } from '../../../core/events/types.ts'

export const totpEvents = defineEvents({
  'totp.enabled': {
    summary: 'A user proved the first code of a new authenticator app: it is a second factor of theirs.',
    subject: 'user',
    data: z.object({}),
  },
  'totp.disabled': {
    summary: 'The authenticator app of a user was removed.',
    subject: 'user',
    data: z.object({}),
  },
})
