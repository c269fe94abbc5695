import { decodeJwt } from 'jose'
import { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Clock } from '../../core/clock.ts'

/** Longest time that a request object counts, in seconds (FAPI 2.0 Message Signing, section 5.3.1). */
const longestSeconds = 3_600
/** How much the clock of a client may be ahead, in seconds. */
const aheadSeconds = 60

/** Types of a token that is a request; one without a type counts, too (RFC 9101, section 4). */
const types = new Set(['oauth-authz-req+jwt', 'application/oauth-authz-req+jwt', 'jwt'])

interface Expected {
  readonly issuer: string
  readonly clientId: string
  /** In epoch seconds. */
  readonly now: number
}

/** What is wrong with a request object that the library would take, or undefined. `iss`, `exp`, `nbf` and the signature are left to the library. */
export const requestObjectProblem = (
  { aud, exp, nbf, iat, sub }: Readonly<Record<string, unknown>>,
  { typ }: Readonly<Record<string, unknown>>,
  { issuer, clientId, now }: Expected,
): string | undefined => {
  if (typ !== undefined && !types.has(String(typ).toLowerCase())) return 'typ of the request object is that of another token'
  // An assertion by which the client authenticates is signed by the same key (RFC 9101, section 10.8).
  if (sub === clientId) return 'sub of the request object must not be the client_id'
  if (![aud].flat().every((one) => one === issuer)) return 'aud of the request object must name this server alone'
  if (typeof exp !== 'number') return 'the request object has no exp'
  if (exp - Math.min(now, typeof nbf === 'number' ? nbf : now) > longestSeconds)
    return `the request object counts for more than ${longestSeconds} seconds`
  if (typeof iat === 'number' && iat > now + aheadSeconds) return 'iat of the request object is in the future'
  return undefined
}

type Assert = NonNullable<NonNullable<NonNullable<Configuration['features']>['requestObjects']>['assertJwtClaimsAndHeader']>

/** Refuses such a request object. One that was pushed has been checked when it came. Throws invalid_request_object. */
export const checkRequestObject =
  (issuer: string, clock: Clock): Assert =>
  async ({ oidc }, claims, header, { clientId }) => {
    if (oidc.entities.PushedAuthorizationRequest !== undefined) return
    const now = Math.floor(clock.now().getTime() / 1000)
    const problem = requestObjectProblem(claims, header, { issuer, clientId, now })
    if (problem !== undefined) throw new errors.InvalidRequestObject(problem)
  }

/**
 * The parameters as the application sent them: those of the request object, where there is one. Its form is checked before.
 */
export const sentParameters = ({
  query,
  oidc: { route, body, entities },
}: KoaContextWithOIDC): Readonly<Record<string, unknown>> => {
  const sent = route === 'authorization' ? query : (body ?? {})
  const object = entities.PushedAuthorizationRequest?.request ?? sent['request']
  return typeof object === 'string' ? decodeJwt(object) : sent
}

/** Has a pushed request object with a `jti` count once. In a browser it may be sent again, as when the page is reloaded. Throws invalid_request_object. */
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
