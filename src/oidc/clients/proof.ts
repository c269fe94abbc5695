import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { keyProblem, type PublicKey } from '../metadata/rules.ts'
import { dpopAlgs } from '../rules.ts'

/** The parts of a request with a token of the scheme DPoP that its proof has to match. */
export interface Proven {
  readonly proof: string | undefined
  readonly method: string
  readonly path: string
}

/** A proof of possession and the request that it was sent with (RFC 9449). */
export interface SentProof {
  readonly value: string
  readonly method: string
  /** The public address of the call, without query. */
  readonly url: string
  readonly token: string
}

/** How old a proof may be, in seconds, and how much the clock of its client may be ahead. */
const oldestSeconds = 300
const aheadSeconds = 60

const isRecent = (iat: number, now: number): boolean => iat >= now - oldestSeconds && iat <= now + aheadSeconds

/** How long a proof has to be remembered, in seconds. */
export const proofSeconds = oldestSeconds + aheadSeconds

/** How long a nonce is the newest one, in seconds. */
const nonceSeconds = 60
/** Offsets of the minutes whose nonces are accepted: this minute, two before, and one ahead for a node whose clock is ahead. */
const counting = [1, 0, -1, -2]

/**
 * Nonces for proofs at calls of this server (RFC 9449, section 9). They are derived from the secret and the minute, so that every node
 * accepts the same ones.
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
/** Reads nonce and time of a proof without checking its signature. */
const saidIn = (proof: string | undefined): Said | undefined => {
  try {
    const { nonce, iat = 0 } = decodeJwt(proof ?? '')
    return { nonce, iat }
  } catch {
    return undefined
  }
}
export const nonceIn = (proof: string | undefined): unknown => saidIn(proof)?.nonce

/** True for a proof without a nonce whose time is not close to `now` (in epoch seconds): its client has to ask for a nonce. */
export const isUndated = (proof: string | undefined, now: number): boolean => {
  const said = saidIn(proof)
  return said !== undefined && said.nonce === undefined && !isRecent(said.iat, now)
}

const hrefOf = (address: unknown): string | undefined => {
  const url = typeof address === 'string' ? URL.parse(address) : null
  return url === null ? undefined : `${url.origin}${url.pathname}`
}

/**
 * What is wrong with the key of a proof, checked before any computation with it: anybody can send a key so long that its signature costs
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

/**
 * Returns key, id and nonce of a proof for this request; undefined for an invalid one. `now` is in epoch seconds. A nonce replaces the
 * check of the time.
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
    // `iat` is required even where the nonce replaces the check of the time.
    const isNow = typeof iat === 'number' && iat > 0 && (nonce !== undefined || isRecent(iat, now))
    if (!isForRequest || !isForToken || !isNow || typeof jti !== 'string' || jti === '') return undefined
    return { thumbprint: await calculateJwkThumbprint(protectedHeader.jwk ?? {}), jti, nonce }
  } catch {
    return undefined
  }
}
