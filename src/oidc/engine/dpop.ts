import { decodeJwt } from 'jose'
import { type Configuration, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { checkDpopReplay, type SentProof, validateDpop } from 'oidc-provider/lib/helpers/grants.js'
import type { Clock } from '../../core/clock.ts'
import { proofKeyProblem } from '../clients/proof.ts'
import type { OidcConfig } from '../config.ts'
import { currentContext } from './library.ts'

export type { SentProof }

/**
 * The proof of a request; undefined if there is none. A proof is accepted only once, as in the library's own grants. Throws
 * invalid_dpop_proof and use_dpop_nonce.
 */
export const takeProof = async (provider: Provider, ctx: KoaContextWithOIDC): Promise<SentProof | undefined> => {
  const proof = await validateDpop(provider, ctx)
  await checkDpopReplay(provider, ctx, proof, ctx.oidc.client?.clientId ?? '')
  return proof
}

/** The largest difference in seconds between now and the time of a proof without a nonce. */
const windowSeconds = 300
/** The largest number of seconds that the clock of a client may be ahead (FAPI 2.0 Security Profile, section 5.3.2.1). */
const aheadSeconds = 60

interface Proof {
  readonly jti: unknown
  readonly iat: unknown
  readonly nonce: unknown
}

/** The proof of the current request after the library has checked its signature; undefined if there is none. */
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

/** The settings of the library for proofs. Throws invalid_dpop_proof for a key that is too expensive to compute with. */
export const proofs = (nonceSecret: Proofs['nonceSecret'], nonce: OidcConfig['dpopNonce']): Proofs => ({
  enabled: true,
  nonceSecret,
  // The library calls this function for every proof before it checks the signature.
  requireNonce: (ctx) => {
    const problem = proofKeyProblem(ctx.get('dpop'))
    if (problem !== undefined) throw new errors.InvalidDpopProof(`the DPoP proof ${problem}`)
    return nonce === 'required'
  },
})

type Claim = (id: string, expiresAt: number) => Promise<boolean>

/**
 * Makes a proof count only once, on all nodes, for as long as it could be replayed. A proof dated in the future is remembered longer than
 * the library asks for. `id` is a list of the client and the `jti`. Other ids are left to `claimOnce`. Throws invalid_dpop_proof.
 */
export const claimProofs =
  (claimOnce: Claim, clock: Clock): Claim =>
  async (id, expiresAt) => {
    const proof = sentProof()
    if (proof === undefined || JSON.parse(id)[1] !== proof.jti) return claimOnce(id, expiresAt)
    // The library has checked the nonce. A proof with a nonce is therefore recent, whatever the clock of the client says.
    if (proof.nonce === undefined && Number(proof.iat) > clock.now().getTime() / 1000 + aheadSeconds)
      throw new errors.InvalidDpopProof('iat of the DPoP proof is in the future')
    if (!(await claimOnce(id, expiresAt + windowSeconds))) throw new errors.InvalidDpopProof('the DPoP proof was used before')
    return true
  }
