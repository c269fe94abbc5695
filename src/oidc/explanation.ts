import type { Db } from '../core/database.ts'
import type { Clients } from './clients/service.ts'
import { type ClaimSource, type ClaimsUser, claimsByScope, claimsOf, sourceClaims } from './engine/claims.ts'
import { oidcErrors } from './errors.ts'
import { splitScope } from './rules.ts'

/** What an application learns of somebody who agrees to all it may ask for. */
export interface ExplainedClaims {
  /** Undefined: any application that may ask for everything. */
  readonly client: { readonly clientId: string; readonly name: string } | undefined
  readonly scopes: readonly string[]
  readonly claims: Readonly<Record<string, unknown>>
}

/** Throws CLIENT_NOT_FOUND. */
export type ExplainClaims = (
  user: ClaimsUser,
  organizationId: string | null,
  clientId: string | undefined,
) => Promise<ExplainedClaims>

interface Deps {
  readonly db: Db
  readonly clients: Clients
  readonly claimSources: readonly ClaimSource[]
}

/** The claims as userinfo would give them now, without a sign-in. */
export const createExplanation =
  ({ db, clients, claimSources }: Deps): ExplainClaims =>
  async (user, organizationId, clientId) => {
    const client = clientId === undefined ? undefined : await clients.find(clientId)
    if (client === undefined && clientId !== undefined) throw oidcErrors.refuse('CLIENT_NOT_FOUND')
    const byScope = claimsByScope(claimSources)
    const scopes = client === undefined ? Object.keys(byScope) : splitScope(client.scope)
    const subject = { userId: user.id, organizationId }
    const all = { ...(await sourceClaims(db, claimSources, scopes.join(' '), subject)), ...claimsOf(user, scopes) }
    const names = new Set(scopes.flatMap((scope) => byScope[scope] ?? []))
    return {
      client: client === undefined ? undefined : { clientId: client.clientId, name: client.name },
      scopes,
      claims: Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name))),
    }
  }
