import { type ApiDeclaration, applyErrors } from '../contract.ts'
import { type Context, type Kind, type Outcome, orNone, type Wanted } from '../kind.ts'
import { changedFields, pick } from '../rules.ts'

const apisOf = ({ oidc }: Context) => {
  if (oidc === undefined) throw applyErrors.error('DECLARATION_DOES_NOT_FIT', { message: 'this instance has no applications' })
  return oidc.apis
}

const find = (context: Context, idOrIdentifier: string) =>
  orNone(apisOf(context).get(context.principal, idOrIdentifier), 'API_NOT_FOUND')

const wanted = ([identifier, declared]: readonly [string, ApiDeclaration]): Wanted => ({
  key: identifier,
  path: `apis.${identifier}`,
  apply: async (context): Promise<Outcome> => {
    const apis = apisOf(context)
    const before = await find(context, identifier)
    const after =
      before === undefined
        ? await apis.create(context.principal, { identifier, ...declared })
        : await apis.update(context.principal, before.id, declared)
    const form = pick({ ...after }, Object.keys(declared))
    const fields = changedFields(before === undefined ? {} : { ...before }, form)
    const action = before === undefined ? 'create' : fields.length > 0 ? 'update' : 'unchanged'
    return { id: after.id, action, fields, form, secretHash: null }
  },
})

/**
 * APIs that accept this server's tokens, by their identifiers. Declarations do not contain their secrets. The command `rotate-api-secret`
 * makes a secret and shows it once.
 */
export const apiKind: Kind = {
  kind: 'api',
  wanted: ({ apis }) => Object.entries(apis).map(wanted),
  read: async (context, { objectId, form }) => {
    const found = await find(context, objectId)
    return found && pick({ ...found }, Object.keys(form))
  },
  lost: async () => 'no application gets a token for it any more, and its secrets end',
  remove: async (context, { objectId }) => {
    await apisOf(context).remove(context.principal, objectId)
  },
}
