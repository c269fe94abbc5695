import { isLoopbackHost } from '../../../core/web.ts'
import type { AuthenticationMethod } from '../../attempts/index.ts'

/** Data about the authenticator, from a ceremony. */
export interface AuthenticatorFlags {
  /** True if it verified its user: PIN, finger or face. */
  readonly userVerified: boolean
  /** True if its key can be copied to other devices. */
  readonly backupEligible: boolean
}

/**
 * The method of a proof. RFC 8176 has two values for keys: hardware (`hwk`) for a key that never leaves its device, software (`swk`) for
 * a copied one; `user` is the touch. With user verification it counts as two factors, without as one.
 */
export const methodOf = ({ userVerified, backupEligible }: AuthenticatorFlags): AuthenticationMethod => ({
  name: userVerified ? 'passkey' : 'security-key',
  amr: [backupEligible ? 'swk' : 'hwk', 'user'],
  factors: userVerified ? ['possession', 'inherence'] : ['possession'],
  isPhishingResistant: true,
})

/** Why a domain cannot be the RP id of a host; undefined when it can (Web Authentication, section 4: RP ID). */
export const rpIdProblem = (rpId: string, host: string): string | undefined => {
  if (rpId === host) return undefined
  if (!host.endsWith(`.${rpId}`) || /^[\d.]+$/.test(host))
    return `${rpId} is neither ${host}, the host of the public address, nor a domain above it`
  return rpId.includes('.') ? undefined : `${rpId} is a top-level domain, whose passkeys every site below it could ask for`
}

/**
 * Why browsers offer no passkeys for a public address; undefined when they do (Web Authentication, sections 4 and 5: secure contexts,
 * domains).
 */
export const addressProblem = (url: string): 'passkeys-ip' | 'passkeys-http' | undefined => {
  const { protocol, hostname } = new URL(url)
  if (/^[\d.]+$|^\[/.test(hostname)) return 'passkeys-ip'
  return protocol === 'https:' || isLoopbackHost(hostname) || hostname.endsWith('.localhost') ? undefined : 'passkeys-http'
}

/** The configured relying party. */
export interface RelyingParty {
  readonly id: string
  readonly name: string
  /** Origins of pages that may use its passkeys. */
  readonly origins: readonly string[]
}

/** The checked members of the signed client data. */
export interface ClientData {
  readonly type: string
  readonly origin: string
  readonly crossOrigin?: boolean | undefined
}

/** Why a ceremony on this page is refused; undefined for a page of this server. */
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
 * True if a passkey's counter has not grown since its last use (Web Authentication, section 7.2). Many authenticators always send 0;
 * after another number it must not be 0.
 */
export const isCounterBack = (stored: number, received: number): boolean => stored > 0 && received <= stored

/** True for a key that is only a second factor: it verifies nobody and stays on its device. Without one a password is enough. */
export const isSecondFactorAlone = ({ userVerified, backupEligible }: AuthenticatorFlags): boolean =>
  !userVerified && !backupEligible
