import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { keyProblem, type PublicKey } from '../metadata/rules.ts'
import { dpopAlgs } from '../rules.ts'

/** The DPoP proof of a call, and the parts of the call that the proof has to match. The call sends its token with the scheme DPoP. */
export interface Proven {
  readonly proof: string | undefined
  readonly method: string
  readonly path: string
}

/** A DPoP proof, and the method, URL and token of the request that sent it (RFC 9449). */
export interface SentProof {
  readonly value: string
  readonly method: string
  /** The public URL of the call, without the query. */
  readonly url: string
  readonly token: string
}

/** The largest age of a DPoP proof in seconds. `aheadSeconds` says how far the clock of the client may be ahead. */
const oldestSeconds = 300
const aheadSeconds = 60

const isRecent = (iat: number, now: number): boolean => iat >= now - oldestSeconds && iat <= now + aheadSeconds

/** Seconds for which the id of a DPoP proof is stored, so that the proof cannot be used again. */
export const proofSeconds = oldestSeconds + aheadSeconds

/** Seconds after which a new nonce replaces the previous one. */
const nonceSeconds = 60
/**
 * The periods whose nonces are accepted, relative to the present period: the present one, the two before it, and the next one. The next
 * one is accepted because the clock of another node may be ahead.
 */
const counting = [1, 0, -1, -2]

/**
 * Nonces for the DPoP proofs of calls to this server (RFC 9449, section 9). They are derived from the server's secret and the present
 * minute, so that every node accepts a nonce of any other node.
 */
export const createProofNonces = ({ secrets, clock }: Pick<Core, 'secrets' | 'clock'>) => {
  const step = () => Math.floor(clock.now().getTime() / 1000 / nonceSeconds)
  const of = (at: number) => Buffer.from(secrets.sign('dpop-nonces', `call ${at}`), 'base64').toString('base64url')
  return {
    next: () => of(step()),
    isCurrent: (nonce: unknown) => counting.some((minutes) => of(step() + minutes) === nonce),
  }
}
export type ProofNonces = ReturnType<typeof createProofNonces>

interface Said {
  readonly nonce: unknown
  readonly iat: number
}
/** Reads the nonce and the time of a DPoP proof without checking its signature. */
const saidIn = (proof: string | undefined): Said | undefined => {
  try {
    const { nonce, iat = 0 } = decodeJwt(proof ?? '')
    return { nonce, iat }
  } catch {
    return undefined
  }
}
export const nonceIn = (proof: string | undefined): unknown => saidIn(proof)?.nonce

/**
 * True for a DPoP proof without a nonce whose time is not close to `now` (in seconds since the epoch). The client then has to get a nonce
 * and send a new proof.
 */
export const isUndated = (proof: string | undefined, now: number): boolean => {
  const said = saidIn(proof)
  return said !== undefined && said.nonce === undefined && !isRecent(said.iat, now)
}

const hrefOf = (address: unknown): string | undefined => {
  const url = typeof address === 'string' ? URL.parse(address) : null
  return url === null ? undefined : `${url.origin}${url.pathname}`
}

/**
 * Returns the problem of the public key in a DPoP proof. Returns undefined if the key is usable, and if the proof cannot be read. The key
 * is checked before it is used, because anybody can send a key so long that checking its signature takes fifty milliseconds.
 */
export const proofKeyProblem = (proof: string): string | undefined => {
  try {
    const { jwk } = decodeProtectedHeader(proof)
    return jwk === undefined ? undefined : keyProblem(jwk as PublicKey)
  } catch {
    return undefined
  }
}

/**
 * Returns the key, id and nonce of a DPoP proof that is valid for this request. Returns undefined for an invalid proof. `now` is in
 * seconds since the epoch. A nonce replaces the check of the proof's time.
 */
export const readProof = async (
  { value, method, url, token }: SentProof,
  now: number,
): Promise<{ readonly thumbprint: string; readonly jti: string; readonly nonce: unknown } | undefined> => {
  if (proofKeyProblem(value) !== undefined) return undefined
  try {
    const { payload, protectedHeader } = await jwtVerify(value, EmbeddedJWK, { algorithms: [...dpopAlgs], typ: 'dpop+jwt' })
    const { jti, iat, htm, htu, ath, nonce } = payload
    const isForRequest = htm === method && hrefOf(htu) !== undefined && hrefOf(htu) === hrefOf(url)
    const isForToken = ath === Buffer.from(sha256(token), 'hex').toString('base64url')
    // The proof needs `iat` even if a nonce replaces the check of the time.
    const isNow = typeof iat === 'number' && iat > 0 && (nonce !== undefined || isRecent(iat, now))
    if (!isForRequest || !isForToken || !isNow || typeof jti !== 'string' || jti === '') return undefined
    return { thumbprint: await calculateJwkThumbprint(protectedHeader.jwk ?? {}), jti, nonce }
  } catch {
    return undefined
  }
}
