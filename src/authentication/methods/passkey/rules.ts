import { isLoopbackHost } from '../../../core/web.ts'
import type { AuthenticationMethod } from '../../attempts/index.ts'

/** Properties of an authenticator that are part of the signed data. */
export interface AuthenticatorFlags {
  /** True if the authenticator has verified its user by PIN, finger or face. */
  readonly userVerified: boolean
  /** True if the private key can be copied to other devices. */
  readonly backupEligible: boolean
}

/**
 * The authentication method of a passkey. Its `amr` values are those of RFC 8176: `hwk` for a key that never leaves its device, `swk` for
 * a key that can be copied, and `user` for the touch of the person. A passkey counts as two factors if the authenticator has verified its
 * user, otherwise as one factor.
 */
export const methodOf = ({ userVerified, backupEligible }: AuthenticatorFlags): AuthenticationMethod => ({
  name: userVerified ? 'passkey' : 'security-key',
  amr: [backupEligible ? 'swk' : 'hwk', 'user'],
  factors: userVerified ? ['possession', 'inherence'] : ['possession'],
  isPhishingResistant: true,
})

/** Returns the reason why a domain cannot be the RP id for a host; undefined if it can (Web Authentication, section 4: RP ID). */
export const rpIdProblem = (rpId: string, host: string): string | undefined => {
  if (rpId === host) return undefined
  if (!host.endsWith(`.${rpId}`) || /^[\d.]+$/.test(host))
    return `${rpId} is neither ${host}, the host of the public address, nor a domain above it`
  return rpId.includes('.') ? undefined : `${rpId} is a top-level domain, whose passkeys every site below it could ask for`
}

/**
 * Returns the reason why browsers offer no passkeys at a public URL; undefined if they do (Web Authentication, sections 4 and 5: secure
 * contexts, domains).
 */
export const addressProblem = (url: string): 'passkeys-ip' | 'passkeys-http' | undefined => {
  const { protocol, hostname } = new URL(url)
  if (/^[\d.]+$|^\[/.test(hostname)) return 'passkeys-ip'
  return protocol === 'https:' || isLoopbackHost(hostname) || hostname.endsWith('.localhost') ? undefined : 'passkeys-http'
}

/** The relying party of Web Authentication, from the configuration. */
export interface RelyingParty {
  readonly id: string
  readonly name: string
  /** The origins of the pages that may use passkeys of this relying party. */
  readonly origins: readonly string[]
}

/** The members of the signed client data that this server checks. */
export interface ClientData {
  readonly type: string
  readonly origin: string
  readonly crossOrigin?: boolean | undefined
}

/** Returns the reason why a response is refused because of the page that it comes from; undefined for a page of this server. */
export const pageProblem = (
  { type, origin, crossOrigin }: ClientData,
  wanted: 'webauthn.create' | 'webauthn.get',
  { origins }: RelyingParty,
): string | undefined => {
  if (type !== wanted) return `the response is of the type ${type}`
  if (!origins.includes(origin)) return `the page was on ${origin}`
  return crossOrigin === true ? 'the page was in a frame of another site' : undefined
}

/**
 * True if the signature counter of a passkey has not increased since its last use (Web Authentication, section 7.2). Many authenticators
 * always send 0. A 0 is accepted unless a higher number was stored.
 */
export const isCounterBack = (stored: number, received: number): boolean => stored > 0 && received <= stored

/**
 * True for a security key that can only be a second factor: it does not verify its user, and its private key stays on the device. Adding
 * such a key switches on two-step verification.
 */
export const isSecondFactorAlone = ({ userVerified, backupEligible }: AuthenticatorFlags): boolean =>
  !userVerified && !backupEligible
