import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'
import { contract, jsonOrAccepted } from '../../http/contract.ts'

export const ingestContract = contract('Billing events', {
  receive: {
    method: 'POST',
    path: '/webhooks/:endpoint',
    summary:
      'Receive a signed event of the billing platform; answers 202 for a new event, and 200 for one that was received before',
    access: 'anonymous',
    encoding: 'raw',
    // The number of delivery requests is not limited. A delivery without a valid signature is refused after a few hashes, without SQL.
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
      'An operator deleted everything that was known about a customer of the billing platform. The id stays, so that no later data is ' +
      'stored.',
    subject: 'customer',
    data: z.object({}),
  },
  'endpoint.created': {
    summary: 'A webhook endpoint of the billing platform was added.',
    subject: 'endpoint',
    data: z.object({}),
  },
  'endpoint.keys_changed': {
    summary: 'A webhook endpoint got another signing secret, or its old secrets were removed.',
    subject: 'endpoint',
    data: z.object({}),
  },
  'endpoint.deleted': { summary: 'A webhook endpoint was removed.', subject: 'endpoint', data: z.object({}) },
  'delivery.replayed': { summary: 'An operator applied a delivery again.', subject: 'delivery', data: z.object({}) },
  'delivery.dismissed': {
    summary: 'An operator dismissed a quarantined delivery. Retention may delete it now.',
    subject: 'delivery',
    data: z.object({}),
  },
})
