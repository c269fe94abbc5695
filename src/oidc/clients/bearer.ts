import { isInstancePermission, type Permission } from '../../access/permissions.ts'
import type { ApplicationPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import type { RequestContext } from '../../core/request-context.ts'
import { permissionsOfMachine } from './permissions.ts'
import * as store from './store.ts'

/**
 * The application that calls the API with an access token it got for itself; undefined for every other token. One statement, and nothing
 * from memory: a client that is disabled, deleted or has a permission less, and a token that is revoked, are refused at the next call.
 */
export const createApplicationBearer =
  ({ db, clock, url }: Pick<Core, 'db' | 'clock' | 'url'>) =>
  async (
    token: string,
    context: RequestContext,
    access: { readonly permission: Permission } | undefined,
  ): Promise<ApplicationPrincipal | undefined> => {
    // A machine acts on the instance alone: for other calls its token is not looked for.
    if (access === undefined || !isInstancePermission(access.permission)) return undefined
    const found = await store.findMachineToken(db, sha256(token))
    if (found === undefined || found.expiresAt <= clock.now()) return undefined
    // It is bound to a key, which a Bearer token does not prove (RFC 9449, section 7.2).
    if (found.payload['jkt'] !== undefined) return undefined
    // Who gets a token that is for an API could send it here.
    const { audience = url } = found.payload
    if (audience !== url) return undefined
    const permissions = new Set(permissionsOfMachine(found.permissions).filter(isInstancePermission))
    return { kind: 'application', ...context, actorId: found.clientId, permissions }
  }
