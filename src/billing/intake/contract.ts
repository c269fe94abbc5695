import { z } from 'zod'
import { contract } from '../../http/contract.ts'

export const intakeContract = contract({
  receive: {
    method: 'POST',
    path: '/webhooks/:endpoint',
    summary:
      "Take a signed event of the billing platform: 202 when it was taken, 200 when it had been before. The body is the sender's, byte for byte",
    access: 'anonymous',
    encoding: 'raw',
    // Whoever signs may send as fast as it can; what is not signed costs a hash and no SQL.
    limit: 'none',
    accepts: true,
    params: z.object({ endpoint: z.string() }),
    response: z.object({ outcome: z.enum(['accepted', 'duplicate', 'quarantined']) }),
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
