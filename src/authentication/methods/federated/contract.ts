import { z } from 'zod'
import { AppError, errorsOf } from '../../../core/errors.ts'
import { defineEvents } from '../../../core/events/types.ts'
import { instant, plainText, urlInput } from '../../../core/wire.ts'
import { contract, redirect } from '../../../http/contract.ts'
import { User } from '../../../identity/users/contract.ts'
import { TwoFactorRedirect } from '../../attempts/contract.ts'
import { AccountChoice } from './linked-accounts/contract.ts'

const provider = plainText(64, 1)
const token = plainText(16_384, 1)
/** A scope (RFC 6749, section 3.3). */
const scope = z
  .string()
  .max(200)
  .regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/, 'a scope without blanks')

/** An ID token that the application got directly from the identity provider. */
const IdToken = z.object({
  token,
  nonce: plainText(512, 1).optional(),
  accessToken: token.optional(),
  refreshToken: token.optional(),
  /** The time at which the access token expires, in seconds since the epoch. */
  expiresAt: z.number().int().positive().max(8_640_000_000).optional(),
})

const start = {
  provider,
  callbackURL: urlInput.optional(),
  errorCallbackURL: urlInput.optional(),
  idToken: IdToken.optional(),
  requestSignUp: z.boolean().optional(),
  scopes: z.array(scope).max(50).optional(),
  disableRedirect: z.boolean().optional(),
  loginHint: plainText(320).optional(),
}

export const SignInSocial = z.object({
  ...start,
  newUserCallbackURL: urlInput.optional(),
})

export const LinkSocial = z.object(start)

/**
 * The parameters of the provider callback. The schema accepts everything, because the answer to wrong parameters has to be a redirect.
 * The service checks their lengths.
 */
export const CallbackInput = z.object({
  code: z.string().optional(),
  state: z.string().optional(),
  error: z.string().optional(),
  error_description: z.string().optional(),
  device_id: z.string().optional(),
  user: z.string().optional(),
  iss: z.string().optional(),
})

/** Selects an account of the caller, by the account's id at the provider or by the id of its row here. */
const OneAccount = z.object({ accountId: plainText(255, 1), providerId: provider.optional() })

const params = z.object({ id: z.string() })
const scopes = z.array(z.string())

const accountInfo = {
  path: '/account-info',
  changes: true,
  summary: 'Get the present data of a linked account from its provider',
  access: { permission: 'identities:read', session: true },
  response: z.object({
    user: z.object({
      id: z.string(),
      name: z.string().optional(),
      email: z.string().nullable(),
      image: z.string().optional(),
      emailVerified: z.boolean(),
    }),
    data: z.unknown(),
    /** `id` is the id of the row here. `accountId` is the id of the account at the provider. */
    account: z.object({ id: z.string(), providerId: z.string(), accountId: z.string() }),
  }),
  errors: [
    'ACCOUNT_NOT_FOUND',
    'PROVIDER_ID_IS_NOT_SUPPORTED',
    '400 FAILED_TO_GET_USER_INFO',
    'FAILED_TO_GET_A_VALID_ACCESS_TOKEN',
  ],
} as const

