import { decodeJwt } from 'jose'
import { type Configuration, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { checkDpopReplay, type SentProof, validateDpop } from 'oidc-provider/lib/helpers/grants.js'
import type { Clock } from '../../core/clock.ts'
import { proofKeyProblem } from '../clients/proof.ts'
import type { OidcConfig } from '../config.ts'
import { currentContext } from './library.ts'

export type { SentProof }

/**
 * Returns the DPoP proof of a request after checking it; undefined if the request has none. A proof is accepted only once, as in the
 * library's own grants. Throws invalid_dpop_proof and use_dpop_nonce.
 */
export const takeProof = async (provider: Provider, ctx: KoaContextWithOIDC): Promise<SentProof | undefined> => {
  const proof = await validateDpop(provider, ctx)
  await checkDpopReplay(provider, ctx, proof, ctx.oidc.client?.clientId ?? '')
  return proof
}

/** The largest difference in seconds between the present time and the time of a DPoP proof that has no nonce. */
const windowSeconds = 300
/** The largest number of seconds that the clock of a client may be ahead (FAPI 2.0 Security Profile, section 5.3.2.1). */
const aheadSeconds = 60

interface Proof {
  readonly jti: unknown
  readonly iat: unknown
  readonly nonce: unknown
}

/** The claims of the DPoP proof in the current request; undefined if there is none. The signature is not checked here. */
const sentProof = (): Proof | undefined => {
  const sent = currentContext()?.req.headers['dpop']
  if (typeof sent !== 'string') return undefined
  try {
    const { jti, iat, nonce } = decodeJwt(sent)
    return { jti, iat, nonce }
  } catch {
    return undefined
  }
}

type Proofs = NonNullable<NonNullable<Configuration['features']>['dPoP']>

/** The library's settings for DPoP proofs. Throws invalid_dpop_proof for a key that is too expensive to compute with. */
export const proofs = (nonceSecret: Proofs['nonceSecret'], nonce: OidcConfig['dpopNonce']): Proofs => ({
  enabled: true,
  nonceSecret,
  // The library calls this function for every proof, before it checks the signature. The key can therefore be refused here.
  requireNonce: (ctx) => {
    const problem = proofKeyProblem(ctx.get('dpop'))
    if (problem !== undefined) throw new errors.InvalidDpopProof(`the DPoP proof ${problem}`)
    return nonce === 'required'
  },
})

type Claim = (id: string, expiresAt: number) => Promise<boolean>

/**
 * Returns the check for replayed DPoP proofs. It accepts each proof once on all nodes, and remembers it until it has expired. A proof
 * with a time in the future is remembered for longer than the library asks for. `id` is a JSON list whose second entry is a `jti`. If it
 * is not the `jti` of the request's proof, `id` is passed to `claimOnce` unchanged. Throws invalid_dpop_proof.
 */
export const claimProofs =
  (claimOnce: Claim, clock: Clock): Claim =>
  async (id, expiresAt) => {
    const proof = sentProof()
    if (proof === undefined || JSON.parse(id)[1] !== proof.jti) return claimOnce(id, expiresAt)
    // The library has checked the nonce, if there is one. A proof with a nonce is recent, whatever its own time says.
    if (proof.nonce === undefined && Number(proof.iat) > clock.now().getTime() / 1000 + aheadSeconds)
      throw new errors.InvalidDpopProof('iat of the DPoP proof is in the future')
    if (!(await claimOnce(id, expiresAt + windowSeconds))) throw new errors.InvalidDpopProof('the DPoP proof was used before')
    return true
  }
