import type { z } from 'zod'
import { isImpersonated, type Principal } from '../../../access/principal.ts'
import type { Core } from '../../../core/core.ts'
import { AppError } from '../../../core/errors.ts'
import { parseExactJson } from '../../../core/exact-json.ts'
import { withQuery } from '../../../core/web.ts'
import { isBroken } from '../../../core/wire.ts'
import type { Outcome } from '../../attempts/index.ts'
import type { SignInFailures } from '../../failures/index.ts'
import type { ExternalIdentity, FederatedAccounts } from './accounts.ts'
import type { Authorization, PendingAuthorization } from './authorization.ts'
import type { CallbackInput } from './contract.ts'
import { socialErrors } from './contract.ts'
import { createFailureRecorder, type FederatedFailure } from './failures.ts'
import type { IdentityProvider } from './providers/provider.ts'
import type { Json } from './rules/json.ts'

export type CallbackParams = z.output<typeof CallbackInput>

/** The URL to which the browser is sent, and the outcome of the sign-in. */
export interface CallbackResult {
  readonly url: string
  readonly outcome?: Outcome
}

interface Deps extends Pick<Core, 'url' | 'log' | 'security'> {
  readonly providers: ReadonlyMap<string, IdentityProvider>
  readonly authorization: Authorization
  readonly accounts: FederatedAccounts
  readonly trusted: { check(value: string): string | undefined }
  /** Undefined if failed attempts are not stored. */
  readonly signInFailures?: SignInFailures
}

/** Prepares text of a provider for display: removes characters that a column or a log must not contain, and cuts it after `max` characters. */
const shownText = (text: string | undefined, max: number): string | undefined =>
  text
    ?.replaceAll('\u0000', '')
    .toWellFormed()
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, '') || undefined

/** Reads Apple's parameter `user`. Other providers may use that name for something else, so a value that is not JSON is ignored. */
const jsonOf = (text: string | undefined): Json | undefined => {
  try {
    return text === undefined || text.length > longestUser || isBroken(text) ? undefined : (parseExactJson(text) as Json)
  } catch {
    return undefined
  }
}

const longestUser = 4_096

/**
 * Keeps the needed parameters of a callback, and shortens those that are displayed. Unknown parameters are ignored (RFC 6749, section
 * 4.1.2). No parameter may make the callback fail before the state is read, because the state contains the URL to which errors are sent.
 */
export const shortened = ({ error, error_description: description, user, ...rest }: CallbackParams): CallbackParams => ({
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '')),
  error: shownText(error, 200),
  error_description: shownText(description, 1_000),
  user: jsonOf(user) === undefined ? undefined : user,
})

/** Completes a sign-in or a link when the browser returns. Expected errors are not thrown: the result is then the URL of an error page. */
export type HandleCallback = (
  principal: Principal,
  providerId: string,
  input: CallbackParams,
  binding: string | undefined,
) => Promise<CallbackResult>

