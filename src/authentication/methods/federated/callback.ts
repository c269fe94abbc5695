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

/** The address for the browser, with a new session. */
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

/** Text for people: shortened, and without characters that must not reach a column or log. */
const shownText = (text: string | undefined, max: number): string | undefined =>
  text
    ?.replaceAll('\u0000', '')
    .toWellFormed()
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, '') || undefined

/** Apple's `user`. Other providers use the name differently: a value other than JSON is ignored. */
const jsonOf = (text: string | undefined): Json | undefined => {
  try {
    return text === undefined || text.length > longestUser || isBroken(text) ? undefined : (parseExactJson(text) as Json)
  } catch {
    return undefined
  }
}

const longestUser = 4_096

/**
 * A callback without surplus parameters. Unknown parameters are ignored (RFC 6749, 4.1.2), displayed ones are shortened, and none of them
 * invalidates the state, which contains the address for errors.
 */
export const shortened = ({ error, error_description: description, user, ...rest }: CallbackParams): CallbackParams => ({
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '')),
  error: shownText(error, 200),
  error_description: shownText(description, 1_000),
  user: jsonOf(user) === undefined ? undefined : user,
})

/** Completes a sign-in or link. Never throws expected errors: they become the address of an error page. */
export type HandleCallback = (
  principal: Principal,
  providerId: string,
  input: CallbackParams,
  binding: string | undefined,
) => Promise<CallbackResult>

/** The callback of all providers: the order of its errors is that of the wire behaviour, section 10. */
export const createCallback = (deps: Deps): HandleCallback => {
  const { url, log, security, providers, authorization, accounts, trusted } = deps
  const record = createFailureRecorder(deps.signInFailures, accounts)
  const failed = (pending: PendingAuthorization | undefined, error: string, description?: string): CallbackResult => {
    const errorURL = pending?.errorCallbackURL
    const page = (errorURL === undefined ? undefined : trusted.check(errorURL)) ?? `${url}/error`
    return { url: withQuery(page, { error, error_description: description }) }
  }

  /** A failed link is a refused request of a signed-in user, not a failed sign-in. */
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
    // A code never reaches another provider.
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
      // The user who started the link has to be signed in.
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
      // Also for an error from the provider: a state is for one callback.
      if (state !== undefined) pending = await authorization.take(state, binding)
      if (code !== undefined && isBroken(code)) throw socialErrors.error('INVALID_CALLBACK_REQUEST')
      if (error !== undefined) {
        // Without this browser's state, anybody may have written the text.
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
        // In the form of the Better Auth client.
        if (failure.code === 'BANNED_USER') return failed(pending, 'banned', failure.message)
        return failed(pending, failure.message.replaceAll(' ', '_'))
      }
      log.error({ err: failure, provider: providerId, requestId: principal.requestId }, 'social callback failed')
      if (pending?.linkTo === undefined) await record(principal, { ...known, code: 'INTERNAL_SERVER_ERROR', identity })
      return failed(pending, 'internal_server_error')
    }
  }
}
