import { plainCode } from '../../../src/http/painted.ts'
import type { Key } from '../../shared/i18n.ts'

type ErrorGroup = Extract<Key, `error.${string}.title`> extends `error.${infer Name}.title` ? Name : never

/** Error codes of OAuth and of the account API. They are grouped by what the person can do about the error. */
export const errorGroups: Readonly<Record<ErrorGroup, readonly string[]>> = {
  restart: [
    'please_restart_the_process',
    'state_not_found',
    'invalid_callback_request',
    'no_code',
    'invalid_code',
    'no_callback_url',
    'interaction_not_found',
    'session_not_found',
    'login_required',
    'consent_required',
    'interaction_required',
    'account_selection_required',
  ],
  link: ['invalid_token', 'token_expired', 'user_not_found'],
  otherBrowser: ['unauthorized', 'failed_to_get_user_info'],
  banned: ['banned', 'banned_user'],
  denied: ['access_denied'],
  client: ['invalid_client', 'unauthorized_client', 'not_found'],
  clientDisabled: ['client_disabled'],
  redirect: ['invalid_redirect_uri'],
  impersonation: ['impersonation_not_understood'],
  request: [
    'invalid_request',
    'invalid_scope',
    'invalid_grant',
    'invalid_client_metadata',
    'invalid_request_object',
    'invalid_request_uri',
    'invalid_target',
    'unsupported_response_type',
    'unsupported_grant_type',
    'request_not_supported',
    'request_uri_not_supported',
    'registration_not_supported',
    'unmet_authentication_requirements',
  ],
  notLinked: ['account_not_linked', 'unable_to_link_account'],
  linkedElsewhere: ['account_already_linked_to_different_user', 'social_account_already_linked'],
  emailMismatch: ["email_doesn't_match"],
  provider: ['unable_to_get_user_info', 'oauth_provider_not_found', 'provider_not_found'],
  providerEmail: ['email_not_found', 'user_email_not_found'],
  signUpOff: ['signup_disabled'],
  mailLink: ['open_the_link_in_the_browser_that_asked'],
  mailSignInOff: ['sign_in_by_mail_is_not_enabled'],
  server: [
    'server_error',
    'internal_server_error',
    'temporarily_unavailable',
    'unable_to_create_user',
    'unable_to_create_session',
    'failed_to_create_session',
  ],
}

const groupOfCode = new Map<string, ErrorGroup>(
  Object.entries(errorGroups).flatMap(([group, codes]) => codes.map((code) => [code, group as ErrorGroup] as const)),
)

/** Returns a known error code in its canonical spelling. Undefined for any other text. */
export const knownCode = (code: string): string | undefined => (groupOfCode.has(plainCode(code)) ? plainCode(code) : undefined)

/**
 * The request id in the address. Servers and proxies make hexadecimal ids. Anything else is refused, so that nobody can put a message of
 * their own on the page.
 */
export const requestIdIn = (query: URLSearchParams): string | undefined => {
  const id = query.get('request_id') ?? ''
  return /^[\da-f-]{16,64}$/.test(id) && !id.startsWith('-') ? id : undefined
}

interface ErrorWords {
  readonly title: Extract<Key, 'error.title' | `error.${string}.title`>
  readonly text: Extract<Key, 'error.text' | `error.${string}.text`>
}

/** The texts for an error code. The code can be spelled in any way, such as `INVALID_TOKEN` or `account not linked`. */
export const wordsOf = (code: string): ErrorWords => {
  const group = groupOfCode.get(plainCode(code))
  return group === undefined
    ? { title: 'error.title', text: 'error.text' }
    : { title: `error.${group}.title`, text: `error.${group}.text` }
}
