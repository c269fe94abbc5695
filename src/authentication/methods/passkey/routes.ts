import type { Core } from '../../../core/core.ts'
import type { Db } from '../../../core/db/database.ts'
import { coreErrors } from '../../../core/errors.ts'
import { type Cookies, createPasskeyCookie, type SignedCookie } from '../../../http/cookies.ts'
import { bind, documented } from '../../../http/handlers.ts'
import { setOutcome, twoFactorAnswer } from '../../../http/sign-in-outcome.ts'
import type { PasskeyAuthentication } from './authentication.ts'
import { passkeyContract } from './contract.ts'
import { passkeyDocumentation } from './documentation.ts'
import { type Passkeys, shownPasskey } from './management.ts'
import type { Registration } from './registration.ts'
import type { RelyingParty } from './rules.ts'

/** The cookie that binds challenges to the browser. */
export const challengeCookieOf = ({ url, secrets }: Pick<Core, 'url' | 'secrets'>, seconds: number): SignedCookie =>
  createPasskeyCookie(url, secrets, seconds)

interface Deps {
  readonly db: Db
  readonly registration: Registration
  readonly authentication: PasskeyAuthentication
  readonly passkeys: Passkeys
  readonly party: RelyingParty
  readonly cookie: SignedCookie
  /** The lifetime of a challenge in seconds. */
  readonly seconds: number
  readonly isEnabled: boolean
  /** The URL of the page on which people add and remove passkeys. */
  readonly page: string
}

export const passkeyRoutes = (deps: Deps) => {
  const { db, registration, authentication, passkeys, party, cookie, seconds, isEnabled, page } = deps
  const browserOf = (cookies: Cookies) => ({
    pendingToken: cookies.pendingSignIn(),
    binding: cookie.decode(cookies.get(cookie.name)),
  })
  /** Sets the cookie that binds the challenge to the browser, and returns the options. */
  const answer = <T>(cookies: Cookies, { options, binding }: { readonly options: T; readonly binding: string }): T => {
    cookies.set(cookie.name, cookie.encode(binding), { maxAge: seconds })
    return options
  }
  const webOrigins = party.origins.filter((origin) => origin.startsWith('http'))

  return bind(documented(passkeyContract, passkeyDocumentation), {
    generateRegisterOptions: async (principal, { query, cookies }) =>
      answer(cookies, await registration.options(principal, browserOf(cookies), query)),
    verifyRegistration: async (principal, { body, cookies }) => {
      const { passkey, user, outcome } = await registration.verify(principal, browserOf(cookies), body.response, body.name)
      if (outcome !== undefined) setOutcome(cookies, outcome)
      return { ...shownPasskey(passkey), ...(outcome?.kind === 'session' ? { session: outcome.started.session, user } : {}) }
    },
    generateAuthenticateOptions: async (principal, { query, cookies }) =>
      answer(cookies, await authentication.options(principal, browserOf(cookies), query.anyone === 'true')),
    generateAuthenticateOptionsByPost: async (principal, { cookies }) =>
      answer(cookies, await authentication.options(principal, browserOf(cookies), false)),
    verifyAuthentication: async (principal, { body, cookies }) => {
      const { response, ...choices } = body
      const { user, outcome } = await authentication.verify(principal, browserOf(cookies), response, choices)
      setOutcome(cookies, outcome)
      return outcome.kind === 'pending' ? twoFactorAnswer(outcome.pending) : { session: outcome.started.session, user }
    },
    listUserPasskeys: async (principal) => [...(await passkeys.list(db, principal.user.id))],
    updatePasskey: async (principal, { body }) => ({ passkey: await passkeys.rename(principal, body.id, body.name) }),
    deletePasskey: async (principal, { body }) => {
      await passkeys.remove(principal, body.id)
      return { status: true }
    },
    relatedOrigins: () => {
      // With only one origin, there are no related origins to publish.
      if (webOrigins.length < 2) throw coreErrors.error('NOT_FOUND')
      return { origins: webOrigins }
    },
    endpoints: () => {
      if (!isEnabled) throw coreErrors.error('NOT_FOUND')
      return { enroll: page, manage: page }
    },
  })
}
