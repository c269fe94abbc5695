import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose'
import { sha256 } from '../../core/crypto.ts'
import { keyProblem, type PublicKey } from '../metadata/rules.ts'
import { dpopAlgs } from '../rules.ts'

/** What came with a token of the scheme DPoP. */
export interface Proven {
  readonly proof: string | undefined
  readonly method: string
  readonly path: string
}

/** A proof of possession with the request that it came with (RFC 9449). */
export interface SentProof {
  readonly value: string
  readonly method: string
  /** The public address that was called, without query. */
  readonly url: string
  readonly token: string
}

/** How old a proof may be, in seconds, and how much the clock of its client may be ahead. */
const oldestSeconds = 300
const aheadSeconds = 60

/** How long a proof has to be remembered, in seconds. */
export const proofSeconds = oldestSeconds + aheadSeconds

const hrefOf = (address: unknown): string | undefined => {
  const url = typeof address === 'string' ? URL.parse(address) : null
  return url === null ? undefined : `${url.origin}${url.pathname}`
}

/**
 * What is wrong with the key that a proof brings along, before anything is computed with it: anybody can send a key so long that its signature takes
 * the server fifty milliseconds. Undefined also where the proof cannot be read.
 */
export const proofKeyProblem = (proof: string): string | undefined => {
  try {
    const { jwk } = decodeProtectedHeader(proof)
    return jwk === undefined ? undefined : keyProblem(jwk as PublicKey)
  } catch {
    return undefined
  }
}

/** The key and id of a proof for this request, undefined for any other. `now` is in epoch seconds. */
export const readProof = async (
  { value, method, url, token }: SentProof,
  now: number,
): Promise<{ readonly thumbprint: string; readonly jti: string } | undefined> => {
  if (proofKeyProblem(value) !== undefined) return undefined
  try {
    const { payload, protectedHeader } = await jwtVerify(value, EmbeddedJWK, { algorithms: [...dpopAlgs], typ: 'dpop+jwt' })
    const { jti, iat = 0, htm, htu, ath } = payload
    const isForRequest = htm === method && hrefOf(htu) !== undefined && hrefOf(htu) === hrefOf(url)
    const isForToken = ath === Buffer.from(sha256(token), 'hex').toString('base64url')
    const isNow = iat >= now - oldestSeconds && iat <= now + aheadSeconds
    if (!isForRequest || !isForToken || !isNow || typeof jti !== 'string' || jti === '') return undefined
    return { thumbprint: await calculateJwkThumbprint(protectedHeader.jwk ?? {}), jti }
  } catch {
    return undefined
  }
}
