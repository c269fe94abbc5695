import type { z } from 'zod'
import type { Identities, TakeOver } from '../accounts/index.ts'
import type { Caller, UserCaller } from '../core/caller.ts'
import type { Clock } from '../core/clock.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Db, Transact } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import { AppError } from '../core/errors.ts'
import type { Outbound } from '../core/fetch.ts'
import type { Log } from '../core/log.ts'
import type { SecurityLog } from '../core/security-log.ts'
import type { Sessions } from '../sessions/index.ts'
import type { Users } from '../users/index.ts'
import { type Arrived, type CallbackParams, createCallback } from './callback.ts'
import type { SocialConfig } from './config.ts'
import type { LinkSocial, SignInSocial } from './contract.ts'
import { noUserInfo, socialErrors } from './errors.ts'
import { tokensToKeep } from './given-tokens.ts'
import { type Arriving, createJoining, type Joined } from './joining.ts'
import { createProviderTokens, type ProviderTokensService } from './provider-tokens.ts'
import { createSpendIdToken } from './spent-tokens.ts'
import { createStates } from './states.ts'
import { createUpstreams } from './upstream/create.ts'
import type { Upstream } from './upstream/types.ts'

type SignInInput = z.output<typeof SignInSocial>
type LinkInput = z.output<typeof LinkSocial>
type IdTokenInput = NonNullable<SignInInput['idToken']>

/** Where to send the browser, and what its cookie must hold until it is back. */
export interface Departure {
  readonly url: string
  readonly binding: string
}

export interface SocialProvider {
  readonly id: string
  readonly name: string
}

export interface Social {
  /** The providers that are switched on, as configured. */
  listProviders(): readonly SocialProvider[]
  /** Begins at the provider. `binding` is what the browser's cookie holds already. */
  depart(input: SignInInput, binding: string | undefined): Promise<Departure>
  departToLink(caller: UserCaller, input: LinkInput, binding: string | undefined): Promise<Departure>
  /** Signs in with an ID token, once. */
  signInWithToken(caller: Caller, input: SignInInput, idToken: IdTokenInput): Promise<Joined>
  /** Links the account that an ID token vouches for; the token is used up. Throws INVALID_TOKEN for one that was used before. */
  linkWithToken(caller: UserCaller, input: LinkInput, idToken: IdTokenInput): Promise<void>
  /** The end of the journey; never throws an expected refusal: that becomes the address of an error page. */
  arrive(caller: Caller, providerId: string, params: CallbackParams, binding: string | undefined): Promise<Arrived>
  readonly tokens: ProviderTokensService
}

export interface SocialDeps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly secrets: Secrets
  readonly log: Log
  readonly security: SecurityLog
  readonly outbound: Outbound
  readonly users: Users
  readonly sessions: Sessions
  readonly identities: Identities
  readonly takeOver: TakeOver
  readonly url: string
  readonly social: SocialConfig
  readonly allowHttp: boolean
  readonly signUpEnabled: boolean
  /** The address re-serialised, or undefined when it is not trusted. */
  readonly trusted: { check(value: string): string | undefined }
}

/** The codes of the callback as the calls that answer with JSON name them. */
const asAnswer: Readonly<Record<string, () => AppError>> = {
  EMAIL_NOT_FOUND: () => socialErrors.refuse('USER_EMAIL_NOT_FOUND'),
  UNABLE_TO_GET_USER_INFO: () => noUserInfo(401),
  ACCOUNT_ALREADY_LINKED_TO_DIFFERENT_USER: () => socialErrors.refuse('SOCIAL_ACCOUNT_ALREADY_LINKED'),
  EMAIL_DOESNT_MATCH: () => socialErrors.refuse('ACCOUNT_NOT_LINKED__DIFFERENT_EMAILS_NOT_ALLOWED'),
  UNABLE_TO_LINK_ACCOUNT: () => socialErrors.refuse('ACCOUNT_NOT_LINKED__LINKING_NOT_ALLOWED'),
}

const answering = async <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof AppError ? (asAnswer[error.code]?.() ?? error) : error
  })

export const createSocial = (deps: SocialDeps): Social => {
  const { transact, entropy, social: config, url } = deps
  const upstreams = createUpstreams(config, url, deps)
  const states = createStates({ ...deps, ttlSeconds: config.stateTtlSeconds })
  const joining = createJoining({ ...deps, config })
  const spendIdToken = createSpendIdToken(deps.clock)
  const callback = createCallback({ ...deps, upstreams, states, joining })

  const upstreamOf = (id: string): Upstream => {
    const upstream = upstreams.get(id)
    if (upstream === undefined) throw socialErrors.refuse('PROVIDER_NOT_FOUND')
    return upstream
  }

  const leave = async (input: LinkInput & SignInInput, binding = entropy.token(32), linkTo?: string): Promise<Departure> => {
    const upstream = upstreamOf(input.provider)
    const { callbackURL = url, newUserCallbackURL, errorCallbackURL, requestSignUp = false } = input
    const secrets = { codeVerifier: entropy.token(128), nonce: entropy.token(32) }
    const { state, insert } = states.prepare(
      {
        ...secrets,
        ...{ providerId: upstream.id, callbackURL, requestSignUp },
        ...(newUserCallbackURL === undefined ? {} : { newUserCallbackURL }),
        ...(errorCallbackURL === undefined ? {} : { errorCallbackURL }),
        ...(linkTo === undefined ? {} : { linkTo }),
      },
      binding,
    )
    const { scopes = [], loginHint } = input
    const address = await upstream.authorizationUrl({ ...secrets, state, scopes, loginHint })
    await transact(insert)
    return { url: address, binding }
  }

  /** The person an ID token vouches for, who uses it up by signing in or linking. */
  const fromIdToken = async (input: SignInInput | LinkInput, idToken: IdTokenInput): Promise<Arriving> => {
    const upstream = upstreamOf(input.provider)
    const { token, nonce } = idToken
    if (upstream.fromIdToken === undefined) throw socialErrors.refuse('ID_TOKEN_NOT_SUPPORTED')
    const person = await answering(upstream.fromIdToken(token, nonce))
    const tokens = await tokensToKeep(upstream, person, idToken, input.scopes ?? [])
    return { upstream, profile: person.profile, tokens, spend: (tx) => spendIdToken(tx, token) }
  }

  return {
    listProviders: () => [...upstreams.values()].map(({ id, name }) => ({ id, name })),
    depart: (input, binding) => leave(input, binding),
    departToLink: (caller, input, binding) => leave(input, binding, caller.user.id),
    signInWithToken: async (caller, input, idToken) => {
      const arriving = await fromIdToken(input, idToken)
      const signingIn = answering(joining.signIn(caller, arriving, input.requestSignUp ?? false))
      return signingIn.catch((error: unknown) => {
        const provider = arriving.upstream.id
        if (error instanceof AppError) deps.security(caller, 'sign-in.failed', { userId: null, code: error.code, provider })
        throw error
      })
    },
    linkWithToken: async (caller, input, idToken) => {
      const arriving = await fromIdToken(input, idToken)
      await answering(joining.link(caller, arriving))
    },
    arrive: callback,
    tokens: createProviderTokens({ ...deps, upstreams }),
  }
}
