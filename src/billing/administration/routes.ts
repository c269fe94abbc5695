import { bind, documented } from '../../http/handlers.ts'
import type { Deliveries } from '../ingest/deliveries.ts'
import type { Endpoints } from '../ingest/endpoints.ts'
import type { Links } from '../links/service.ts'
import { billingOperationsContract, billingOperationsDocumentation } from './contract.ts'

interface Deps {
  readonly links: Links
  readonly deliveries: Deliveries
  readonly endpoints: Endpoints
  readonly url: string
}

/** Calls of operators for customers and deliveries. */
export const billingOperationRoutes = ({ links, deliveries, endpoints, url }: Deps) =>
  bind(documented(billingOperationsContract, billingOperationsDocumentation), {
    customerLink: (_principal, { params }) => links.get(params.id),
    linkCustomer: (principal, { params, body: { userId = null, organizationId = null }, ifMatch }) =>
      links.link(principal, params.id, { userId, organizationId }, ifMatch),
    unlinkCustomer: (principal, { params, ifMatch }) => links.unlink(principal, params.id, ifMatch),
    replayDelivery: async (principal, { params }) => ({
      id: params.id,
      effect: await deliveries.replay(principal, params.id),
    }),
    replayDeliveries: async (principal, { body }) => ({
      deliveries: (await deliveries.replayAll(principal, body.ids)).map(({ error, ...replayed }) => ({
        ...replayed,
        error: error && { code: error.code, message: error.message, issues: error.issues && [...error.issues] },
      })),
    }),
    dismissDelivery: async (principal, { params }) => ({
      id: params.id,
      dismissedAt: await deliveries.dismiss(principal, params.id),
    }),
    webhookEndpoints: async () => ({
      endpoints: (await endpoints.list()).map((endpoint) => ({ ...endpoint, url: `${url}/webhooks/${endpoint.name}` })),
    }),
  })
