import type { Client } from '../contract.ts'
import { applyErrors } from '../contract.ts'
import { type Context, type Kind, type Outcome, orNone, type Wanted } from '../kind.ts'
import { changedFields, type Form, pick } from '../rules.ts'
import type { AppliedRow } from '../store.ts'

const misfit = (message: string) => applyErrors.error('DECLARATION_DOES_NOT_FIT', { message })

const oidcOf = ({ oidc }: Context) => {
  if (oidc === undefined) throw misfit('this instance has no applications')
  return oidc
}

/** The fields of an application that are not about its secret. A field that the declaration omits is left unchanged. */
const fieldsOf = ({ secret, secretFile, secretEnv, keepSecret, secretOverlapSeconds, type, ...fields }: Client) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Omit<
    Client,
    'secret' | 'secretFile' | 'secretEnv' | 'keepSecret' | 'secretOverlapSeconds' | 'type'
  >

const find = (context: Context, clientId: string) =>
  orNone(oidcOf(context).applications.get(context.principal, clientId), 'APPLICATION_NOT_FOUND')

const create = async (context: Context, clientId: string, client: Client): Promise<Outcome> => {
  const { principal, hashOf } = context
  const { clients, applications } = oidcOf(context)
  const { type, secret } = client
  if (secret === undefined && (type === 'web' || type === 'machine') && client.authMethod !== 'private_key_jwt')
    throw misfit(`a new ${type} client needs its secret in secretFile or secretEnv, since nobody would see a generated one`)
  const { disabled, review, scopes, ...fields } = fieldsOf(client)
  await clients.register(principal, { ...fields, type, clientId, scope: scopes, secret })
  if (disabled === true || review != null) await applications.update(principal, clientId, { disabled, review })
  const now: Form = { ...(await applications.get(principal, clientId)) }
  const form = pick(now, Object.keys(fieldsOf(client)))
  return {
    ...{ id: clientId, action: 'create', form },
    fields: [
      ...changedFields({}, pick(now, ['name', 'type', 'redirectUris', 'permissions'])),
      ...(secret === undefined ? [] : [{ field: 'secret' }]),
    ],
    secretHash: secret === undefined ? null : hashOf(secret),
  }
}

/**
 * Writes the declared secret if it differs from the one that was declared last. If an operator has revoked the declared secret, it is not
 * added again.
 */
const applySecret = async (context: Context, clientId: string, client: Client, known: AppliedRow | undefined) => {
  const { secret, secretOverlapSeconds: overlapSeconds } = client
  const { clients, clientSecrets } = oidcOf(context)
  if (secret === undefined) return { isChanged: false, secretHash: known?.secretHash ?? null }
  const secretHash = context.hashOf(secret)
  if (known?.secretHash === secretHash) return { isChanged: false, secretHash }
  const registered = await clients.find(clientId)
  if (registered !== undefined && clients.authenticate(registered, secret) !== undefined) return { isChanged: false, secretHash }
  await clientSecrets.rotate(context.principal, clientId, { overlapSeconds, secret })
  return { isChanged: true, secretHash }
}

const wanted = ([clientId, client]: readonly [string, Client]): Wanted => ({
  key: clientId,
  path: `clients.${clientId}`,
  apply: async (context, known) => {
    const before = await find(context, clientId)
    if (before === undefined) return create(context, clientId, client)
    if (before.type !== client.type)
      throw misfit(`type: a client keeps its type; this one is ${before.type}. Declare another client, or delete this one first`)
    const { isChanged, secretHash } = await applySecret(context, clientId, client, known)
    const declared = fieldsOf(client)
    const after = await oidcOf(context).applications.update(context.principal, clientId, declared)
    const form = pick({ ...after }, Object.keys(declared))
    const fields = [...changedFields({ ...before }, form), ...(isChanged ? [{ field: 'secret' }] : [])]
    return { id: clientId, action: fields.length > 0 ? 'update' : 'unchanged', fields, form, secretHash }
  },
})

const counted = (count: number, upTo: number, what: string) => `${count}${count >= upTo ? ' or more' : ''} ${what}`

/** Applications, by their client ids. */
export const clientKind: Kind = {
  kind: 'client',
  wanted: ({ clients }) => Object.entries(clients).map(wanted),
  read: async (context, { objectId, form }) => {
    const found = await find(context, objectId)
    return found && pick({ ...found }, Object.keys(form))
  },
  lost: async (context, { objectId }) => {
    const { tokens, consents, countedUpTo } = await oidcOf(context).applications.dependentsOf(context.principal, objectId)
    return `its secrets, ${counted(tokens, countedUpTo, 'codes and tokens')} and ${counted(consents, countedUpTo, 'consents')} end`
  },
  remove: async (context, { objectId }) => {
    await oidcOf(context).applications.remove(context.principal, objectId)
  },
}
