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

/** The address to which the browser is sent, and the outcome of the sign-in. */
export interface CallbackResult {
  readonly url: string
  readonly outcome?: Outcome
}

interface Deps extends Pick<Core, 'url' | 'log' | 'security'> {
  readonly providers: ReadonlyMap<string, IdentityProvider>
  readonly authorization: Authorization
  readonly accounts: FederatedAccounts
  readonly trusted: { check(value: string): string | undefined }
  /** Undefined where failed attempts are not stored. */
  readonly signInFailures?: SignInFailures
}

/** Prepares text for display. Removes characters that a column or log must not contain, and shortens it to `max`. */
const shownText = (text: string | undefined, max: number): string | undefined =>
  text
    ?.replaceAll('\u0000', '')
    .toWellFormed()
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, '') || undefined

/** Reads Apple's parameter `user`. Other providers give this name another meaning, so a value that is not JSON is ignored. */
const jsonOf = (text: string | undefined): Json | undefined => {
  try {
    return text === undefined || text.length > longestUser || isBroken(text) ? undefined : (parseExactJson(text) as Json)
  } catch {
    return undefined
  }
}

const longestUser = 4_096

/**
 * Keeps the parameters of a callback that are needed. Unknown parameters are ignored (RFC 6749, section 4.1.2) and displayed ones are
 * shortened. No parameter invalidates the state, because the state contains the address for errors.
 */
export const shortened = ({ error, error_description: description, user, ...rest }: CallbackParams): CallbackParams => ({
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '')),
  error: shownText(error, 200),
  error_description: shownText(description, 1_000),
  user: jsonOf(user) === undefined ? undefined : user,
})

/** Completes a sign-in or a link. Expected errors are not thrown: they are part of the address of an error page. */
export type HandleCallback = (
  principal: Principal,
  providerId: string,
  input: CallbackParams,
  binding: string | undefined,
) => Promise<CallbackResult>

/** The callback of all providers. The wire behaviour, section 10, prescribes the order of its errors. */
export const createCallback = (deps: Deps): HandleCallback => {
  const { url, log, security, providers, authorization, accounts, trusted } = deps
  const record = createFailureRecorder(deps.signInFailures, accounts)
  const failed = (pending: PendingAuthorization | undefined, error: string, description?: string): CallbackResult => {
    const errorURL = pending?.errorCallbackURL
    const page = (errorURL === undefined ? undefined : trusted.check(errorURL)) ?? `${url}/error`
    return { url: withQuery(page, { error, error_description: description }) }
  }

  /** A failed link is recorded as a refused request of the signed-in user, and not as a failed sign-in. */
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
    // The code is only sent to the provider that the request was for.
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
      // The user who started the link has to be signed in now.
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
      // An error from the provider consumes the state too, because a state is valid for a single callback.
      if (state !== undefined) pending = await authorization.take(state, binding)
      if (code !== undefined && isBroken(code)) throw socialErrors.error('INVALID_CALLBACK_REQUEST')
      if (error !== undefined) {
        // Without a state of this browser, anybody may have written the text.
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
        // The Better Auth client expects a ban in this form.
        if (failure.code === 'BANNED_USER') return failed(pending, 'banned', failure.message)
        return failed(pending, failure.message.replaceAll(' ', '_'))
      }
      log.error({ err: failure, provider: providerId, requestId: principal.requestId }, 'social callback failed')
      if (pending?.linkTo === undefined) await record(principal, { ...known, code: 'INTERNAL_SERVER_ERROR', identity })
      return failed(pending, 'internal_server_error')
    }
  }
}
