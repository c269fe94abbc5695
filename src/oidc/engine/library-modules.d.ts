/** A module of oidc-provider that has no types. It contains the building blocks of the library's grants. */
declare module 'oidc-provider/lib/helpers/grants.js' {
  import type { KoaContextWithOIDC, Provider } from 'oidc-provider'

  export interface SentProof {
    readonly thumbprint: string
    readonly jti: string
    readonly iat: number
  }
  /** Checks the DPoP proof of the request and returns it; undefined if there is none. Throws invalid_dpop_proof and use_dpop_nonce. */
  export function validateDpop(provider: Provider, ctx: KoaContextWithOIDC): Promise<SentProof | undefined>
  /** Throws invalid_dpop_proof if the DPoP proof was used before. */
  export function checkDpopReplay(
    provider: Provider,
    ctx: KoaContextWithOIDC,
    proof: SentProof | undefined,
    clientId: string,
  ): Promise<void>
}
