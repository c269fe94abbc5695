import { errorsOf } from '../core/errors.ts'

export const billingErrors = errorsOf({
  // The errors stand in the order in which they are checked (billing specification, section 8). Errors of the signature check come first.
  MISSING_REQUIRED_HEADERS: [403, 'Missing required headers'],
  INVALID_SIGNATURE_HEADERS: [403, 'Invalid Signature Headers'],
  MESSAGE_TIMESTAMP_TOO_OLD: [403, 'Message timestamp too old'],
  MESSAGE_TIMESTAMP_TOO_NEW: [403, 'Message timestamp too new'],
  NO_MATCHING_SIGNATURE_FOUND: [403, 'No matching signature found'],
  FAILED_TO_PARSE_EVENT: [400, 'Failed to parse event'],
  UNKNOWN_EVENT_TYPE: [400, 'Unknown event type'],
  SECRET_CANT_BE_EMPTY: [400, "Secret can't be empty."],
  SECRET_TOO_SHORT: [400, 'Secret too short'],
  WEBHOOK_ENDPOINT_NOT_FOUND: [404, 'Webhook endpoint not found'],
  WEBHOOK_ENDPOINT_ALREADY_EXISTS: [400, 'Webhook endpoint already exists'],
  TOO_MANY_WEBHOOK_SECRETS: [400, 'Too many webhook secrets'],
  DELIVERY_NOT_FOUND: [404, 'Delivery not found'],
  DELIVERY_WAS_REMOVED: [400, 'Delivery was removed'],
  DELIVERY_IS_NOT_QUARANTINED: [400, 'Delivery is not quarantined'],
  CUSTOMER_NOT_FOUND: [404, 'Customer not found'],
  BILLING_STATE_DIFFERS: [409, 'Billing state differs'],
  HOLDER_NOT_FOUND: [404, 'Holder not found'],
  YOU_ARE_NOT_ALLOWED_TO_READ_THE_BILLING_OF_THIS_ORGANIZATION: [
    403,
    'You are not allowed to read the billing of this organization',
  ],
  DELIVERY_REFUSED: [502, 'Delivery refused'],
})
