import { billingOperationsContract } from '../../../billing/administration/contract.ts'
import { billingAdminContract } from '../../../billing/queries/contract/admin.ts'
import type { Send } from '../../../http/client.ts'
import { calls } from './calls.ts'

interface DeliveryFilter {
  readonly eventType?: string
  readonly status?: string
}

/** The services for customers, deliveries and webhook endpoints. */
export const billingServices = (send: Send) => {
  const operations = calls(billingOperationsContract, send)
  const lists = calls(billingAdminContract, send)
  return {
    deliveries: {
      list: async ({ eventType: type, status: verdict, ...filter }: DeliveryFilter, query: object) => {
        const { deliveries, next } = await lists.deliveries({ query: { ...filter, ...query, type, verdict } })
        const rows = deliveries.map(({ type: eventType, verdict: status, effect: outcome, customer: _, ...delivery }) => ({
          ...delivery,
          ...{ eventType, status, outcome },
        }))
        return { rows, next }
      },
      replay: async (_: unknown, id: string) => (await operations.replayDelivery({ params: { id } })).effect,
      dismiss: async (_: unknown, id: string) => (await operations.dismissDelivery({ params: { id } })).dismissedAt,
      forgetCustomer: async (_: unknown, id: string) => (await operations.forgetCustomer({ params: { id } })).deliveries,
    },
    rejections: { list: async (limit: number) => (await operations.refusedDeliveries({ query: { limit } })).refused },
    links: {
      link: (
        _: unknown,
        id: string,
        { userId, organizationId }: { readonly userId: string | null; readonly organizationId: string | null },
      ) =>
        operations.linkCustomer({
          params: { id },
          body: { userId: userId ?? undefined, organizationId: organizationId ?? undefined },
        }),
    },
    endpoints: {
      list: async () => (await operations.webhookEndpoints()).endpoints,
      add: (_: unknown, name: string, secret: string | undefined) => operations.addWebhookEndpoint({ body: { name, secret } }),
      addSecret: (_: unknown, name: string, secret: string | undefined) =>
        operations.rotateWebhookSecret({ params: { name }, body: { secret } }),
      dropOldSecrets: (_: unknown, name: string) => operations.dropOldWebhookSecrets({ params: { name } }),
      remove: (_: unknown, name: string) => operations.removeWebhookEndpoint({ params: { name } }),
    },
  }
}
