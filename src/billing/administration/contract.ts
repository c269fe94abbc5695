import { z } from 'zod'
import { resourceTag } from '../../core/resource-tag.ts'
import { instant, organizationName, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { entityId } from '../queries/contract/own.ts'

/** The user or organization that owns a customer, and the reason for the link. All fields are null if the customer is not linked. */
export const CustomerLink = z
  .object({
    customerId: z.string(),
    userId: z.string().nullable(),
    organizationId: z.string().nullable(),
    /** `operator`: an operator linked the customer. Later external ids and email addresses do not change a link that an operator made. */
    linkedBy: z.enum(['external_id', 'email', 'operator']).nullable(),
    linkedAt: instant.nullable(),
  })
  .meta({ id: 'CustomerLink' })

export const customerLinkTag = resourceTag(CustomerLink)

/** An endpoint for signed billing events, without its secrets. */
export const WebhookEndpoint = z
  .object({
    name: z.string(),
    url: z.string(),
    /** Number of secrets whose signatures the endpoint accepts. */
    secrets: z.int(),
    /** True if the configuration contains secrets of this endpoint. */
    isConfigured: z.boolean(),
    createdAt: instant.nullable(),
    updatedAt: instant.nullable(),
  })
  .meta({ id: 'WebhookEndpoint' })

/** Refused deliveries from one network, all for one reason. */
const RefusedDeliveries = z
  .object({
    endpoint: z.string(),
    reason: z.string(),
    address: z.string(),
    count: z.int(),
    firstSeenAt: instant,
    lastSeenAt: instant,
  })
  .meta({ id: 'RefusedDeliveries' })

/** The name of a webhook endpoint is the part of its URL after `/webhooks/`. */
export const EndpointName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'lower-case letters, digits, _ and -, at most 64 characters')

/** The secret of a webhook endpoint. No other answer contains it. Null if the caller chose the secret. */
const IssuedWebhookSecret = z.object({ name: z.string(), url: z.string(), secret: z.string().nullable() })

const ofEndpoint = z.object({ name: plainText(64, 1) })
/** The secret with which the sender signs deliveries. When absent: the server makes a random one. */
const secret = plainText(1000).optional()
const secretErrors = ['SECRET_CANT_BE_EMPTY', 'SECRET_TOO_SHORT'] as const
/** Whoever has the secret can report purchases, so the call requires a recent sign-in. */
const newSecret = { permission: 'webhook-endpoints:update', fresh: true } as const
const fewerSecrets = { permission: 'webhook-endpoints:update', fresh: 'person' } as const

const ofCustomer = z.object({ id: entityId })
const ofDelivery = z.object({ id: plainText(64, 1) })
const id = plainText(64, 1)

