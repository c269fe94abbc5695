import { decodeJwt } from 'jose'
import { type Configuration, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { checkDpopReplay, type SentProof, validateDpop } from 'oidc-provider/lib/helpers/grants.js'
import type { Clock } from '../../core/clock.ts'
import { proofKeyProblem } from '../clients/proof.ts'
import type { OidcConfig } from '../config.ts'
import { currentContext } from './library.ts'

export type { SentProof }

/**
 * The proof of a request, which is accepted once, as in the library's own grants; undefined without one. Throws invalid_dpop_proof and
 * use_dpop_nonce.
 */
export const takeProof = async (provider: Provider, ctx: KoaContextWithOIDC): Promise<SentProof | undefined> => {
  const proof = await validateDpop(provider, ctx)
  await checkDpopReplay(provider, ctx, proof, ctx.oidc.client?.clientId ?? '')
  return proof
}

/** How far the date of a proof without a nonce may be from now, in seconds. */
const windowSeconds = 300
/** How far the clock of a client may be ahead (FAPI 2.0 Security Profile, section 5.3.2.1), in seconds. */
const aheadSeconds = 60

interface Proof {
  readonly jti: unknown
  readonly iat: unknown
  readonly nonce: unknown
}

/** The proof of the current request, with a signature that the library has checked; undefined without one. */
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

/** Replaces the library's check of proofs. Throws invalid_dpop_proof for a key that costs too much to compute with. */
export const proofs = (nonceSecret: Proofs['nonceSecret'], nonce: OidcConfig['dpopNonce']): Proofs => ({
  enabled: true,
  nonceSecret,
  // The library calls this for every proof before it checks the signature.
  requireNonce: (ctx) => {
    const problem = proofKeyProblem(ctx.get('dpop'))
    if (problem !== undefined) throw new errors.InvalidDpopProof(`the DPoP proof ${problem}`)
    return nonce === 'required'
  },
})

type Claim = (id: string, expiresAt: number) => Promise<boolean>

/**
 * Makes a proof count once, on every node, for as long as it could be replayed: for a proof dated ahead this is longer than the library
 * says. Throws invalid_dpop_proof. `id` is a list of the client and the `jti`; other ids are left to `claimOnce`.
 */
export const claimProofs =
  (claimOnce: Claim, clock: Clock): Claim =>
  async (id, expiresAt) => {
    const proof = sentProof()
    if (proof === undefined || JSON.parse(id)[1] !== proof.jti) return claimOnce(id, expiresAt)
    // With a nonce, which the library has checked, the proof is recent whatever the clock of the client says.
    if (proof.nonce === undefined && Number(proof.iat) > clock.now().getTime() / 1000 + aheadSeconds)
      throw new errors.InvalidDpopProof('iat of the DPoP proof is in the future')
    if (!(await claimOnce(id, expiresAt + windowSeconds))) throw new errors.InvalidDpopProof('the DPoP proof was used before')
    return true
  }
