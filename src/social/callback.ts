import { z } from 'zod'
import type { Caller } from '../core/caller.ts'
import { AppError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { SecurityLog } from '../core/security-log.ts'
import { plainText } from '../core/wire.ts'
import type { StartedSession } from '../sessions/index.ts'
import type { CallbackInput } from './contract.ts'
import { socialErrors } from './errors.ts'
import type { Joining } from './joining.ts'
import type { Json } from './rules/reading.ts'
import type { Flow, States } from './states.ts'
import type { Upstream } from './upstream/types.ts'

export type CallbackParams = z.output<typeof CallbackInput>

/** Where the browser goes next, with the session that was begun. */
export interface Arrived {
  readonly url: string
  readonly started?: StartedSession
}

interface Deps {
  readonly url: string
  readonly log: Log
  readonly upstreams: ReadonlyMap<string, Upstream>
  readonly states: States
  readonly joining: Joining
  readonly security: SecurityLog
  readonly trusted: { check(value: string): string | undefined }
}

const optionalText = (max: number) =>
  plainText(max)
    .transform((text) => (text === '' ? undefined : text))
    .optional()

const jsonText = plainText(4096).transform((text, context): Json => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue({ code: 'custom', message: 'not JSON' })
    return z.NEVER
  }
})

/** What an honest provider sends. */
const Honest = z.object({
  code: optionalText(4096),
  state: optionalText(512),
  error: optionalText(200),
  error_description: optionalText(1000),
  device_id: optionalText(255),
  iss: optionalText(2048),
  user: jsonText.optional(),
})

const withQuery = (url: string, values: Readonly<Record<string, string | undefined>>): string => {
  const [rest = '', ...hash] = url.split('#')
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value)
  return [`${rest}${rest.includes('?') ? '&' : '?'}${query}`, ...hash].join('#')
}

/** The callback of all providers: the order of its refusals is that of the wire behaviour, section 10. */
export const createCallback = ({ url, log, security, upstreams, states, joining, trusted }: Deps) => {
  const failed = (flow: Flow | undefined, error: string, description?: string): Arrived => {
    const own = flow?.errorCallbackURL
    const page = (own === undefined ? undefined : trusted.check(own)) ?? `${url}/error`
    return { url: withQuery(page, { error, error_description: description }) }
  }

  /** What fails at a link is a refusal to somebody who is signed in. */
  const noteFailure = (caller: Caller, provider: string, flow: Flow | undefined, code: string) => {
    const event = flow?.linkTo === undefined ? 'sign-in.failed' : 'request.refused'
    security(caller, event, { userId: flow?.linkTo ?? null, code, provider: upstreams.has(provider) ? provider : null })
  }

  const finish = async (
    caller: Caller,
    providerId: string,
    flow: Flow,
    params: z.output<typeof Honest> & { state: string },
  ): Promise<Arrived> => {
    const { code, state, iss, device_id: deviceId, user } = params
    if (code === undefined) throw socialErrors.refuse('NO_CODE')
    const upstream = upstreams.get(providerId)
    if (upstream === undefined) throw socialErrors.refuse('OAUTH_PROVIDER_NOT_FOUND')
    // A code of one provider never reaches another.
    if (flow.providerId !== providerId) throw socialErrors.refuse('PLEASE_RESTART_THE_PROCESS')
    const callbackURL = trusted.check(flow.callbackURL)
    if (callbackURL === undefined) throw socialErrors.refuse('NO_CALLBACK_URL')
    const { codeVerifier, nonce } = flow
    const { profile, tokens } = await upstream.arrive({ code, state, iss, deviceId, user }, { codeVerifier, nonce })
    const arriving = { upstream, profile, tokens }
    if (flow.linkTo !== undefined) {
      // The session that asked for the link has to be alive still.
      if (caller.kind !== 'user' || caller.user.id !== flow.linkTo) throw socialErrors.refuse('UNABLE_TO_LINK_ACCOUNT')
      await joining.link(caller, arriving)
      return { url: callbackURL }
    }
    const { started, isNew } = await joining.signIn(caller, arriving, flow.requestSignUp)
    const welcome = isNew && flow.newUserCallbackURL !== undefined ? trusted.check(flow.newUserCallbackURL) : undefined
    return { url: welcome ?? callbackURL, started }
  }

  return async (caller: Caller, providerId: string, given: CallbackParams, binding: string | undefined): Promise<Arrived> => {
    const parsed = Honest.safeParse(given)
    if (!parsed.success) return failed(undefined, 'invalid_callback_request')
    const { error, error_description: description, state } = parsed.data
    let flow: Flow | undefined
    try {
      // Used up on a refusal too: a state serves one answer.
      if (state !== undefined) flow = await states.take(state, binding)
      if (error !== undefined) {
        noteFailure(caller, providerId, flow, 'REFUSED_BY_PROVIDER')
        return failed(flow, error, description)
      }
      if (state === undefined) throw socialErrors.refuse('STATE_NOT_FOUND')
      if (flow === undefined) throw socialErrors.refuse('PLEASE_RESTART_THE_PROCESS')
      return await finish(caller, providerId, flow, { ...parsed.data, state })
    } catch (failure) {
      if (failure instanceof AppError) {
        noteFailure(caller, providerId, flow, failure.code)
        return failed(flow, failure.message.replaceAll(' ', '_'))
      }
      log.error({ err: failure, provider: providerId, requestId: caller.requestId }, 'social callback failed')
      return failed(flow, 'internal_server_error')
    }
  }
}