export const billingOperationsContract = contract('Billing administration', {
  customerLink: {
    method: 'GET',
    path: '/admin/billing/customers/:id/link',
    summary: 'Get the owner of a customer of the billing platform, and the reason',
    access: { permission: 'customers:read' },
    params: ofCustomer,
    response: CustomerLink,
    etag: customerLinkTag,
    errors: ['CUSTOMER_NOT_FOUND'],
  },
  linkCustomer: {
    method: 'PUT',
    path: '/admin/billing/customers/:id/link',
    summary: 'Set the owner of a customer, whatever its external id and address say',
    access: { permission: 'customers:update' },
    params: ofCustomer,
    body: z
      .strictObject({ userId: id.optional(), organizationId: organizationName.optional() })
      .refine(({ userId, organizationId }) => (userId === undefined) !== (organizationId === undefined), {
        error: 'expected userId or organizationId, one of them',
        path: ['userId'],
      }),
    response: CustomerLink,
    etag: customerLinkTag,
    ifMatch: customerLinkTag,
    errors: ['CUSTOMER_NOT_FOUND', 'HOLDER_NOT_FOUND'],
  },
  unlinkCustomer: {
    method: 'DELETE',
    path: '/admin/billing/customers/:id/link',
    summary: 'Remove the owner that an operator has set; external id and address decide again',
    access: { permission: 'customers:update' },
    params: ofCustomer,
    response: CustomerLink,
    etag: customerLinkTag,
    ifMatch: customerLinkTag,
    errors: ['CUSTOMER_NOT_FOUND'],
  },
  forgetCustomer: {
    method: 'DELETE',
    path: '/admin/billing/customers/:id',
    summary: 'Permanently delete all data of a customer, and store no later data about it',
    access: { permission: 'customers:delete', fresh: 'person' },
    params: ofCustomer,
    response: z.object({
      customerId: z.string(),
      /** Number of deliveries whose content the call deleted. */
      deliveries: z.int(),
    }),
    errors: ['CUSTOMER_NOT_FOUND'],
  },
  refusedDeliveries: {
    method: 'GET',
    path: '/admin/billing/refused-deliveries',
    summary: 'Count the deliveries without a valid signature by endpoint, reason and network',
    access: { permission: 'deliveries:read' },
    query: z.object({ limit: z.coerce.number<string | number>().int().min(1).max(1000).default(50) }),
    response: z.object({ refused: z.array(RefusedDeliveries) }),
    errors: [],
  },
  replayDelivery: {
    method: 'POST',
    path: '/admin/billing/deliveries/:id/replay',
    summary: 'Check and apply a stored delivery again; repeating it has no further effect',
    access: { permission: 'deliveries:update' },
    params: ofDelivery,
    response: z.object({ id: z.string(), effect: z.enum(['applied', 'superseded', 'ignored']) }),
    errors: ['DELIVERY_NOT_FOUND', 'DELIVERY_WAS_REMOVED', 'FAILED_TO_PARSE_EVENT', 'UNKNOWN_EVENT_TYPE'],
  },
  replayDeliveries: {
    method: 'POST',
    path: '/admin/billing/deliveries/replay',
    summary: 'Check and apply several stored deliveries again; returns the outcome of each',
    access: { permission: 'deliveries:update' },
    body: z.strictObject({ ids: z.array(id).min(1).max(100) }),
    response: z.object({
      deliveries: z.array(
        z.object({
          id: z.string(),
          effect: z.enum(['applied', 'superseded', 'ignored']).nullable().describe('Null if the delivery was refused.'),
          error: z
            .object({
              code: z.string(),
              message: z.string(),
              issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
            })
            .nullable(),
        }),
      ),
    }),
    errors: [],
  },
  dismissDelivery: {
    method: 'POST',
    path: '/admin/billing/deliveries/:id/dismiss',
    summary: 'Give up a quarantined delivery, so that retention may delete it',
    access: { permission: 'deliveries:update' },
    params: ofDelivery,
    response: z.object({ id: z.string(), dismissedAt: instant }),
    errors: ['DELIVERY_NOT_FOUND', 'DELIVERY_IS_NOT_QUARANTINED'],
  },
  webhookEndpoints: {
    method: 'GET',
    path: '/admin/billing/webhook-endpoints',
    summary: 'List the webhook endpoints for signed events',
    access: { permission: 'deliveries:read' },
    response: z.object({ endpoints: z.array(WebhookEndpoint) }),
    errors: [],
  },
  addWebhookEndpoint: {
    method: 'POST',
    path: '/admin/billing/webhook-endpoints',
    summary: 'Add a webhook endpoint for signed events',
    access: newSecret,
    body: z.strictObject({ name: EndpointName, secret }),
    response: IssuedWebhookSecret,
    errors: ['WEBHOOK_ENDPOINT_ALREADY_EXISTS', ...secretErrors],
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/admin/billing/webhook-endpoints/:name/secrets',
    summary: 'Add a secret to a webhook endpoint; earlier secrets stay valid until they are removed',
    access: newSecret,
    params: ofEndpoint,
    body: z.strictObject({ secret }),
    response: IssuedWebhookSecret,
    errors: ['WEBHOOK_ENDPOINT_NOT_FOUND', 'TOO_MANY_WEBHOOK_SECRETS', ...secretErrors],
  },
  dropOldWebhookSecrets: {
    method: 'DELETE',
    path: '/admin/billing/webhook-endpoints/:name/secrets',
    summary: 'Remove all secrets of a webhook endpoint except the newest',
    access: fewerSecrets,
    params: ofEndpoint,
    response: ofEndpoint,
    errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  },
  removeWebhookEndpoint: {
    method: 'DELETE',
    path: '/admin/billing/webhook-endpoints/:name',
    summary: 'Remove a webhook endpoint; later deliveries to it are refused, and earlier ones stay',
    access: fewerSecrets,
    params: ofEndpoint,
    response: ofEndpoint,
    errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  },
})

