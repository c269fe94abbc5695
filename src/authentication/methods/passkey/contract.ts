import { z } from 'zod'
import { errorsOf } from '../../../core/errors.ts'
import { defineEvents } from '../../../core/events/types.ts'
import { json } from '../../../core/json-value.ts'
import { instant, nameInput, plainText } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'
import { User } from '../../../identity/users/contract.ts'
import { TwoFactorRedirect } from '../../attempts/contract.ts'
import { Session } from '../../sessions/contract.ts'

/** A passkey or security key as its owner sees it. */
export const Passkey = z
  .object({
    id: z.string(),
    userId: z.string(),
    name: z.string(),
    /** The credential id of the passkey, in base64url. */
    credentialID: z.string(),
    /** The public key in the format COSE, encoded in base64url. */
    publicKey: z.string(),
    counter: z.int(),
    /** `multiDevice` means that the passkey can be copied to other devices. */
    deviceType: z.enum(['singleDevice', 'multiDevice']),
    backedUp: z.boolean(),
    /** The transports that the authenticator supports, separated by commas. */
    transports: z.string().nullable(),
    aaguid: z.string(),
    /**
     * True if the authenticator has verified its user by PIN, finger or face. Such a passkey signs in without a password. A passkey
     * without this verification is only a second factor.
     */
    userVerified: z.boolean(),
    createdAt: instant,
    lastUsedAt: instant.nullable(),
  })
  .meta({ id: 'Passkey' })

const base64url = (max: number) => plainText(max, 1).regex(/^[\w-]+$/, 'base64url')
/** A credential id in base64url. It has at most 1023 bytes (Web Authentication, section 4). */
const credentialId = base64url(1364)
const attachment = z.enum(['platform', 'cross-platform'])

const credential = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  authenticatorAttachment: z.string().max(64).nullish(),
  clientExtensionResults: z.record(z.string(), json).optional(),
}

/** `RegistrationResponseJSON` (Web Authentication, section 5.1.8). */
const RegistrationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(8192),
    attestationObject: base64url(65_536),
    transports: z.array(plainText(32)).max(20).optional(),
  }),
})

/** `AuthenticationResponseJSON` (Web Authentication, section 5.1.8). */
const AuthenticationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(8192),
    authenticatorData: base64url(8192),
    signature: base64url(8192),
    userHandle: plainText(128).nullish(),
  }),
})

const Descriptor = z.object({ id: z.string(), type: z.literal('public-key'), transports: z.array(z.string()).optional() })
const userVerification = z.enum(['required', 'preferred', 'discouraged'])

/** `PublicKeyCredentialCreationOptionsJSON` (Web Authentication). */
export const CreationOptions = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ alg: z.int(), type: z.literal('public-key') })),
  timeout: z.int(),
  attestation: z.literal('none'),
  excludeCredentials: z.array(Descriptor),
  authenticatorSelection: z.object({
    residentKey: z.enum(['required', 'preferred']),
    requireResidentKey: z.boolean(),
    userVerification,
    authenticatorAttachment: attachment.optional(),
  }),
  extensions: z.object({ credProps: z.literal(true) }),
})

/** `PublicKeyCredentialRequestOptionsJSON` (Web Authentication). */
export const RequestOptions = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int(),
  userVerification,
  /** Absent if no user is known. The browser then offers every passkey that it has for the domain. */
  allowCredentials: z.array(Descriptor).optional(),
})

const flag = z.enum(['true', 'false']).optional()