/** The callback for all identity providers. The order in which it checks for errors is prescribed (wire behaviour, section 10). */
export const createCallback = (deps: Deps): HandleCallback => {
  const { url, log, security, providers, authorization, accounts, trusted } = deps
  const record = createFailureRecorder(deps.signInFailures, accounts)
  const failed = (pending: PendingAuthorization | undefined, error: string, description?: string): CallbackResult => {
    const errorURL = pending?.errorCallbackURL
    const page = (errorURL === undefined ? undefined : trusted.check(errorURL)) ?? `${url}/error`
    return { url: withQuery(page, { error, error_description: description }) }
  }

  /** Stores a failed sign-in for support. If a link has failed, stores a refused request of the signed-in user instead. */
  const recordFailure = async (
    principal: Principal,
    pending: PendingAuthorization | undefined,
    failure: FederatedFailure,
    error?: AppError,
  ) => {
    const { code, provider } = failure
    const event = pending?.linkTo === undefined ? 'sign-in.failed' : 'request.refused'
    security(principal, event, { userId: pending?.linkTo ?? null, code, provider })
    if (pending?.linkTo === undefined) await record(principal, failure, error)
  }

  const finish = async (
    principal: Principal,
    providerId: string,
    pending: PendingAuthorization,
    params: CallbackParams & { readonly state: string },
    onIdentity: (identity: ExternalIdentity) => void,
  ): Promise<CallbackResult> => {
    const { code, state, iss, device_id: deviceId, user } = params
    if (code === undefined) throw socialErrors.error('NO_CODE')
    const provider = providers.get(providerId)
    if (provider === undefined) throw socialErrors.error('OAUTH_PROVIDER_NOT_FOUND')
    // The code is sent only to the provider to which the authorization request was sent.
    if (pending.providerId !== providerId) throw socialErrors.error('PLEASE_RESTART_THE_PROCESS')
    const callbackURL = trusted.check(pending.callbackURL)
    if (callbackURL === undefined) throw socialErrors.error('NO_CALLBACK_URL')
    const { codeVerifier, nonce } = pending
    const { profile, tokens } = await provider.redeemCode(
      { code, state, iss, deviceId, user: jsonOf(user) },
      { codeVerifier, nonce },
    )
    const identity = { provider, profile, tokens }
    onIdentity(identity)
    if (pending.linkTo !== undefined) {
      // The user who started the link has to be still signed in.
      if (principal.kind !== 'user' || principal.user.id !== pending.linkTo || isImpersonated(principal))
        throw socialErrors.error('UNABLE_TO_LINK_ACCOUNT')
      await accounts.link(principal, identity)
      return { url: callbackURL }
    }
    const { timeZone } = pending
    const caller = timeZone === undefined ? principal : { ...principal, timeZone }
    const { outcome, isNew } = await accounts.signIn(caller, identity, pending.requestSignUp)
    const newUserURL = isNew && pending.newUserCallbackURL !== undefined ? trusted.check(pending.newUserCallbackURL) : undefined
    const target = newUserURL ?? callbackURL
    return { url: outcome.kind === 'session' ? target : withQuery('/two-factor', { callbackURL: target }), outcome }
  }

  return async (principal, providerId, input, binding) => {
    const params = shortened(input)
    const { code, error, error_description: description, state } = params
    let pending: PendingAuthorization | undefined
    let identity: ExternalIdentity | undefined
    const known = { provider: providers.has(providerId) ? providerId : null, hasBinding: binding !== undefined }
    try {
      // An error from the provider uses up the state too, because a state is valid for only one callback.
      if (state !== undefined) pending = await authorization.take(state, binding)
      if (code !== undefined && isBroken(code)) throw socialErrors.error('INVALID_CALLBACK_REQUEST')
      if (error !== undefined) {
        // Without a state of this browser, anybody may have written the error text, so it is not shown.
        const detail = pending === undefined ? {} : { error, description }
        await recordFailure(principal, pending, { ...known, code: 'REFUSED_BY_PROVIDER', detail })
        return failed(pending, error, description)
      }
      if (state === undefined) throw socialErrors.error('STATE_NOT_FOUND')
      if (pending === undefined) throw socialErrors.error('PLEASE_RESTART_THE_PROCESS')
      return await finish(principal, providerId, pending, { ...params, state }, (found) => {
        identity = found
      })
    } catch (failure) {
      if (failure instanceof AppError) {
        await recordFailure(principal, pending, { ...known, code: failure.code, identity }, failure)
        // The Better Auth client expects the error `banned` for a banned user.
        if (failure.code === 'BANNED_USER') return failed(pending, 'banned', failure.message)
        return failed(pending, failure.message.replaceAll(' ', '_'))
      }
      log.error({ err: failure, provider: providerId, requestId: principal.requestId }, 'social callback failed')
      if (pending?.linkTo === undefined) await record(principal, { ...known, code: 'INTERNAL_SERVER_ERROR', identity })
      return failed(pending, 'internal_server_error')
    }
  }
}