export const socialContract = contract('Social sign-in', {
  signInSocial: {
    method: 'POST',
    path: '/sign-in/social',
    summary: 'Start a sign-in at a provider, or sign in with an ID token from the provider',
    access: 'public',
    body: SignInSocial,
    response: z.union([
      TwoFactorRedirect,
      z.object({
        redirect: z.boolean(),
        url: z.string().optional(),
        token: z.string().optional(),
        user: User.optional(),
      }),
    ]),
    errors: [
      'PROVIDER_NOT_FOUND',
      'ID_TOKEN_NOT_SUPPORTED',
      '401 INVALID_TOKEN',
      '401 FAILED_TO_GET_USER_INFO',
      'USER_EMAIL_NOT_FOUND',
      'ACCOUNT_NOT_LINKED',
      'SIGNUP_DISABLED',
      'BANNED_USER',
      'UNABLE_TO_CREATE_USER',
    ],
    limit: 'strict',
    urls: ['callbackURL', 'errorCallbackURL', 'newUserCallbackURL'],
    startsSession: true,
  },
  callback: {
    method: 'GET',
    path: '/callback/:id',
    changes: true,
    summary: 'The address to which providers send people back; redirects',
    access: 'public',
    params,
    query: CallbackInput,
    response: redirect,
    errors: [],
  },
  callbackForm: {
    method: 'POST',
    path: '/callback/:id',
    summary: 'The address to which providers that post a form (Apple) send people back',
    access: 'public',
    params,
    body: CallbackInput,
    response: redirect,
    errors: [],
    encoding: 'form',
    crossSite: true,
  },
  linkSocial: {
    method: 'POST',
    path: '/link-social',
    summary: 'Link an account at a provider to the signed-in user; needs a recent proof',
    access: { permission: 'identities:update', session: true },
    body: LinkSocial,
    response: z.object({ url: z.string(), redirect: z.boolean(), status: z.boolean() }),
    errors: [
      'SESSION_IS_NOT_FRESH',
      'PROVIDER_NOT_FOUND',
      'ID_TOKEN_NOT_SUPPORTED',
      '401 INVALID_TOKEN',
      '401 FAILED_TO_GET_USER_INFO',
      'USER_EMAIL_NOT_FOUND',
      'SOCIAL_ACCOUNT_ALREADY_LINKED',
      'ACCOUNT_NOT_LINKED__LINKING_NOT_ALLOWED',
      'ACCOUNT_NOT_LINKED__DIFFERENT_EMAILS_NOT_ALLOWED',
      'ACCOUNT_NOT_LINKED__UNABLE_TO_CREATE_ACCOUNT',
    ],
    limit: 'strict',
    urls: ['callbackURL', 'errorCallbackURL'],
  },
  getAccessToken: {
    method: 'POST',
    path: '/get-access-token',
    summary: 'Get a valid access token of a linked account; it is refreshed if it is about to expire',
    access: { permission: 'provider-tokens:read' },
    body: AccountChoice,
    response: z.object({
      accessToken: z.string(),
      accessTokenExpiresAt: instant.optional(),
      scopes,
      idToken: z.string().optional(),
    }),
    errors: ['PROVIDER_ID_IS_NOT_SUPPORTED', 'ACCOUNT_NOT_FOUND', 'FAILED_TO_GET_A_VALID_ACCESS_TOKEN'],
  },
  refreshToken: {
    method: 'POST',
    path: '/refresh-token',
    summary: 'Refresh the tokens of a linked account now',
    access: { permission: 'provider-tokens:read' },
    body: AccountChoice,
    response: z.object({
      accessToken: z.string(),
      refreshToken: z.string().optional(),
      accessTokenExpiresAt: instant.optional(),
      refreshTokenExpiresAt: instant.optional(),
      scopes,
      idToken: z.string().optional(),
      providerId: z.string(),
      /** The id of the account's row here. */
      accountId: z.string(),
    }),
    errors: [
      'PROVIDER_ID_IS_NOT_SUPPORTED',
      'ACCOUNT_NOT_FOUND',
      'PROVIDER_ID_DOES_NOT_SUPPORT_TOKEN_REFRESHING',
      'FAILED_TO_REFRESH_ACCESS_TOKEN',
    ],
  },
  accountInfo: { ...accountInfo, method: 'POST', body: OneAccount },
  accountInfoByGet: { ...accountInfo, method: 'GET', query: OneAccount },
})

/**
 * Errors of federated sign-ins. Calls that redirect send the message in `?error=`, with underscores in place of blanks (accounts
 * specification, section 8).
 */
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
  /** The status is 401 in a sign-in, and 400 in a call about an account that is linked already. */
  FAILED_TO_GET_USER_INFO: [[401, 400], 'Failed to get user info'],
  INVALID_TOKEN: [401, 'invalid token'],
  EMAIL_DOESNT_MATCH: [400, "email_doesn't_match"],
})

/** Makes an error whose message and code both contain the name of the provider, such as `PROVIDER_ZZZ_IS_NOT_SUPPORTED`. */
export const providerError = (
  code: 'PROVIDER_ID_IS_NOT_SUPPORTED' | 'PROVIDER_ID_DOES_NOT_SUPPORT_TOKEN_REFRESHING',
  id: string,
): AppError => {
  const { status, message } = socialErrors.error(code)
  const named = id.toUpperCase().replace(/[^A-Z0-9_]/g, '')
  return new AppError(code.replace('_ID_', `_${named}_`), status, message.replace('{id}', id))
}

export const socialEvents = defineEvents({
  'provider.tested': {
    summary: 'An operator tested a provider.',
    subject: 'provider',
    data: z.object({ hasPassed: z.boolean(), failedSteps: z.array(z.string()) }),
  },
})
