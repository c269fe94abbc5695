import { z } from 'zod'
import { isImpersonated, type Principal } from '../../../access/principal.ts'
import type { Core } from '../../../core/core.ts'
import { AppError } from '../../../core/errors.ts'
import { parseExactJson } from '../../../core/exact-json.ts'
import { withQuery } from '../../../core/web.ts'
import { plainText } from '../../../core/wire.ts'
import type { Outcome } from '../../attempts/index.ts'
import type { SignInFailures } from '../../failures/index.ts'
import type { ExternalIdentity, FederatedAccounts } from './accounts.ts'
import type { Authorization, PendingAuthorization } from './authorization.ts'
import type { CallbackInput } from './contract.ts'
import { socialErrors } from './errors.ts'
import { createFailureRecorder, type FederatedFailure } from './failures.ts'
import type { IdentityProvider } from './providers/provider.ts'
import type { Json } from './rules/json.ts'

export type CallbackParams = z.output<typeof CallbackInput>

/** Where the browser goes next, with the session that was started. */
export interface CallbackResult {
  readonly url: string
  readonly outcome?: Outcome
}

interface Deps extends Pick<Core, 'url' | 'log' | 'security'> {
  readonly providers: ReadonlyMap<string, IdentityProvider>
  readonly authorization: Authorization
  readonly accounts: FederatedAccounts
  readonly trusted: { check(value: string): string | undefined }
  /** Undefined where failed attempts are not kept. */
  readonly signInFailures?: SignInFailures
}

const optionalText = (max: number) =>
  plainText(max)
    .transform((text) => (text === '' ? undefined : text))
    .optional()

const jsonText = plainText(4096).transform((text, context): Json => {
  try {
    return parseExactJson(text)
  } catch {
    context.addIssue({ code: 'custom', message: 'not JSON' })
    return z.NEVER
  }
})

/** The form of a callback's parameters; a provider sends no others. */
const CallbackParameters = z.object({
  code: optionalText(4096),
  state: optionalText(512),
  error: optionalText(200),
  error_description: optionalText(1000),
  device_id: optionalText(255),
  iss: optionalText(2048),
  user: jsonText.optional(),
})

/** Ends a sign-in or a link. Never throws an expected error: it becomes the address of an error page. */
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
    params: z.output<typeof CallbackParameters> & { state: string },
    onIdentity: (identity: ExternalIdentity) => void,
  ): Promise<CallbackResult> => {
    const { code, state, iss, device_id: deviceId, user } = params
    if (code === undefined) throw socialErrors.error('NO_CODE')
    const provider = providers.get(providerId)
    if (provider === undefined) throw socialErrors.error('OAUTH_PROVIDER_NOT_FOUND')
    // A code of one provider never reaches another.
    if (pending.providerId !== providerId) throw socialErrors.error('PLEASE_RESTART_THE_PROCESS')
    const callbackURL = trusted.check(pending.callbackURL)
    if (callbackURL === undefined) throw socialErrors.error('NO_CALLBACK_URL')
    const { codeVerifier, nonce } = pending
    const { profile, tokens } = await provider.redeemCode({ code, state, iss, deviceId, user }, { codeVerifier, nonce })
    const identity = { provider, profile, tokens }
    onIdentity(identity)
    if (pending.linkTo !== undefined) {
      // The user who started the link must be signed in.
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
    const parsed = CallbackParameters.safeParse(input)
    if (!parsed.success) return failed(undefined, 'invalid_callback_request')
    const { error, error_description: description, state } = parsed.data
    let pending: PendingAuthorization | undefined
    let identity: ExternalIdentity | undefined
    const known = { provider: providers.has(providerId) ? providerId : null, hasBinding: binding !== undefined }
    try {
      // Also when the provider reports an error: a state serves one callback.
      if (state !== undefined) pending = await authorization.take(state, binding)
      if (error !== undefined) {
        // Without a state that this browser has been given, anybody may have written the text.
        const detail = pending === undefined ? {} : { error, description }
        await recordFailure(principal, pending, { ...known, code: 'REFUSED_BY_PROVIDER', detail })
        return failed(pending, error, description)
      }
      if (state === undefined) throw socialErrors.error('STATE_NOT_FOUND')
      if (pending === undefined) throw socialErrors.error('PLEASE_RESTART_THE_PROCESS')
      return await finish(principal, providerId, pending, { ...parsed.data, state }, (found) => {
        identity = found
      })
    } catch (failure) {
      if (failure instanceof AppError) {
        await recordFailure(principal, pending, { ...known, code: failure.code, identity }, failure)
        // As the Better Auth client reads it.
        if (failure.code === 'BANNED_USER') return failed(pending, 'banned', failure.message)
        return failed(pending, failure.message.replaceAll(' ', '_'))
      }
      log.error({ err: failure, provider: providerId, requestId: principal.requestId }, 'social callback failed')
      if (pending?.linkTo === undefined) await record(principal, { ...known, code: 'INTERNAL_SERVER_ERROR', identity })
      return failed(pending, 'internal_server_error')
    }
  }
}
