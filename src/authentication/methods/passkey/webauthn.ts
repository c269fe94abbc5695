import type { z } from 'zod'
import { sha256 } from '../../../core/crypto.ts'
import type { passkeyContract } from './contract.ts'
import { type AuthenticatorFlags, type ClientData, pageProblem, type RelyingParty } from './rules.ts'

/** The browser's response after it has created a passkey. */
export type NewCredential = z.output<typeof passkeyContract.verifyRegistration.body>['response']
/** The browser's response after a passkey has signed. */
export type Assertion = z.output<typeof passkeyContract.verifyAuthentication.body>['response']

/** EdDSA, ES256 and RS256 as numbers of COSE. With other algorithms of the library, Node prints warnings. */
export const algorithms = [-8, -7, -257]

/** The browser's response is invalid. The message is for the log. */
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

/**
 * A public key whose private key was deleted. The signature of an unknown passkey is checked against it, so that the answer takes as long
 * as for a known one.
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
    // The error below explains the problem.
  }
  throw new CeremonyError('the client data cannot be read')
}

const requirePage = (data: ClientData, wanted: Parameters<typeof pageProblem>[1], party: RelyingParty) => {
  const problem = pageProblem(data, wanted, party)
  if (problem !== undefined) throw new CeremonyError(problem)
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'the response cannot be read')

/** Checks a new passkey (section 7.1). `isConditional` says that the browser created it without asking the person. Throws `CeremonyError`. */
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

/** Checks the page and the relying party of a signature, without a stored passkey. Throws `CeremonyError`. */
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

/** Checks a signature (section 7.2). Undefined if the signature is wrong or `publicKey` is undefined. Both take the same time. */
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
      // The counter 0 is always accepted here. The caller compares the counters and records a problem.
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
