import type { z } from 'zod'
import { sha256 } from '../../../core/crypto.ts'
import type { passkeyContract } from './contract.ts'
import { type AuthenticatorFlags, type ClientData, pageProblem, type RelyingParty } from './rules.ts'

/** The response of the browser after it has made a passkey. */
export type NewCredential = z.output<typeof passkeyContract.verifyRegistration.body>['response']
/** The response of the browser after a passkey has signed. */
export type Assertion = z.output<typeof passkeyContract.verifyAuthentication.body>['response']

/** EdDSA, ES256, RS256 (COSE). Node prints warnings for the library's other ones. */
export const algorithms = [-8, -7, -257]

/** An invalid response; the message is for the log. */
export class CeremonyError extends Error {}

/** A new passkey. */
export interface MadePasskey extends AuthenticatorFlags {
  readonly credentialId: string
  readonly publicKey: string
  readonly counter: number
  readonly transports: readonly string[]
  readonly aaguid: string
  readonly backedUp: boolean
}

/** A passkey's verified signature. */
export interface Signed extends AuthenticatorFlags {
  readonly counter: number
  readonly backedUp: boolean
}

/** A public key whose private key was deleted. Unknown passkeys are checked against it, so that they cost as much as known ones. */
const dummyKey = 'pQECAyYgASFYIN6EkRw-grz4X-ZMsAN8XS5cfFJ_QVil9ObEqNnL38eeIlggU-XuW1pWucOKnbGth4sfoj-yIwp6ErFA8ze1gTz2rvM'

/** Loaded when the first passkey exists: the library takes a quarter of a second to load. */
const library = () => import('@simplewebauthn/server')
const helpers = () => import('@simplewebauthn/server/helpers')

/** The signed client data: page and challenge. Throws `CeremonyError`. */
export const readClientData = ({ response }: NewCredential | Assertion): ClientData & { readonly challenge: string } => {
  try {
    const data: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'))
    const { type, origin, challenge, crossOrigin } = data as Record<string, unknown>
    if (typeof type === 'string' && typeof origin === 'string' && typeof challenge === 'string')
      return { type, origin, challenge, crossOrigin: crossOrigin === true }
  } catch {
    // Explained below.
  }
  throw new CeremonyError('the client data cannot be read')
}

const requirePage = (data: ClientData, wanted: Parameters<typeof pageProblem>[1], party: RelyingParty) => {
  const problem = pageProblem(data, wanted, party)
  if (problem !== undefined) throw new CeremonyError(problem)
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'the response cannot be read')

/** Checks a new passkey (section 7.1). `isConditional`: created without a gesture of the user. Throws `CeremonyError`. */
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

/** Checks page and relying party of a signature, without a stored passkey. Throws `CeremonyError`. */
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

/** Checks a signature (section 7.2); undefined for a wrong signature or an undefined `publicKey`, at the same cost. */
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
      // The caller compares the counter and records the problem.
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