const issuedSecret = {
  ...{ name: 'polar-eu', url: 'https://auth.example.com/webhooks/polar-eu' },
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
}

const link = {
  ...{ customerId: 'cus_8f2k', userId: '0198c9d2-5f0a-7c41-9d3e-2b7f1a6c8e04', organizationId: null },
  ...{ linkedBy: 'operator', linkedAt: '2026-11-23T09:00:00.000Z' },
}

/** Descriptions and examples of these calls for the API document. */
export const billingOperationsDocumentation = {
  customerLink: { example: { response: { ...link, linkedBy: 'external_id' } } },
  linkCustomer: {
    description: 'Does the same as `gatehouse link-customer`. Give `userId` or `organizationId`.',
    example: { body: { userId: link.userId }, response: link },
  },
  unlinkCustomer: {
    description:
      'Returns the link that then applies. The owner is the user or organization that the external id names, else the user who has ' +
      'verified the address, else nobody. A link that was not made by an operator stays unchanged.',
    example: { response: { ...link, userId: null, linkedBy: null, linkedAt: null } },
  },
  forgetCustomer: {
    description:
      'Does the same as `gatehouse forget-customer`. The id of the customer is kept, so that no later delivery about it is stored.',
    example: { response: { customerId: link.customerId, deliveries: 12 } },
  },
  refusedDeliveries: {
    description: 'Lists the deliveries of `gatehouse list-deliveries --refused`, newest first. Their content is not stored.',
    example: {
      response: {
        refused: [
          {
            ...{ endpoint: 'polar', reason: 'NO_MATCHING_SIGNATURE_FOUND', address: '192.0.2.0/24', count: 3 },
            ...{ firstSeenAt: '2026-11-23T08:00:00.000Z', lastSeenAt: '2026-11-23T09:00:00.000Z' },
          },
        ],
      },
    },
  },
  replayDelivery: {
    description: 'Does the same as `gatehouse replay-delivery`. If the event still cannot be read, the answer lists the issues.',
    example: { response: { id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', effect: 'applied' } },
  },
  replayDeliveries: {
    description: 'Each delivery is a separate change. A refused delivery does not stop the others.',
    example: {
      body: { ids: ['4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', '7hQmT0c2WvKZ1sXy8dNfR4bLgEoUjPaI'] },
      response: {
        deliveries: [
          { id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', effect: 'applied', error: null },
          {
            ...{ id: '7hQmT0c2WvKZ1sXy8dNfR4bLgEoUjPaI', effect: null },
            error: { code: 'UNKNOWN_EVENT_TYPE', message: 'Unknown event type subscription.reborn' },
          },
        ],
      },
    },
  },
  dismissDelivery: {
    description: 'Does the same as `gatehouse dismiss-delivery`. The delivery can be replayed until it is deleted.',
    example: { response: { id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', dismissedAt: '2026-11-23T09:00:00.000Z' } },
  },
  webhookEndpoints: {
    description: 'The answer contains the number of secrets of each endpoint, but no secret.',
    example: {
      response: {
        endpoints: [
          {
            ...{ name: 'polar', url: 'https://auth.example.com/webhooks/polar', secrets: 1, isConfigured: true },
            ...{ createdAt: null, updatedAt: null },
          },
        ],
      },
    },
  },
  addWebhookEndpoint: {
    description:
      'Does the same as `gatehouse add-webhook-endpoint`. Without `secret`, the server makes a secret and shows it only in this answer.',
    example: { body: { name: 'polar-eu' }, response: issuedSecret },
  },
  rotateWebhookSecret: {
    description:
      'Does the same as `gatehouse rotate-webhook-secret`. Without `secret`, the server makes a secret and shows it only in this answer.',
    example: { body: {}, response: issuedSecret },
  },
  dropOldWebhookSecrets: {
    description: 'Does the same as `gatehouse rotate-webhook-secret --finish`.',
    example: { response: { name: 'polar-eu' } },
  },
  removeWebhookEndpoint: {
    description: 'Does the same as `gatehouse remove-webhook-endpoint`. Secrets in the configuration stay.',
    example: { response: { name: 'polar-eu' } },
  },
}
