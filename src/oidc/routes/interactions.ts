import type { SignInFailures } from '../../authentication/failures/index.ts'
import type { Secrets } from '../../core/crypto.ts'
import { AppError } from '../../core/errors.ts'
import { Redirect } from '../../http/contract.ts'
import { type Cookies, createSignedCookie, formatCookie, parseCookies } from '../../http/cookies.ts'
import { bind, documented } from '../../http/handlers.ts'
import { logoOf } from '../clients/application.ts'
import type { Clients } from '../clients/service.ts'
import { applicationDocumentation, oidcContract, oidcErrors } from '../contract.ts'
import { errorPage } from '../engine/responses.ts'
import type { Interactions } from '../interactions/service.ts'
import type { SignOutQuestions } from './end-session.ts'

/** Binds each interaction to the browser that started it. Other browsers cannot see or answer the interaction. */
export interface BrowserBinding {
  /**
   * Returns a Set-Cookie line that adds an interaction to the interactions in the Cookie header. `color` is the colour of the application
   * (`#rrggbb`).
   */
  add(cookieHeader: string | undefined, uid: string, color: string | null): string
  /** Binds another id, for example of a confirmed device, to this browser. */
  set(cookies: Cookies, cookieHeader: string | undefined, uid: string): void
  /** The ids in the value of the cookie. The newest comes first. The list is empty if the signature is wrong. */
  read(value: string | undefined): readonly string[]
  /** The ids in the cookie of a Cookie header. The newest comes first. */
  readHeader(cookieHeader: string | undefined): readonly string[]
  /** The colour of an interaction that is bound to this browser. */
  colorOf(cookieHeader: string | undefined, uid: string): string | undefined
  readonly cookieName: string
}

/** The largest number of interactions in the cookie. Nobody signs in with more tabs at the same time. */
const maxInteractions = 8

/**
 * Makes and reads a signed cookie of the form `uid~uid!color.signature`, with a short lifetime. The cookie contains the colour of the
 * application, so that pages need not read it from the database.
 */
export const createBrowserBinding = (publicUrl: string, secrets: Secrets, ttlSeconds: number): BrowserBinding => {
  const cookie = createSignedCookie(publicUrl, secrets, {
    suffix: 'interaction',
    label: 'interaction:',
    purpose: 'provider-cookies',
    lifeSeconds: ttlSeconds,
    maxLength: 1024,
  })
  const entriesOf = (value: string | undefined): readonly string[] => cookie.decode(value)?.split('~') ?? []
  const uidOf = (entry: string) => entry.split('!', 1)[0] ?? ''
  const entriesIn = (cookieHeader: string | undefined) => entriesOf(parseCookies(cookieHeader).get(cookie.name))
  const withEntry = (cookieHeader: string | undefined, uid: string, color: string | null) => {
    const others = entriesIn(cookieHeader).filter((other) => uidOf(other) !== uid)
    return [color === null ? uid : `${uid}!${color.slice(1)}`, ...others].slice(0, maxInteractions).join('~')
  }
  return {
    cookieName: cookie.name,
    read: (value) => entriesOf(value).map(uidOf),
    readHeader: (cookieHeader) => entriesIn(cookieHeader).map(uidOf),
    colorOf: (cookieHeader, uid) => {
      const color = entriesIn(cookieHeader)
        .find((entry) => uidOf(entry) === uid)
        ?.split('!')[1]
      return color === undefined ? undefined : `#${color}`
    },
    add: (cookieHeader, uid, color) =>
      formatCookie(cookie.name, cookie.encode(withEntry(cookieHeader, uid, color)), cookie.secure, { maxAge: ttlSeconds }),
    set: (cookies, cookieHeader, uid) =>
      cookies.set(cookie.name, cookie.encode(withEntry(cookieHeader, uid, null)), { maxAge: ttlSeconds }),
  }
}

interface Deps {
  readonly interactions: Interactions
  readonly signOutQuestions: SignOutQuestions
  readonly clients: Clients
  readonly binding: BrowserBinding
  readonly url: string
  /** Undefined if failed attempts are not stored. */
  readonly signInFailures?: SignInFailures
}

/** The JSON calls of the hosted pages, and the call that returns details of a client. */
export const oidcRoutes = ({ interactions, signOutQuestions, clients, binding, url, signInFailures }: Deps) => {
  const startedHere = (cookies: Cookies) => binding.read(cookies.get(binding.cookieName))
  /** Returns the id of the interaction that a page shows. Throws INTERACTION_NOT_FOUND in a browser that did not start it. */
  const requireStartedHere = (cookies: Cookies, uid: string): string => {
    if (!startedHere(cookies).includes(uid)) throw oidcErrors.error('INTERACTION_NOT_FOUND')
    return uid
  }

  return bind(documented(oidcContract, applicationDocumentation), {
    interaction: (principal, { params, cookies }) => interactions.details(principal, requireStartedHere(cookies, params.uid)),
    resume: async (principal, { params, cookies }) => {
      try {
        return new Redirect(await interactions.resume(principal, requireStartedHere(cookies, params.uid)))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const userId = principal.kind === 'user' ? principal.user.id : undefined
        const failure = { method: 'application', reason: 'interaction-expired', code: error.code, userId } as const
        signInFailures?.record(principal, failure, error)
        const description =
          'This sign-in has expired or belongs to another browser. Go back to the application and sign in again.'
        return new Redirect(errorPage(error.code.toLowerCase(), description, { request_id: principal.requestId }))
      }
    },
    consent: async (principal, { body, cookies }) => {
      const uid = body.interaction ?? startedHere(cookies)[0] ?? ''
      if (!startedHere(cookies).includes(uid)) throw oidcErrors.error('NO_CONSENT_PROMPT_FOUND')
      return { redirectURI: url + (await interactions.decide(principal, uid, body)) }
    },
    selectAccount: async (principal, { body, cookies }) => ({
      redirectURI: url + (await interactions.selectAccount(principal, requireStartedHere(cookies, body.interaction))),
    }),
    chooseOrganization: async (principal, { body, cookies }) => {
      const uid = requireStartedHere(cookies, body.interaction ?? startedHere(cookies)[0] ?? '')
      return { redirectURI: url + (await interactions.choose(principal, uid, body.organizationId)) }
    },
    declineStepUp: async (principal, { body, cookies }) => ({
      redirectURI: url + (await interactions.declineStepUp(principal, requireStartedHere(cookies, body.interaction))),
    }),
    cancelSignIn: async (_principal, { body, cookies }) => ({
      redirectURI: url + (await interactions.cancel(requireStartedHere(cookies, body.interaction))),
    }),
    signOutQuestion: (principal, { query }) => signOutQuestions.read(principal, query.question),
    confirmSignOut: async (principal, { body, cookies }) => {
      const redirectURI = await signOutQuestions.confirm(principal, body.question)
      cookies.endSession()
      return { redirectURI }
    },
    client: async (_principal, { params }) => {
      const client = await clients.find(params.id)
      if (client === undefined) throw oidcErrors.error('CLIENT_NOT_FOUND')
      return { clientId: client.clientId, name: client.name, icon: logoOf(client, url) ?? client.icon }
    },
  })
}
