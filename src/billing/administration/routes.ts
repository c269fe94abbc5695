import { bind, documented } from '../../http/handlers.ts'
import type { Deliveries } from '../ingest/deliveries.ts'
import type { Endpoints, IssuedSecret } from '../ingest/endpoints.ts'
import type { Rejections } from '../ingest/rejections.ts'
import type { Links } from '../links/service.ts'
import { billingOperationsContract, billingOperationsDocumentation } from './contract.ts'

interface Deps {
  readonly links: Links
  readonly deliveries: Deliveries
  readonly endpoints: Endpoints
  readonly rejections: Pick<Rejections, 'list'>
  readonly url: string
}

/** The calls with which operators administer customers, deliveries and webhook endpoints. */
export const billingOperationRoutes = ({ links, deliveries, endpoints, rejections, url }: Deps) => {
  const addressOf = ({ name }: { readonly name: string }) => `${url}/webhooks/${name}`
  const issued = ({ name, secret }: IssuedSecret, given: string | undefined) => ({
    ...{ name, url: addressOf({ name }) },
    secret: given === undefined ? secret : null,
  })
  return bind(documented(billingOperationsContract, billingOperationsDocumentation), {
    customerLink: (_principal, { params }) => links.get(params.id),
    linkCustomer: (principal, { params, body: { userId = null, organizationId = null }, ifMatch }) =>
      links.link(principal, params.id, { userId, organizationId }, ifMatch),
    unlinkCustomer: (principal, { params, ifMatch }) => links.unlink(principal, params.id, ifMatch),
    forgetCustomer: async (principal, { params: { id: customerId } }) => ({
      customerId,
      deliveries: await deliveries.forgetCustomer(principal, customerId),
    }),
    refusedDeliveries: async (_principal, { query }) => ({ refused: [...(await rejections.list(query.limit))] }),
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
      endpoints: (await endpoints.list()).map((endpoint) => ({ ...endpoint, url: addressOf(endpoint) })),
    }),
    addWebhookEndpoint: async (principal, { body: { name, secret } }) =>
      issued(await endpoints.add(principal, name, secret), secret),
    rotateWebhookSecret: async (principal, { params: { name }, body: { secret } }) =>
      issued(await endpoints.addSecret(principal, name, secret), secret),
    dropOldWebhookSecrets: async (principal, { params: { name } }) => {
      await endpoints.dropOldSecrets(principal, name)
      return { name }
    },
    removeWebhookEndpoint: async (principal, { params: { name } }) => {
      await endpoints.remove(principal, name)
      return { name }
    },
  })
}
