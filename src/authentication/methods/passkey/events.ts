import { z } from 'zod'
import { defineEvents } from '../../../core/events/types.ts'

const passkey = z.object({ passkeyId: z.string() })

export const passkeyEvents = defineEvents({
  'user.passkey_added': {
    summary: 'A user added a passkey or security key.',
    subject: 'user',
    data: passkey.extend({
      aaguid: z.string().describe('model of the authenticator; zeros: not told'),
      isUserVerified: z.boolean().describe('it asked for a PIN, a finger or a face'),
      isBackedUp: z.boolean().describe('it is copied to other devices of the user'),
      isByBrowser: z.boolean().describe('the browser made it by itself after a sign-in with a password'),
    }),
  },
  'user.passkey_renamed': { summary: 'A user gave a passkey another name.', subject: 'user', data: passkey },
  'user.passkey_removed': { summary: 'A passkey of a user was removed.', subject: 'user', data: passkey },
  'user.passkey_refused': {
    summary: 'A passkey was refused because its counter did not go on: somebody may have a copy of it.',
    subject: 'user',
    data: passkey.extend({ counter: z.int(), stored: z.int().describe('the counter at its last use') }),
  },
})
