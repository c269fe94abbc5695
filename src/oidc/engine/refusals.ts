import { errors } from 'oidc-provider'

/** What the library knows about a refusal, in words for the developer of the application (wire behaviour, section 12). Nothing here helps to guess. */
const descriptions: Readonly<Record<string, string>> = {
  'authorization code not found': 'invalid code',
  'authorization code already consumed': 'invalid code',
  'authorization code is expired': 'code expired',
  'authorization code redirect_uri mismatch': 'invalid redirect_uri',
  'code_verifier does not match code_challenge': 'code verification failed',
  'code_verifier must be provided': 'code verifier is missing',
  // A verifier for a code that was asked for without a challenge: the library finds no method to compare by.
  'unsupported code_challenge_method': 'code verification failed',
  'refresh token not found': 'invalid refresh token',
  'refresh token already used': 'invalid refresh token',
  'refresh token is expired': 'refresh token expired',
  'grant not found': 'the authorization has ended',
  'client mismatch': 'invalid client_id',
  'client not found': 'invalid client_id',
  'invalid secret provided': 'invalid client_secret',
  'client is disabled': 'client is disabled',
  'the provided authentication mechanism does not match the registered client authentication method':
    'the client is registered for another way of authenticating',
  'access token not found': 'invalid access token',
}

/** Where the library says invalid_request because nothing, or nothing readable, says who the client is. */
const unauthenticated: Readonly<Record<string, string>> = {
  'no client authentication mechanism provided': 'client_id and client_secret are required',
  'invalid authorization header value format': 'invalid authorization header format',
  'client_id and client_secret in the authorization header are not properly encoded': 'invalid authorization header format',
  'client_secret must be provided in the Authorization header': 'client_secret is missing in the authorization header',
}

/** The description of `invalid_client` (RFC 6749, section 5.2) for such an error, else undefined. */
export const describeUnauthenticated = (error: Error): string | undefined =>
  unauthenticated[(error as { error_description?: string }).error_description ?? '']

/** Wrong uses of a real code by its own client: whoever tries one may have stolen it, so it is used up. */
const burning: ReadonlySet<string | undefined> = new Set([
  'code_verifier does not match code_challenge',
  'code_verifier must be provided',
  'unsupported code_challenge_method',
  'authorization code redirect_uri mismatch',
])

export const usesCodeUp = (error: Error): boolean => {
  const { error_detail: detail, error_description: description } = error as {
    error_detail?: string
    error_description?: string
  }
  return burning.has(detail) || /^code_verifier (must be a|contains)/.test(description ?? '')
}

/** Reason for the log, and the description for the client where ours says more than the library's. */
export const describeError = (
  error: Error,
): { readonly detail: string | undefined; readonly description: string | undefined } => {
  const { error_detail: detail } = error as { error_detail?: string }
  return { detail, description: detail === undefined ? undefined : descriptions[detail] }
}

/** A disabled client: the error page at the authorization endpoint, a failed authentication elsewhere. */
export const disabledClient = (atAuthorization: boolean): Error =>
  atAuthorization
    ? new errors.CustomOIDCProviderError('client_disabled', 'client is disabled')
    : new errors.InvalidClientAuth('client is disabled')

/** Error and description for a client that has failed too often. */
export const tooMany = ['temporarily_unavailable', 'Too many failed requests; try again later'] as const

export const tooManyFailures = (): Error =>
  Object.assign(new errors.CustomOIDCProviderError(...tooMany), { status: 429, statusCode: 429 })

/** Headers that say when to come back; the second is the wire's own. */
export const retryHeaders = (seconds: number): Record<string, string> => ({
  'Retry-After': String(seconds),
  'X-Retry-After': String(seconds),
})
