import type { z } from 'zod'
import { sha256 } from '../../../core/crypto.ts'
import type { passkeyContract } from './contract.ts'
import { type AuthenticatorFlags, type ClientData, pageProblem, type RelyingParty } from './rules.ts'

/** The browser's response after the creation of a passkey. */
export type NewCredential = z.output<typeof passkeyContract.verifyRegistration.body>['response']
/** The browser's response after a passkey has signed. */
export type Assertion = z.output<typeof passkeyContract.verifyAuthentication.body>['response']

/** The algorithms of passkeys: EdDSA, ES256 and RS256, as numbers of COSE. Node prints warnings for the library's other algorithms. */
export const algorithms = [-8, -7, -257]

/** Thrown if the browser's response is invalid. The message is for the log. */
export class CeremonyError extends Error {}

/** A passkey that a browser has just created, after its response was checked. */
export interface MadePasskey extends AuthenticatorFlags {
  readonly credentialId: string
  readonly publicKey: string
  readonly counter: number
  readonly transports: readonly string[]
  readonly aaguid: string
  readonly backedUp: boolean
}

/** The verified signature of a passkey. */
export interface Signed extends AuthenticatorFlags {
  readonly counter: number
  readonly backedUp: boolean
}

/**
 * A public key whose private key nobody has. The signature of an unknown passkey is checked against this key, so that the check takes as
 * long as for a known passkey.
 */
const dummyKey = 'pQECAyYgASFYIN6EkRw-grz4X-ZMsAN8XS5cfFJ_QVil9ObEqNnL38eeIlggU-XuW1pWucOKnbGth4sfoj-yIwp6ErFA8ze1gTz2rvM'

/** The library is loaded when it is first needed, because loading takes a quarter of a second. */
const library = () => import('@simplewebauthn/server')
const helpers = () => import('@simplewebauthn/server/helpers')

/** Reads the signed client data, which contains the page and the challenge. Throws `CeremonyError`. */
export const readClientData = ({ response }: NewCredential | Assertion): ClientData & { readonly challenge: string } => {
  try {
    const data: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'))
    const { type, origin, challenge, crossOrigin } = data as Record<string, unknown>
    if (typeof type === 'string' && typeof origin === 'string' && typeof challenge === 'string')
      return { type, origin, challenge, crossOrigin: crossOrigin === true }
  } catch {
    // The error that is thrown below explains the problem.
  }
  throw new CeremonyError('the client data cannot be read')
}

const requirePage = (data: ClientData, wanted: Parameters<typeof pageProblem>[1], party: RelyingParty) => {
  const problem = pageProblem(data, wanted, party)
  if (problem !== undefined) throw new CeremonyError(problem)
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'the response cannot be read')

/**
 * Checks the response after the creation of a passkey (Web Authentication, section 7.1). `isConditional` means that the browser has
 * created it without asking the person. Throws `CeremonyError`.
 */
export const verifyNewCredential = async (
  response: NewCredential,
  party: RelyingParty,
  { isConditional }: { readonly isConditional: boolean },
): Promise<MadePasskey> => {
  const data = readClientData(response)
  requirePage(data, 'webauthn.create', party)
  const { verifyRegistrationResponse } = await library()
  const { id, rawId, type, response: attestation } = response
  const { clientDataJSON, attestationObject, transports = [] } = attestation
  const verified = await verifyRegistrationResponse({
    response: { id, rawId, type, response: { clientDataJSON, attestationObject, transports }, clientExtensionResults: {} },
    ...{ expectedChallenge: data.challenge, expectedOrigin: [...party.origins], expectedRPID: party.id },
    ...{ requireUserPresence: !isConditional, requireUserVerification: false, supportedAlgorithmIDs: algorithms },
  }).catch((error: unknown) => {
    throw new CeremonyError(messageOf(error))
  })
  if (!verified.verified) throw new CeremonyError('the attestation is not right')
  const { credential, aaguid, userVerified, credentialDeviceType, credentialBackedUp } = verified.registrationInfo
  if (credential.id !== id) throw new CeremonyError('the response names another passkey than it holds')
  return {
    ...{ credentialId: id, publicKey: Buffer.from(credential.publicKey).toString('base64url'), counter: credential.counter },
    ...{ transports, aaguid, userVerified, backupEligible: credentialDeviceType === 'multiDevice', backedUp: credentialBackedUp },
  }
}

/** Checks the page and the relying party of a response with a signature. No stored passkey is needed for that. Throws `CeremonyError`. */
export const checkAssertion = async (response: Assertion, party: RelyingParty): Promise<void> => {
  requirePage(readClientData(response), 'webauthn.get', party)
  const { parseAuthenticatorData } = await helpers()
  try {
    const bytes = Buffer.from(response.response.authenticatorData, 'base64url')
    const { rpIdHash, flags } = parseAuthenticatorData(new Uint8Array(bytes))
    if (Buffer.from(rpIdHash).toString('hex') !== sha256(party.id)) throw new CeremonyError('the passkey is of another domain')
    if (!flags.up) throw new CeremonyError('nobody was present')
  } catch (error) {
    throw new CeremonyError(messageOf(error))
  }
}

/**
 * Checks the signature of a passkey (Web Authentication, section 7.2). Undefined if the signature is wrong, or if `publicKey` is
 * undefined because the passkey is unknown. Both cases take the same time.
 */
export const verifyAssertion = async (
  response: Assertion,
  publicKey: string | undefined,
  party: RelyingParty,
): Promise<Signed | undefined> => {
  const { verifyAuthenticationResponse } = await library()
  const { id, rawId, type, response: assertion } = response
  const { clientDataJSON, authenticatorData, signature } = assertion
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId, type, response: { clientDataJSON, authenticatorData, signature }, clientExtensionResults: {} },
      ...{ expectedChallenge: readClientData(response).challenge, expectedOrigin: [...party.origins], expectedRPID: party.id },
      // With the counter 0 the library compares no counters. The caller compares them, and records a counter that has not increased.
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey ?? dummyKey, 'base64url')), counter: 0 },
      requireUserVerification: false,
    })
    if (!verified || publicKey === undefined) return undefined
    const { newCounter, userVerified, credentialDeviceType, credentialBackedUp } = authenticationInfo
    const backupEligible = credentialDeviceType === 'multiDevice'
    return { counter: newCounter, userVerified, backupEligible, backedUp: credentialBackedUp }
  } catch {
    return undefined
  }
}
