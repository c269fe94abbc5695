import { z } from 'zod'
import { contract, jsonOrAccepted } from '../../http/contract.ts'

export const ingestContract = contract('Billing events', {
  receive: {
    method: 'POST',
    path: '/webhooks/:endpoint',
    summary:
      "Take a signed event of the billing platform: 202 when it was taken, 200 when it had been before. The body is the sender's, byte for byte",
    access: 'anonymous',
    encoding: 'raw',
    // A sender with a secret may send as fast as it can; an unsigned delivery costs a hash and no SQL.
    limit: 'none',
    params: z.object({ endpoint: z.string() }),
    response: jsonOrAccepted(z.object({ outcome: z.enum(['accepted', 'duplicate', 'quarantined']) })),
    errors: [
      'MISSING_REQUIRED_HEADERS',
      'INVALID_SIGNATURE_HEADERS',
      'MESSAGE_TIMESTAMP_TOO_OLD',
      'MESSAGE_TIMESTAMP_TOO_NEW',
      'NO_MATCHING_SIGNATURE_FOUND',
      'FAILED_TO_PARSE_EVENT',
      'UNKNOWN_EVENT_TYPE',
      'WEBHOOK_ENDPOINT_NOT_FOUND',
      'BODY_TOO_LARGE',
    ],
  },
})
