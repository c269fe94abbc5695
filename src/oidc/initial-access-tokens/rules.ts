import { registrationErrors } from '../registration/contract.ts'
import { type ClientType, destinationOf, missingScopes } from '../rules.ts'
import type { tokenStates } from './contract.ts'

export type TokenState = (typeof tokenStates)[number]

/** The limits that a token sets to the clients that it registers. */
export interface Grant {
  readonly types: readonly string[]
  readonly scopes: readonly string[] | null
  readonly redirectHosts: readonly string[] | null
}

/** The type, scopes and redirect URIs that a client requests. */
export interface Wanted {
  readonly type: ClientType
  readonly scopes: readonly string[] | undefined
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris?: readonly string[] | undefined
}

export const stateOf = (
  token: { readonly revokedAt: Date | null; readonly expiresAt: Date; readonly usedClients: number; readonly maxClients: number },
  now: Date,
): TokenState => {
  if (token.revokedAt !== null) return 'revoked'
  if (token.usedClients >= token.maxClients) return 'used-up'
  return token.expiresAt <= now ? 'expired' : 'active'
}

const beyond = (message: string) =>
  registrationErrors.error('INVALID_REGISTRATION', { message: `Invalid client metadata: the initial access token ${message}` })

/**
 * Returns the scopes that a client gets: the scopes that it requests or, if it requests none, the default scopes that the token allows.
 * Throws INVALID_REGISTRATION if the token does not allow the request.
 */
export const checkGrant = (
  { types, scopes, redirectHosts }: Grant,
  wanted: Wanted,
  defaultScopes: readonly string[],
): readonly string[] => {
  if (!types.includes(wanted.type)) throw beyond(`is for clients of the types ${types.join(', ')}; this one is ${wanted.type}`)
  const foreign = [...wanted.redirectUris, ...(wanted.postLogoutRedirectUris ?? [])].find(
    (address) => redirectHosts !== null && !redirectHosts.includes(destinationOf(address)),
  )
  if (foreign !== undefined)
    throw registrationErrors.error('INVALID_REGISTERED_ADDRESS', {
      message: `Invalid redirect URI: the initial access token is for ${redirectHosts?.join(', ')}, and this is ${foreign.slice(0, 200)}`,
    })
  if (wanted.scopes === undefined)
    return scopes === null ? defaultScopes : defaultScopes.filter((scope) => scopes.includes(scope))
  const missing = scopes === null ? [] : missingScopes(wanted.scopes, scopes)
  if (missing.length > 0) throw beyond(`does not allow the scopes ${missing.join(', ').slice(0, 200)}`)
  return wanted.scopes
}
