import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { keyProblem, type PublicKey } from '../metadata/rules.ts'
import { dpopAlgs } from '../rules.ts'

/** The parts of a request that a proof has to match. The token of the request has the scheme DPoP. */
export interface Proven {
  readonly proof: string | undefined
  readonly method: string
  readonly path: string
}

/** A proof of possession, and the request with which it was sent (RFC 9449). */
export interface SentProof {
  readonly value: string
  readonly method: string
  /** The public address of the call, without the query. */
  readonly url: string
  readonly token: string
}

/** The largest age of a proof in seconds. The next constant says how far the clock of the client may be ahead. */
const oldestSeconds = 300
const aheadSeconds = 60

const isRecent = (iat: number, now: number): boolean => iat >= now - oldestSeconds && iat <= now + aheadSeconds

/** Seconds for which a proof has to be remembered, so that it cannot be used again. */
export const proofSeconds = oldestSeconds + aheadSeconds

/** Seconds for which a nonce is the newest one. */
const nonceSeconds = 60
/** The minutes whose nonces are accepted, relative to now: this minute, the two before, and the next one for a node whose clock is ahead. */
const counting = [1, 0, -1, -2]

/**
 * Nonces for the proofs of calls to this server (RFC 9449, section 9). They are derived from the secret and the minute, so that every
 * node accepts the same nonces.
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
/** Reads the nonce and the time of a proof without checking its signature. */
const saidIn = (proof: string | undefined): Said | undefined => {
  try {
    const { nonce, iat = 0 } = decodeJwt(proof ?? '')
    return { nonce, iat }
  } catch {
    return undefined
  }
}
export const nonceIn = (proof: string | undefined): unknown => saidIn(proof)?.nonce

/** True for a proof without a nonce whose time is not close to `now` (in epoch seconds). Its client has to ask for a nonce. */
export const isUndated = (proof: string | undefined, now: number): boolean => {
  const said = saidIn(proof)
  return said !== undefined && said.nonce === undefined && !isRecent(said.iat, now)
}

const hrefOf = (address: unknown): string | undefined => {
  const url = typeof address === 'string' ? URL.parse(address) : null
  return url === null ? undefined : `${url.origin}${url.pathname}`
}

/**
 * Returns the problem of a proof's key, and undefined for a usable key or an unreadable proof. The key is checked before any computation
 * with it, because anybody can send a key so long that checking its signature costs the server fifty milliseconds.
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
 * Returns the key, id and nonce of a valid proof for this request, and undefined for an invalid proof. `now` is in epoch seconds. A nonce
 * replaces the check of the time.
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
    // `iat` is required even if a nonce replaces the check of the time.
    const isNow = typeof iat === 'number' && iat > 0 && (nonce !== undefined || isRecent(iat, now))
    if (!isForRequest || !isForToken || !isNow || typeof jti !== 'string' || jti === '') return undefined
    return { thumbprint: await calculateJwkThumbprint(protectedHeader.jwk ?? {}), jti, nonce }
  } catch {
    return undefined
  }
}
