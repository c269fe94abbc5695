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
  /** Returns true for the first request with this id on any node. `expiresAt` is in epoch seconds. */
  readonly claimOnce: (id: string, expiresAt: number) => Promise<boolean>
  readonly nonces: ProofNonces
  readonly config: Pick<OidcConfig, 'dpopNonce'>
}

/** True for a proof with a current nonce, and where no nonce is required. */
const hasNonce = ({ nonces, config }: Pick<Deps, 'nonces' | 'config'>, nonce: unknown): boolean =>
  nonce === undefined ? config.dpopNonce !== 'required' : nonces.isCurrent(nonce)

/**
 * Headers for the answer to a request with a proof: the nonce for the next proof, and the error of a refused proof (RFC 9449, sections
 * 7.1 and 9).
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
 * Finds the application that calls the API with an access token of its own; undefined for every other token. It is a single statement
 * without a cache. When a client is disabled or deleted, when it loses a permission, or when its token is revoked, the next call is
 * refused.
 */
const createAuthenticate =
  ({ db, clock, url, claimOnce, ...deps }: Deps) =>
  async (
    token: string,
    context: RequestContext,
    access: { readonly permission: Permission } | undefined,
    proven?: Proven,
  ): Promise<ApplicationPrincipal | undefined> => {
    // A machine has only permissions of the instance. For all other calls its token need not be looked up.
    if (access === undefined || !isInstancePermission(access.permission)) return undefined
    const found = await store.findMachineToken(db, sha256(token))
    if (found === undefined || found.expiresAt <= clock.now()) return undefined
    // A token that is bound to a key needs a proof, and a proof needs such a token (RFC 9449, section 7).
    const { jkt } = found.payload
    if ((jkt === undefined) !== (proven === undefined)) return undefined
    // A token for another API is refused here, because that API could have sent it on.
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

/** Accepts the tokens of machines as credentials for calls. */
export const createApplicationBearer = (deps: Deps) => ({
  authenticate: createAuthenticate(deps),
  proofHeaders: createProofHeaders(deps),
})
