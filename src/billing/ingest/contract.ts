import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'
import { contract, jsonOrAccepted } from '../../http/contract.ts'

export const ingestContract = contract('Billing events', {
  receive: {
    method: 'POST',
    path: '/webhooks/:endpoint',
    summary:
      "Take a signed event of the billing platform: 202 when it was taken, 200 when it had been before. The body is the sender's, byte for byte",
    access: 'anonymous',
    encoding: 'raw',
    // Deliveries have no limit of requests. A delivery without a valid signature costs one hash and no SQL.
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

export const ingestEvents = defineEvents({
  'customer.forgotten': {
    summary:
      'An operator removed everything known of a customer of the billing platform; the id stays, so that nothing is kept later.',
    subject: 'customer',
    data: z.object({}),
  },
  'endpoint.created': {
    summary: 'A webhook endpoint of the billing platform was added.',
    subject: 'endpoint',
    data: z.object({}),
  },
  'endpoint.keys_changed': {
    summary: 'A webhook endpoint has another signing secret, or its old ones were dropped.',
    subject: 'endpoint',
    data: z.object({}),
  },
  'endpoint.deleted': { summary: 'A webhook endpoint was removed.', subject: 'endpoint', data: z.object({}) },
  'delivery.replayed': { summary: 'An operator had a delivery applied again.', subject: 'delivery', data: z.object({}) },
  'delivery.dismissed': {
    summary: 'An operator dismissed a delivery in quarantine: retention may delete it.',
    subject: 'delivery',
    data: z.object({}),
  },
})