export const passkeyContract = contract('Passkeys', {
  generateRegisterOptions: {
    method: 'GET',
    path: '/passkey/generate-register-options',
    changes: true,
    summary: 'Get options for creating a passkey; needs a recent proof, or a sign-in that has to add a second factor',
    access: 'public',
    query: z.object({
      authenticatorAttachment: attachment.optional(),
      name: nameInput.optional(),
      context: plainText(2048).optional(),
      conditional: flag,
    }),
    response: CreationOptions,
    errors: [
      'PASSKEYS_ARE_NOT_ENABLED',
      'UNAUTHORIZED',
      'SESSION_IS_NOT_FRESH',
      'INVALID_TWO_FACTOR_COOKIE',
      'TOO_MANY_PASSKEYS_REMOVE_ONE_FIRST',
    ],
  },
  verifyRegistration: {
    method: 'POST',
    path: '/passkey/verify-registration',
    summary: 'Store the passkey that the browser has created',
    access: 'public',
    body: z.object({ response: RegistrationResponse, name: nameInput.optional(), createSession: z.boolean().optional() }),
    response: Passkey.extend({ session: Session.optional(), user: User.optional() }),
    errors: [
      'PASSKEYS_ARE_NOT_ENABLED',
      'UNAUTHORIZED',
      'SESSION_IS_NOT_FRESH',
      'INVALID_TWO_FACTOR_COOKIE',
      'CHALLENGE_NOT_FOUND',
      'YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY',
      'FAILED_TO_VERIFY_REGISTRATION',
      'PREVIOUSLY_REGISTERED',
      'TOO_MANY_PASSKEYS_REMOVE_ONE_FIRST',
    ],
    limit: 'strict',
    startsSession: true,
  },
  generateAuthenticateOptions: {
    method: 'GET',
    path: '/passkey/generate-authenticate-options',
    changes: true,
    summary: 'Get options for signing in with a passkey, for using it as a second factor, or for a recent proof',
    access: 'public',
    query: z.object({ anyone: flag }),
    response: RequestOptions,
    errors: ['PASSKEYS_ARE_NOT_ENABLED'],
  },
  generateAuthenticateOptionsByPost: {
    method: 'POST',
    path: '/passkey/generate-authenticate-options',
    summary:
      'Get options for signing in with a passkey, in the call of older clients; the address is ignored, so that the answer does not reveal whether it has a passkey',
    access: 'public',
    body: z.object({ email: z.string().optional() }),
    response: RequestOptions,
    errors: ['PASSKEYS_ARE_NOT_ENABLED'],
  },
  verifyAuthentication: {
    method: 'POST',
    path: '/passkey/verify-authentication',
    summary: 'Sign in with the passkey, or add it as a proof to the sign-in or session',
    access: 'public',
    body: z.object({
      response: AuthenticationResponse,
      rememberMe: z.boolean().optional(),
      /** Asks to remember this browser after a second step. A remembered browser needs no second factor for a while. */
      trustDevice: z.boolean().optional(),
    }),
    response: z.union([z.object({ session: Session, user: User }), TwoFactorRedirect]),
    errors: [
      'PASSKEYS_ARE_NOT_ENABLED',
      'UNAUTHORIZED',
      'CHALLENGE_NOT_FOUND',
      'AUTHENTICATION_FAILED',
      '401 PASSKEY_NOT_FOUND',
      'USER_VERIFICATION_REQUIRED',
      'INVALID_TWO_FACTOR_COOKIE',
      'BANNED_USER',
    ],
    limit: 'strict',
    startsSession: true,
  },
  listUserPasskeys: {
    method: 'GET',
    path: '/passkey/list-user-passkeys',
    summary: 'List the passkeys of the signed-in user, oldest first',
    access: { permission: 'identities:read' },
    response: z.array(Passkey),
    errors: [],
  },
  updatePasskey: {
    method: 'POST',
    path: '/passkey/update-passkey',
    summary: 'Rename a passkey',
    access: { permission: 'identities:update' },
    body: z.object({ id: plainText(64, 1), name: nameInput }),
    response: z.object({ passkey: Passkey }),
    errors: ['404 PASSKEY_NOT_FOUND'],
  },
  deletePasskey: {
    method: 'POST',
    path: '/passkey/delete-passkey',
    summary: 'Remove a passkey; needs a recent proof, and another sign-in method has to remain',
    access: { permission: 'identities:update', session: true },
    body: z.object({ id: plainText(64, 1) }),
    response: z.object({ status: z.boolean() }),
    errors: [
      'SESSION_IS_NOT_FRESH',
      '404 PASSKEY_NOT_FOUND',
      'YOU_CANT_REMOVE_YOUR_LAST_WAY_TO_SIGN_IN',
      'THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED',
    ],
  },
  relatedOrigins: {
    method: 'GET',
    path: '/.well-known/webauthn',
    summary: 'List the origins that use the passkeys of this domain (Web Authentication, section 5.11)',
    access: 'anonymous',
    response: z.object({ origins: z.array(z.string()) }),
    errors: ['NOT_FOUND'],
  },
  endpoints: {
    method: 'GET',
    path: '/.well-known/passkey-endpoints',
    summary:
      'The address of the page for adding and removing passkeys, for password managers (W3C, A Well-Known URL for Relying Party Passkey Endpoints)',
    access: 'anonymous',
    response: z.object({ enroll: z.string(), manage: z.string() }),
    errors: ['NOT_FOUND'],
  },
})

/** Errors about passkeys. An error that Better Auth has too uses the code and message of Better Auth. */
export const passkeyErrors = errorsOf({
  PASSKEYS_ARE_NOT_ENABLED: [400, 'Passkeys are not enabled'],
  CHALLENGE_NOT_FOUND: [400, 'Challenge not found'],
  FAILED_TO_VERIFY_REGISTRATION: [400, 'Failed to verify registration'],
  PREVIOUSLY_REGISTERED: [400, 'Previously registered'],
  TOO_MANY_PASSKEYS_REMOVE_ONE_FIRST: [400, 'Too many passkeys. Remove one first.'],
  YOU_CANT_REMOVE_YOUR_LAST_WAY_TO_SIGN_IN: [400, "You can't remove your last way to sign in"],
  YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY: [401, 'You are not allowed to register this passkey'],
  AUTHENTICATION_FAILED: [401, 'Authentication failed'],
  USER_VERIFICATION_REQUIRED: [401, 'User verification required'],
  // The status is 404 if a call names a passkey by its id. It is 401 if a passkey has signed.
  PASSKEY_NOT_FOUND: [[404, 401], 'Passkey not found'],
})

const passkey = z.object({ passkeyId: z.string() })

export const passkeyEvents = defineEvents({
  'user.passkey_added': {
    summary: 'A user added a passkey or security key.',
    subject: 'user',
    data: passkey.extend({
      aaguid: z.string().describe('the model of the authenticator; zeros if it is unknown'),
      isUserVerified: z.boolean().describe('true if the authenticator asked for a PIN, a finger or the face'),
      isBackedUp: z.boolean().describe('true if it is copied to other devices of the user'),
      isByBrowser: z.boolean().describe('true if the browser created it without asking, after a sign-in with a password'),
    }),
  },
  'user.passkey_renamed': { summary: 'A user renamed a passkey.', subject: 'user', data: passkey },
  'user.passkey_removed': { summary: 'A passkey of a user was removed.', subject: 'user', data: passkey },
  'user.passkey_refused': {
    summary: 'A passkey was refused because its counter did not increase. A copy of the passkey may exist.',
    subject: 'user',
    data: passkey.extend({ counter: z.int(), stored: z.int().describe('the counter at the last use') }),
  },
})
