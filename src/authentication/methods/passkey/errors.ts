import { errorsOf } from '../../../core/errors.ts'

/** Codes and messages are those of Better Auth where it has them. */
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
  // 401 where it is presented, 404 where it is named.
  PASSKEY_NOT_FOUND: [[404, 401], 'Passkey not found'],
})
