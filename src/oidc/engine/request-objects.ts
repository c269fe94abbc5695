import { decodeJwt } from 'jose'
import { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Clock } from '../../core/clock.ts'

/** The longest lifetime of a request object in seconds (FAPI 2.0 Message Signing, section 5.3.1). */
const longestSeconds = 3_600
/** The largest tolerated number of seconds by which the clock of a client is ahead. */
const aheadSeconds = 60

/** The values of the header `typ` that a request object may have. A request object without `typ` is accepted too (RFC 9101, section 4). */
const types = new Set(['oauth-authz-req+jwt', 'application/oauth-authz-req+jwt', 'jwt'])

interface Expected {
  readonly issuer: string
  readonly clientId: string
  /** The present time in seconds since the epoch. */
  readonly now: number
}

/**
 * Returns the problem of a request object that the library has accepted; undefined if there is none. The library checks `iss`, `exp`,
 * `nbf` and the signature.
 */
export const requestObjectProblem = (
  { aud, exp, nbf, iat, sub }: Readonly<Record<string, unknown>>,
  { typ }: Readonly<Record<string, unknown>>,
  { issuer, clientId, now }: Expected,
): string | undefined => {
  if (typ !== undefined && !types.has(String(typ).toLowerCase())) return 'typ of the request object is that of another token'
  // A request object whose `sub` is the client's id could be used as an assertion that authenticates the client, because one key signs
  // both (RFC 9101, section 10.8).
  if (sub === clientId) return 'sub of the request object must not be the client_id'
  if (![aud].flat().every((one) => one === issuer)) return 'aud of the request object must name this server alone'
  if (typeof exp !== 'number') return 'the request object has no exp'
  if (exp - Math.min(now, typeof nbf === 'number' ? nbf : now) > longestSeconds)
    return `the request object counts for more than ${longestSeconds} seconds`
  if (typeof iat === 'number' && iat > now + aheadSeconds) return 'iat of the request object is in the future'
  return undefined
}

type Assert = NonNullable<NonNullable<NonNullable<Configuration['features']>['requestObjects']>['assertJwtClaimsAndHeader']>

/** Refuses invalid request objects. A pushed request object is checked only when it is pushed. Throws invalid_request_object. */
export const checkRequestObject =
  (issuer: string, clock: Clock): Assert =>
  async ({ oidc }, claims, header, { clientId }) => {
    if (oidc.entities.PushedAuthorizationRequest !== undefined) return
    const now = Math.floor(clock.now().getTime() / 1000)
    const problem = requestObjectProblem(claims, header, { issuer, clientId, now })
    if (problem !== undefined) throw new errors.InvalidRequestObject(problem)
  }

/**
 * The parameters that the application has sent. If there is a request object, they are its claims. The form of the request object was
 * checked before.
 */
export const sentParameters = ({
  query,
  oidc: { route, body, entities },
}: KoaContextWithOIDC): Readonly<Record<string, unknown>> => {
  const sent = route === 'authorization' ? query : (body ?? {})
  const object = entities.PushedAuthorizationRequest?.request ?? sent['request']
  return typeof object === 'string' ? decodeJwt(object) : sent
}

/**
 * Accepts a pushed request object that has a `jti` only once. A request object in a browser's address may be sent again, for example when
 * the page is reloaded. Throws invalid_request_object.
 */
export const claimRequestObject = async (
  ctx: KoaContextWithOIDC,
  claimOnce: (id: string, expiresAt: number) => Promise<boolean>,
): Promise<void> => {
  const { route, body, client } = ctx.oidc
  if (route !== 'pushed_authorization_request' || typeof body?.['request'] !== 'string') return
  const { jti, exp = 0 } = decodeJwt(body['request'])
  if (jti === undefined || (await claimOnce(JSON.stringify([client?.clientId, 'request', jti]), exp + aheadSeconds))) return
  throw new errors.InvalidRequestObject('the request object was used before')
}
