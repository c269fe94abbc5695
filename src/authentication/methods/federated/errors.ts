import { AppError, errorsOf } from '../../../core/errors.ts'

/** The redirecting calls show the message, blanks as underscores, as `?error=` (accounts specification, section 8). */
export const socialErrors = errorsOf({
  PROVIDER_NOT_FOUND: [404, 'Provider not found'],
  ID_TOKEN_NOT_SUPPORTED: [404, 'id_token not supported'],
  USER_EMAIL_NOT_FOUND: [401, 'User email not found'],
  ACCOUNT_NOT_LINKED: [401, 'account not linked'],
  SIGNUP_DISABLED: [401, 'signup disabled'],
  UNABLE_TO_CREATE_USER: [401, 'unable to create user'],
  UNABLE_TO_CREATE_SESSION: [401, 'unable to create session'],
  ACCOUNT_NOT_LINKED__LINKING_NOT_ALLOWED: [401, 'Account not linked - linking not allowed'],
  ACCOUNT_NOT_LINKED__DIFFERENT_EMAILS_NOT_ALLOWED: [401, 'Account not linked - different emails not allowed'],
  ACCOUNT_NOT_LINKED__UNABLE_TO_CREATE_ACCOUNT: [417, 'Account not linked - unable to create account'],
  SOCIAL_ACCOUNT_ALREADY_LINKED: [400, 'Social account already linked'],
  PROVIDER_ID_IS_NOT_SUPPORTED: [400, 'Provider {id} is not supported.'],
  PROVIDER_ID_DOES_NOT_SUPPORT_TOKEN_REFRESHING: [400, 'Provider {id} does not support token refreshing.'],
  EITHER_USERID_OR_SESSION_IS_REQUIRED: [400, 'Either userId or session is required'],
  FAILED_TO_GET_A_VALID_ACCESS_TOKEN: [400, 'Failed to get a valid access token'],
  FAILED_TO_REFRESH_ACCESS_TOKEN: [400, 'Failed to refresh access token'],
  YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT: [400, "You can't unlink your last account"],

  INVALID_CALLBACK_REQUEST: [400, 'invalid_callback_request'],
  STATE_NOT_FOUND: [400, 'state_not_found'],
  PLEASE_RESTART_THE_PROCESS: [400, 'please_restart_the_process'],
  NO_CODE: [400, 'no_code'],
  OAUTH_PROVIDER_NOT_FOUND: [400, 'oauth_provider_not_found'],
  INVALID_CODE: [400, 'invalid_code'],
  UNABLE_TO_GET_USER_INFO: [400, 'unable_to_get_user_info'],
  EMAIL_NOT_FOUND: [400, 'email_not_found'],
  NO_CALLBACK_URL: [400, 'no_callback_url'],
  UNABLE_TO_LINK_ACCOUNT: [400, 'unable_to_link_account'],
  ACCOUNT_ALREADY_LINKED_TO_DIFFERENT_USER: [400, 'account_already_linked_to_different_user'],
  /** 401: of a sign-in; 400: of an account that is linked already. */
  FAILED_TO_GET_USER_INFO: [[401, 400], 'Failed to get user info'],
  INVALID_TOKEN: [401, 'invalid token'],
  EMAIL_DOESNT_MATCH: [400, "email_doesn't_match"],
})

/** These messages name the provider, and their codes with them: `PROVIDER_ZZZ_IS_NOT_SUPPORTED`. */
export const providerError = (
  code: 'PROVIDER_ID_IS_NOT_SUPPORTED' | 'PROVIDER_ID_DOES_NOT_SUPPORT_TOKEN_REFRESHING',
  id: string,
): AppError => {
  const { status, message } = socialErrors.error(code)
  const named = id.toUpperCase().replace(/[^A-Z0-9_]/g, '')
  return new AppError(code.replace('_ID_', `_${named}_`), status, message.replace('{id}', id))
}
