import type { KoaContextWithOIDC } from 'oidc-provider'
import type { SignInFailure, SignInFailures } from '../../authentication/failures/index.ts'
import { tokenExchange } from '../token-exchange/rules.ts'
import { readError } from './library.ts'
import type { ProviderRequest } from './requests.ts'
import { throttledAnswer } from './throttling.ts'

/** Answers to a device that polls and has to wait, or whose code has ended (RFC 8628, section 3.5). They do not count as failures. */
export const deviceStates: ReadonlySet<string> = new Set(['authorization_pending', 'slow_down', 'expired_token'])

/**
 * Error codes that are not stored as failures, because the user notices nothing. After an error of a request that must not show a page
 * (`prompt=none`), the application repeats the request with a page. The other codes are answers to devices that poll.
 */
const silent: ReadonlySet<string> = new Set([
  'login_required',
  'interaction_required',
  'account_selection_required',
  ...deviceStates,
])

const reasons: Readonly<Record<string, SignInFailure['reason']>> = {
  client_disabled: 'client-disabled',
  invalid_redirect_uri: 'redirect-uri',
  access_denied: 'consent-denied',
  invalid_scope: 'scope',
  invalid_grant: 'grant',
  unauthorized_client: 'grant-type',
  [throttledAnswer[0]]: 'request-limit',
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Stores errors of the authorization and token endpoints that keep a person out of an application. */
export const recordFailure = (
  failures: SignInFailures | undefined,
  { oidc }: KoaContextWithOIDC,
  { source, signedIn, grants }: ProviderRequest,
  error: Error & { readonly error?: string },
): void => {
  const code = error.error ?? 'server_error'
  if (failures === undefined || silent.has(code)) return
  const { detail = text((error as { readonly error_description?: unknown }).error_description), description } = readError(error)
  const { params, client } = oidc
  const { error_description: told, scope: refused } = error as { readonly error_description?: unknown; readonly scope?: unknown }
  const ofKnown = client?.tokenEndpointAuthMethod === 'none' ? 'public-client-secret' : 'client-secret'
  const isDisabled = description === 'client is disabled'
  const ofClient = isDisabled ? 'client-disabled' : client === undefined ? 'client-unknown' : ofKnown
  // A refused scope is stored as the application sent it, because a scope may have any name. In a token exchange, access_denied comes
  // from the rules of impersonation. It does not mean that a person has denied access.
  const isActing = code === 'access_denied' && params?.['grant_type'] === tokenExchange
  const isPkce = code !== 'invalid_scope' && /code_(challenge|verifier)/.test(`${detail} ${text(told)}`)
  const reason = isPkce ? 'pkce' : code === 'invalid_client' ? ofClient : (!isActing && reasons[code]) || 'authorization'
  const [grant] = grants.values()
  const redirectUri = reason === 'redirect-uri' ? text(params?.['redirect_uri'])?.split(/[?#]/, 1)[0] : undefined
  failures.record(source, {
    ...{ method: 'application', reason, code },
    userId: oidc.account?.accountId ?? signedIn?.user.id ?? grant?.accountId,
    clientId: client?.clientId ?? text(params?.['client_id']),
    detail: {
      detail,
      redirectUri,
      route: oidc.route,
      scope: reason === 'scope' ? (text(refused) ?? text(params?.['scope'])) : undefined,
    },
  })
}
