import { isLoopbackHost } from '../../../core/web.ts'
import type { AuthenticationMethod } from '../../attempts/index.ts'

/** Facts about the authenticator, from a ceremony. */
export interface AuthenticatorFlags {
  /** It asked for a PIN, a finger or a face. */
  readonly userVerified: boolean
  /** Its key can be copied to other devices. */
  readonly backupEligible: boolean
}

/**
 * The method of a proof. A key that never leaves its device is hardware (`hwk`), one that is copied is software (`swk`) for RFC 8176, which
 * knows no value between; `user` is the touch. With user verification it is two factors, without it one.
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

/** Why no browser offers passkeys for a public address; undefined when they do (Web Authentication, sections 4 and 5: secure contexts, domains). */
export const addressProblem = (url: string): 'passkeys-ip' | 'passkeys-http' | undefined => {
  const { protocol, hostname } = new URL(url)
  if (/^[\d.]+$|^\[/.test(hostname)) return 'passkeys-ip'
  return protocol === 'https:' || isLoopbackHost(hostname) || hostname.endsWith('.localhost') ? undefined : 'passkeys-http'
}

/** The relying party of the configuration. */
export interface RelyingParty {
  readonly id: string
  readonly name: string
  /** Whose pages may use its passkeys. */
  readonly origins: readonly string[]
}

/** The members of the signed client data that are checked. */
export interface ClientData {
  readonly type: string
  readonly origin: string
  readonly crossOrigin?: boolean | undefined
}

/** The fault of the page on which a ceremony was held; undefined for a page of ours. */
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
 * True when the counter of a passkey did not go on since its last use (Web Authentication, section 7.2). Many authenticators count nothing and
 * always say 0; one that has counted says 0 no more.
 */
export const isCounterBack = (stored: number, received: number): boolean => stored > 0 && received <= stored

/** True for a key that is of no use but as a second factor: it verifies nobody and stays on its device. Without one a password is enough. */
export const isSecondFactorAlone = ({ userVerified, backupEligible }: AuthenticatorFlags): boolean =>
  !userVerified && !backupEligible
