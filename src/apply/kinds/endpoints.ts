import type { Endpoint } from '../contract.ts'
import { applyErrors } from '../contract.ts'
import type { Context, Kind, Wanted } from '../kind.ts'

const endpointsOf = ({ endpoints }: Context) => {
  if (endpoints === undefined)
    throw applyErrors.error('DECLARATION_DOES_NOT_FIT', { message: 'this instance takes no billing events' })
  return endpoints
}

const wanted = ([name, { secret = '', keepSecret }]: readonly [string, Endpoint]): Wanted => ({
  key: name,
  path: `webhookEndpoints.${name}`,
  apply: async (context, known) => {
    const { principal, hashOf } = context
    const endpoints = endpointsOf(context)
    const found = await endpoints.find(name, secret)
    if (keepSecret === true) {
      if (found === undefined)
        throw applyErrors.error('DECLARATION_DOES_NOT_FIT', {
          message: 'keepSecret, and there is no such endpoint: name its secret with secretFile or secretEnv',
        })
      return { id: name, form: {}, secretHash: known?.secretHash ?? null, action: 'unchanged', fields: [] }
    }
    const outcome = { id: name, form: {}, secretHash: hashOf(secret) }
    if (found === undefined) {
      await endpoints.add(principal, name, secret)
      return { ...outcome, action: 'create', fields: [{ field: 'secret' }] }
    }
    // The declared secret was applied before and removed by somebody since. It is not added again.
    if (found.isKnown || known?.secretHash === outcome.secretHash) return { ...outcome, action: 'unchanged', fields: [] }
    await endpoints.addSecret(principal, name, secret)
    return { ...outcome, action: 'update', fields: [{ field: 'secret' }] }
  },
})

/** Webhook endpoints that receive signed billing events, by their names. */
export const endpointKind: Kind = {
  kind: 'endpoint',
  wanted: ({ webhookEndpoints }) => Object.entries(webhookEndpoints).map(wanted),
  read: async (context, { objectId }) => ((await endpointsOf(context).find(objectId, '')) === undefined ? undefined : {}),
  lost: async (context, { objectId }) => {
    const { secrets } = (await endpointsOf(context).find(objectId, '')) ?? { secrets: 0 }
    return `its ${secrets} secrets are deleted, and later deliveries to it are refused`
  },
  remove: (context, { objectId }) => endpointsOf(context).remove(context.principal, objectId),
}
