import { compactVerify, createLocalJWKSet, decodeJwt, type JWK } from 'jose'
import type { Client, Clients } from '../clients/service.ts'

export interface Hint {
  readonly client: Client
  readonly userId: string
}

/**
 * Whom an ID token that we issued was issued to and for; undefined when it is not ours. An expired one still tells
 * (OpenID Connect RP-Initiated Logout 1.0, section 2).
 */
export const readIdTokenHint = async (
  hint: string,
  { issuer, keys, clients }: { readonly issuer: string; readonly keys: readonly JWK[]; readonly clients: Clients },
): Promise<Hint | undefined> => {
  try {
    const { aud, sub, iss } = decodeJwt(hint)
    const client = typeof aud === 'string' ? await clients.find(aud) : undefined
    if (client === undefined || sub === undefined || iss !== issuer) return undefined
    const options = { algorithms: [client.idTokenAlg] }
    if (client.idTokenAlg === 'HS256') await compactVerify(hint, Buffer.from(client.secretOrHash), options)
    else await compactVerify(hint, createLocalJWKSet({ keys: [...keys] }), options)
    return { client, userId: sub }
  } catch {
    return undefined
  }
}
