import { z } from 'zod'
import { resourceTag } from '../../core/resource-tag.ts'
import { instant, organizationName, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { entityId } from '../queries/contract/own.ts'

/** The owner of a customer, and the reason for the link. All fields are null if the customer is not linked. */
export const CustomerLink = z
  .object({
    customerId: z.string(),
    userId: z.string().nullable(),
    organizationId: z.string().nullable(),
    /** `operator`: linked by an operator. External ids and addresses do not change such a link. */
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
    /** Number of valid secrets. */
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

/** Names of endpoints, which follow `/webhooks/` in addresses. */
export const EndpointName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'lower-case letters, digits, _ and -, at most 64 characters')

/** The secret of an endpoint, which only this answer contains. Null if the caller chose the secret. */
const IssuedWebhookSecret = z.object({ name: z.string(), url: z.string(), secret: z.string().nullable() })

const ofEndpoint = z.object({ name: plainText(64, 1) })
/** The secret that the sender shows. When absent: the server makes a random one. */
const secret = plainText(1000).optional()
const secretErrors = ['SECRET_CANT_BE_EMPTY', 'SECRET_TOO_SHORT'] as const
/** A person with the secret can report purchases, so the call requires a recent sign-in. */
const newSecret = { permission: 'webhook-endpoints:update', fresh: true } as const
const fewerSecrets = { permission: 'webhook-endpoints:update', fresh: 'person' } as const

const ofCustomer = z.object({ id: entityId })
const ofDelivery = z.object({ id: plainText(64, 1) })
const id = plainText(64, 1)

export const billingOperationsContract = contract('Billing administration', {
  customerLink: {
    method: 'GET',
    path: '/admin/billing/customers/:id/link',
    summary: 'Whose a customer of the billing platform is, and why',
    access: { permission: 'customers:read' },
    params: ofCustomer,
    response: CustomerLink,
    etag: customerLinkTag,
    errors: ['CUSTOMER_NOT_FOUND'],
  },
  linkCustomer: {
    method: 'PUT',
    path: '/admin/billing/customers/:id/link',
    summary: 'Set the owner of a customer, before external id and address',
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
    summary: 'Remove the owner set by hand: external id and address decide again',
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
    summary: 'Remove all data of a customer for good: derived data, bodies of deliveries, and later deliveries',
    access: { permission: 'customers:delete', fresh: 'person' },
    params: ofCustomer,
    response: z.object({
      customerId: z.string(),
      /** Number of deliveries whose content was deleted. */
      deliveries: z.int(),
    }),
    errors: ['CUSTOMER_NOT_FOUND'],
  },
  refusedDeliveries: {
    method: 'GET',
    path: '/admin/billing/refused-deliveries',
    summary: 'Deliveries without a valid signature, counted by endpoint, reason and network; never what they held',
    access: { permission: 'deliveries:read' },
    query: z.object({ limit: z.coerce.number<string | number>().int().min(1).max(1000).default(50) }),
    response: z.object({ refused: z.array(RefusedDeliveries) }),
    errors: [],
  },
  replayDelivery: {
    method: 'POST',
    path: '/admin/billing/deliveries/:id/replay',
    summary: 'Judge a stored delivery again and apply it; twice is as once',
    access: { permission: 'deliveries:update' },
    params: ofDelivery,
    response: z.object({ id: z.string(), effect: z.enum(['applied', 'superseded', 'ignored']) }),
    errors: ['DELIVERY_NOT_FOUND', 'DELIVERY_WAS_REMOVED', 'FAILED_TO_PARSE_EVENT', 'UNKNOWN_EVENT_TYPE'],
  },
  replayDeliveries: {
    method: 'POST',
    path: '/admin/billing/deliveries/replay',
    summary: 'The same for several stored deliveries, with the outcome of each',
    access: { permission: 'deliveries:update' },
    body: z.strictObject({ ids: z.array(id).min(1).max(100) }),
    response: z.object({
      deliveries: z.array(
        z.object({
          id: z.string(),
          effect: z.enum(['applied', 'superseded', 'ignored']).nullable().describe('Null: it was refused.'),
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
    summary: 'Give up on a delivery in quarantine: retention may delete it',
    access: { permission: 'deliveries:update' },
    params: ofDelivery,
    response: z.object({ id: z.string(), dismissedAt: instant }),
    errors: ['DELIVERY_NOT_FOUND', 'DELIVERY_IS_NOT_QUARANTINED'],
  },
  webhookEndpoints: {
    method: 'GET',
    path: '/admin/billing/webhook-endpoints',
    summary: 'The addresses that take signed events',
    access: { permission: 'deliveries:read' },
    response: z.object({ endpoints: z.array(WebhookEndpoint) }),
    errors: [],
  },
  addWebhookEndpoint: {
    method: 'POST',
    path: '/admin/billing/webhook-endpoints',
    summary: 'Add an address that takes signed events',
    access: newSecret,
    body: z.strictObject({ name: EndpointName, secret }),
    response: IssuedWebhookSecret,
    errors: ['WEBHOOK_ENDPOINT_ALREADY_EXISTS', ...secretErrors],
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/admin/billing/webhook-endpoints/:name/secrets',
    summary: 'Give an address another secret; earlier secrets stay valid until they are removed',
    access: newSecret,
    params: ofEndpoint,
    body: z.strictObject({ secret }),
    response: IssuedWebhookSecret,
    errors: ['WEBHOOK_ENDPOINT_NOT_FOUND', 'TOO_MANY_WEBHOOK_SECRETS', ...secretErrors],
  },
  dropOldWebhookSecrets: {
    method: 'DELETE',
    path: '/admin/billing/webhook-endpoints/:name/secrets',
    summary: 'Take all secrets of an address away but the newest',
    access: fewerSecrets,
    params: ofEndpoint,
    response: ofEndpoint,
    errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  },
  removeWebhookEndpoint: {
    method: 'DELETE',
    path: '/admin/billing/webhook-endpoints/:name',
    summary: 'Remove an address that was added: later deliveries to it are refused. Its earlier deliveries stay',
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

/** Descriptions and examples of the API document. */
export const billingOperationsDocumentation = {
  customerLink: { example: { response: { ...link, linkedBy: 'external_id' } } },
  linkCustomer: {
    description: 'The same as `gatehouse link-customer`. Give `userId` or `organizationId`.',
    example: { body: { userId: link.userId }, response: link },
  },
  unlinkCustomer: {
    description:
      'The link that is there then is answered: the customer belongs to whom its external id names, else to the user who has verified its ' +
      'address, else to nobody. A link that no operator made stays unchanged.',
    example: { response: { ...link, userId: null, linkedBy: null, linkedAt: null } },
  },
  forgetCustomer: {
    description: 'The same as `gatehouse forget-customer`. Its id is kept, so that later deliveries about it are not stored.',
    example: { response: { customerId: link.customerId, deliveries: 12 } },
  },
  refusedDeliveries: {
    description: 'The deliveries of `gatehouse list-deliveries --refused`, newest first.',
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
    description: 'The same as `gatehouse replay-delivery`. For an event that still cannot be read, the answer lists the issues.',
    example: { response: { id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', effect: 'applied' } },
  },
  replayDeliveries: {
    description: 'Each is a change of its own: one that is refused does not stop the others.',
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
    description: 'The same as `gatehouse dismiss-delivery`. It can be replayed until it is deleted.',
    example: { response: { id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', dismissedAt: '2026-11-23T09:00:00.000Z' } },
  },
  webhookEndpoints: {
    description: 'How many secrets an endpoint has is said, none is shown.',
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
    description: 'The same as `gatehouse add-webhook-endpoint`. Without `secret` one is made, and shown in this answer alone.',
    example: { body: { name: 'polar-eu' }, response: issuedSecret },
  },
  rotateWebhookSecret: {
    description: 'The same as `gatehouse rotate-webhook-secret`. Without `secret` one is made, and shown in this answer alone.',
    example: { body: {}, response: issuedSecret },
  },
  dropOldWebhookSecrets: {
    description: 'The same as `gatehouse rotate-webhook-secret --finish`.',
    example: { response: { name: 'polar-eu' } },
  },
  removeWebhookEndpoint: {
    description: 'The same as `gatehouse remove-webhook-endpoint`. Secrets of the configuration stay.',
    example: { response: { name: 'polar-eu' } },
  },
}
