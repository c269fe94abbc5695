import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { defineEvents } from '../../core/events/types.ts'

export const identityEvents = defineEvents({
  'user.identity_linked': {
    summary: 'An identity at a provider became a sign-in method of a user.',
    subject: 'user',
    data: z.object({ identityId: z.string(), provider: z.string() }),
  },
  'user.identity_unlinked': {
    summary: 'A user removed a sign-in method: an identity at a provider, or the password (provider "credential").',
    subject: 'user',
    data: z.object({ identityId: z.string(), provider: z.string() }),
  },
})

export const identityErrors = errorsOf({
  ACCOUNT_NOT_FOUND: [400, 'Account not found'],
})
