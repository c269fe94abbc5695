import { z } from 'zod'
import type { Principal, UserPrincipal } from '../../../access/principal.ts'
import type { RequireProof } from '../../../access/proof.ts'
import type { Core } from '../../../core/core.ts'
import { isSealed, sha256, WrongSecretError } from '../../../core/crypto.ts'
import type { LinkSocial, SignInSocial } from './contract.ts'
import { socialErrors } from './contract.ts'
import type { IdentityProvider } from './providers/provider.ts'
import * as store from './store.ts'

type SignInInput = z.output<typeof SignInSocial>
type LinkInput = z.output<typeof LinkSocial>

const PendingAuthorization = z.object({
  providerId: z.string(),
  codeVerifier: z.string(),
  nonce: z.string(),
  callbackURL: z.string(),
  newUserCallbackURL: z.string().optional(),
  errorCallbackURL: z.string().optional(),
  requestSignUp: z.boolean(),
  /** The id of the user to whom the account will be linked; undefined for a sign-in. */
  linkTo: z.string().optional(),
  /** The time zone of the browser. It is stored here, because the browser does not send it when it returns from the provider. */
  timeZone: z.string().optional(),
})

/** The data of an authorization request that are stored until the browser returns from the provider. */
export type PendingAuthorization = z.output<typeof PendingAuthorization>

/** The URL to which the browser is sent, and the value of the cookie that binds the request to the browser. */
export interface StartedAuthorization {
  readonly url: string
  readonly binding: string
}

/** Makes authorization requests to identity providers, stores each under its state, and finds it again when the browser returns. */
export interface Authorization {
  /** Starts a sign-in. `binding` is the present value of the browser's cookie. Throws PROVIDER_NOT_FOUND or SERVICE_UNAVAILABLE. */
  startSignIn(principal: Principal, input: SignInInput, binding: string | undefined): Promise<StartedAuthorization>
  /** Starts linking an account to the signed-in user. Throws the errors of `startSignIn` and `RequireProof`. */
  startLinking(principal: UserPrincipal, input: LinkInput, binding: string | undefined): Promise<StartedAuthorization>
  /** Uses up a state and returns its data. If the state is expired, unknown or from another browser, returns undefined and uses up nothing. */
  take(state: string, binding: string | undefined): Promise<PendingAuthorization | undefined>
}

interface Deps extends Pick<Core, 'transact' | 'clock' | 'random' | 'secrets' | 'url'> {
  readonly ttlSeconds: number
  readonly providers: ReadonlyMap<string, IdentityProvider>
  readonly requireProof: RequireProof
}

export const requireProvider = (providers: ReadonlyMap<string, IdentityProvider>, id: string): IdentityProvider => {
  const provider = providers.get(id)
  if (provider === undefined) throw socialErrors.error('PROVIDER_NOT_FOUND')
  return provider
}

/**
 * A state is a row of the table `verification`. It is found by a hash of state and cookie, and its data are sealed
 * (docs/design/sign-in.md#providers).
 */
export const createAuthorization = ({
  transact,
  clock,
  random,
  secrets: keys,
  url,
  ttlSeconds,
  providers,
  requireProof,
}: Deps): Authorization => {
  const identifierOf = (state: string, binding: string) => `${store.statePrefix}${sha256(`${sha256(state)}.${sha256(binding)}`)}`

  const start = async (
    input: LinkInput & SignInInput,
    binding = random.token(32),
    { linkTo, timeZone }: Pick<PendingAuthorization, 'linkTo' | 'timeZone'>,
  ) => {
    const provider = requireProvider(providers, input.provider)
    const { callbackURL = url, newUserCallbackURL, errorCallbackURL, requestSignUp = false, scopes = [], loginHint } = input
    const secrets = { codeVerifier: random.token(128), nonce: random.token(32) }
    const pending: PendingAuthorization = {
      ...secrets,
      ...{ providerId: provider.id, callbackURL, requestSignUp },
      ...(newUserCallbackURL === undefined ? {} : { newUserCallbackURL }),
      ...(errorCallbackURL === undefined ? {} : { errorCallbackURL }),
      ...(linkTo === undefined ? {} : { linkTo }),
      ...(timeZone === undefined ? {} : { timeZone }),
    }
    const [state, id, now] = [random.token(32), random.id(), clock.now()]
    const row = {
      id,
      identifier: identifierOf(state, binding),
      value: keys.seal(JSON.stringify(pending), store.contextOf(id)),
      expiresAt: clock.after(ttlSeconds),
      createdAt: now,
      updatedAt: now,
    }
    const address = await provider.authorizationUrl({ ...secrets, state, scopes, loginHint })
    await transact((tx) => store.insertState(tx, row))
    return { url: address, binding }
  }

  return {
    startSignIn: ({ timeZone }, input, binding) => start(input, binding, { timeZone }),
    startLinking: async (principal, input, binding) => {
      await requireProof(principal, 'link-account')
      return start(input, binding, { linkTo: principal.user.id })
    },
    take: async (state, binding) => {
      if (binding === undefined) return undefined
      const row = await transact((tx) => store.takeState(tx, identifierOf(state, binding), clock.now()))
      if (row === undefined) return undefined
      const context = store.contextOf(row.id)
      if (!isSealed(row.value)) throw new WrongSecretError(context)
      return PendingAuthorization.parse(JSON.parse(keys.open(row.value, context)))
    },
  }
}
