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
  /** True for the first of all requests, on every node, that uses this id before it expires (in epoch seconds). */
  readonly claimOnce: (id: string, expiresAt: number) => Promise<boolean>
  readonly nonces: ProofNonces
  readonly config: Pick<OidcConfig, 'dpopNonce'>
}

/** True for a proof whose nonce counts, or that needs none. */
const hasNonce = ({ nonces, config }: Pick<Deps, 'nonces' | 'config'>, nonce: unknown): boolean =>
  nonce === undefined ? config.dpopNonce !== 'required' : nonces.isCurrent(nonce)

/** What a caller with a proof is answered besides: the nonce for the next one, and what a refused one lacks (RFC 9449, sections 7.1 and 9). */
const createProofHeaders =
  ({ nonces, config, clock }: Pick<Deps, 'nonces' | 'config' | 'clock'>) =>
  ({ proof }: Proven, isRefused: boolean): Readonly<Record<string, string>> => {
    const now = Math.floor(clock.now().getTime() / 1000)
    const lacks = !hasNonce({ nonces, config }, nonceIn(proof)) || isUndated(proof, now)
    const why = `DPoP error="${lacks ? 'use_dpop_nonce' : 'invalid_token'}", algs="${dpopAlgs.join(' ')}"`
    return { 'DPoP-Nonce': nonces.next(), ...(isRefused ? { 'WWW-Authenticate': why } : {}) }
  }

/**
 * The application that calls the API with an access token it got for itself; undefined for every other token. One statement, and nothing
 * from memory: a client that is disabled, deleted or has a permission less, and a token that is revoked, are refused at the next call.
 */
const createAuthenticate =
  ({ db, clock, url, claimOnce, ...deps }: Deps) =>
  async (
    token: string,
    context: RequestContext,
    access: { readonly permission: Permission } | undefined,
    proven?: Proven,
  ): Promise<ApplicationPrincipal | undefined> => {
    // A machine acts on the instance alone: for other calls its token is not looked for.
    if (access === undefined || !isInstancePermission(access.permission)) return undefined
    const found = await store.findMachineToken(db, sha256(token))
    if (found === undefined || found.expiresAt <= clock.now()) return undefined
    // A token that is bound to a key is none without a proof of it, and a proof belongs to such a token alone (RFC 9449, section 7).
    const { jkt } = found.payload
    if ((jkt === undefined) !== (proven === undefined)) return undefined
    // Who gets a token that is for an API could send it here.
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

/** Tokens of machines as credentials of calls. */
export const createApplicationBearer = (deps: Deps) => ({
  authenticate: createAuthenticate(deps),
  proofHeaders: createProofHeaders(deps),
})
