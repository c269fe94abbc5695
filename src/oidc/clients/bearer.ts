import { isInstancePermission, type Permission } from '../../access/permissions.ts'
import type { ApplicationPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import type { RequestContext } from '../../core/request-context.ts'
import type { OidcConfig } from '../config.ts'
import { dpopAlgs } from '../rules.ts'
import { permissionsOfMachine } from './permissions.ts'
import { isUndated, nonceIn, type ProofNonces, type Proven, proofSeconds, readProof } from './proof.ts'
import * as store from './store.ts'

interface Deps extends Pick<Core, 'db' | 'clock' | 'url'> {
  /** Returns true for the first request with this id on any node. `expiresAt` is in seconds since the epoch. */
  readonly claimOnce: (id: string, expiresAt: number) => Promise<boolean>
  readonly nonces: ProofNonces
  readonly config: Pick<OidcConfig, 'dpopNonce'>
}

/** True if the nonce of the proof is current. A proof without a nonce passes if the configuration does not require nonces. */
const hasNonce = ({ nonces, config }: Pick<Deps, 'nonces' | 'config'>, nonce: unknown): boolean =>
  nonce === undefined ? config.dpopNonce !== 'required' : nonces.isCurrent(nonce)

/**
 * Headers for the answer to a request with a DPoP proof: the nonce for the next proof and, if the request was refused, the error (RFC
 * 9449, sections 7.1 and 9).
 */
const createProofHeaders =
  ({ nonces, config, clock }: Pick<Deps, 'nonces' | 'config' | 'clock'>) =>
  ({ proof }: Proven, isRefused: boolean): Readonly<Record<string, string>> => {
    const now = Math.floor(clock.now().getTime() / 1000)
    const lacks = !hasNonce({ nonces, config }, nonceIn(proof)) || isUndated(proof, now)
    const why = `DPoP error="${lacks ? 'use_dpop_nonce' : 'invalid_token'}", algs="${dpopAlgs.join(' ')}"`
    return { 'DPoP-Nonce': nonces.next(), ...(isRefused ? { 'WWW-Authenticate': why } : {}) }
  }

/**
 * Finds the application that calls the API with an access token of its own. Returns undefined for every other token. The token is read at
 * every call without a cache. The next call is therefore refused when the client is disabled or deleted, when it loses the permission, or
 * when its token is revoked.
 */
const createAuthenticate =
  ({ db, clock, url, claimOnce, ...deps }: Deps) =>
  async (
    token: string,
    context: RequestContext,
    access: { readonly permission: Permission } | undefined,
    proven?: Proven,
  ): Promise<ApplicationPrincipal | undefined> => {
    // A machine can have only permissions of the instance. Other calls are refused without reading the token.
    if (access === undefined || !isInstancePermission(access.permission)) return undefined
    const found = await store.findMachineToken(db, sha256(token))
    if (found === undefined || found.expiresAt <= clock.now()) return undefined
    // A token that is bound to a key needs a DPoP proof. A proof with any other token is refused (RFC 9449, section 7).
    const { jkt } = found.payload
    if ((jkt === undefined) !== (proven === undefined)) return undefined
    // A token that was issued for another API is refused, because that API could misuse the tokens that it receives.
    const { audience = url } = found.payload
    if (audience !== url) return undefined
    if (proven !== undefined) {
      const now = Math.floor(clock.now().getTime() / 1000)
      const proof = await readProof({ ...proven, value: proven.proof ?? '', url: `${url}${proven.path}`, token }, now)
      if (proof?.thumbprint !== jkt || proof === undefined || !hasNonce(deps, proof.nonce)) return undefined
      if (!(await claimOnce(JSON.stringify([found.clientId, proof.jti]), now + proofSeconds))) return undefined
    }
    const permissions = new Set(permissionsOfMachine(found.permissions).filter(isInstancePermission))
    return { kind: 'application', ...context, actorId: found.clientId, permissions }
  }

/** Accepts the access tokens of machines as credentials for calls of the administration API. */
export const createApplicationBearer = (deps: Deps) => ({
  authenticate: createAuthenticate(deps),
  proofHeaders: createProofHeaders(deps),
})
