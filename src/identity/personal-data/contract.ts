import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'
import { contract, stream } from '../../http/contract.ts'

export const personalDataContract = contract('Own data', {
  downloadUserData: {
    method: 'GET',
    path: '/download-user-data',
    changes: true,
    summary: 'Download everything that is stored about your own account, as one JSON file without secrets',
    // Because of `session`, an administrator who impersonates the user cannot download the data.
    access: { permission: 'account:update', fresh: true, session: true },
    response: stream('application/json'),
    errors: [],
    limit: 'strict',
  },
})

export const personalDataEvents = defineEvents({
  'user.data_downloaded': {
    summary: 'A user downloaded the stored data about their account. Recorded before the first byte leaves.',
    subject: 'user',
    data: z.object({}),
  },
})

/** Descriptions and examples for the API document, of the calls in this file. */
export const personalDataDocumentation = {
  downloadUserData: {
    description:
      'Profile, sign-in methods, sessions, organizations, consents, keys and your own events, each as a list under its name. Credentials (passwords, codes, keys, tokens) and data about other people are never included.',
  },
}
