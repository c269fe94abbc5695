import { compactVerify, createLocalJWKSet, decodeJwt, type JWK } from 'jose'
import type { z } from 'zod'
import type { Principal, UserPrincipal } from '../../access/principal.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { Core } from '../../core/core.ts'
import { withQuery } from '../../core/web.ts'
import { readForm } from '../../http/body.ts'
import { formatCookie, type SignedCookie } from '../../http/cookies.ts'
import type { Mount } from '../../http/server.ts'
import type { Client, Clients } from '../clients/service.ts'
import type { ReturnProblem, SignOutQuestion } from '../contract.ts'
import { oidcErrors } from '../contract.ts'
import { endpoints } from '../engine/documents.ts'
import type { CurrentProvider } from '../engine/manager.ts'
import { redirect, redirectToErrorPage, repeatByGet, searchOf } from '../engine/responses.ts'
import type { Subjects } from '../subjects/service.ts'

interface Deps extends Pick<Core, 'url' | 'clock' | 'secrets' | 'transact'> {
  readonly clients: Clients
  readonly sessions: Sessions
  readonly sessionCookie: SignedCookie
  readonly subjects: Subjects
}

type Request = Parameters<Mount['handle']>[0]
type Response = Parameters<Mount['handle']>[1]

const confirmSeconds = 600

/**
 * What the sealed token of the sign-out page contains: the session, the URL to which the browser goes afterwards, and the data that the
 * page shows.
 */
interface Question {
  readonly sessionId: string
  readonly target: string
  readonly until: number
  readonly shown: z.output<typeof SignOutQuestion>
}

/** Shows the page that asks a person whether to sign out, and handles the person's answer. */
export interface SignOutQuestions {
  /** The data that the page shows. Throws INTERACTION_NOT_FOUND if the token has expired or is for another session. */
  read(principal: Principal, token: string): z.output<typeof SignOutQuestion>
  /** Ends the session if it still exists. Returns the URL to which the browser goes. Throws INTERACTION_NOT_FOUND as `read` does. */
  confirm(principal: Principal, token: string): Promise<string>
}

/**
 * Errors for a browser that has no session. If the browser has a session, the person can sign out in spite of the problem, but does not
 * return to the application.
 */
const errorDescriptions: Readonly<Record<ReturnProblem, string>> = {
  unidentified: 'post_logout_redirect_uri needs id_token_hint or client_id beside it, to say which application asks',
  unregistered: 'post_logout_redirect_uri is not registered for this client',
  invalidHint: 'id_token_hint is not an ID token of this server',
}

/** Reads the parameters of a query or form. Undefined if a parameter is repeated. */
const readParams = async (req: Request): Promise<ReadonlyMap<string, string> | undefined> => {
  const pairs = [...(req.method === 'POST' ? await readForm(req) : new URLSearchParams(searchOf(req.url)))]
  return new Set(pairs.map(([name]) => name)).size === pairs.length ? new Map(pairs) : undefined
}

/** Adds the `state` of the request to the URL of the application. */
const addState = (address: string, state: string | undefined): string => {
  const url = new URL(address)
  if (state !== undefined) url.searchParams.set('state', state)
  return url.href
}

interface Hint {
  readonly client: Client
  /** The claim `sub` of the token. */
  readonly subject: string
}

/**
 * The client and the user of an ID token that this server has issued; undefined for every other token. An expired ID token is accepted
 * too (OpenID Connect RP-Initiated Logout 1.0, section 2).
 */
const readIdTokenHint = async (
  hint: string,
  { issuer, keys, clients }: { readonly issuer: string; readonly keys: readonly JWK[]; readonly clients: Clients },
): Promise<Hint | undefined> => {
  try {
    const { aud, sub, iss, events } = decodeJwt(hint)
    // A logout token has a valid signature too, but is no ID token (OpenID Connect Back-Channel Logout 1.0, section 2.4).
    if (events !== undefined) return undefined
    const client = typeof aud === 'string' ? await clients.find(aud) : undefined
    if (client === undefined || sub === undefined || iss !== issuer) return undefined
    const options = { algorithms: [client.idTokenAlg] }
    if (client.idTokenAlg === 'HS256')
      await Promise.any(
        client.secrets.flatMap(({ plain }) => (plain === undefined ? [] : [compactVerify(hint, Buffer.from(plain), options)])),
      )
    else await compactVerify(hint, createLocalJWKSet({ keys: [...keys] }), options)
    return { client, subject: sub }
  } catch {
    return undefined
  }
}

/** Signs people out at the request of an application (OpenID Connect RP-Initiated Logout 1.0). */
export const createEndSession = ({ url, clock, secrets, transact, clients, sessions, sessionCookie, subjects }: Deps) => {
  const label = (value: string) => `end-session:${value}`
  const seal = (question: Question) => {
    const body = Buffer.from(JSON.stringify(question)).toString('base64url')
    return `${body}.${secrets.sign('provider-cookies', label(body))}`
  }
  const unseal = (token: string): Question | undefined => {
    const at = token.indexOf('.')
    const body = token.slice(0, Math.max(at, 0))
    if (!secrets.isSigned('provider-cookies', label(body), token.slice(at + 1), confirmSeconds)) return undefined
    const question = JSON.parse(Buffer.from(body, 'base64url').toString()) as Question
    return question.until > clock.now().getTime() ? question : undefined
  }
  const end = async (res: Response, principal: UserPrincipal, target: string) => {
    await transact((tx) => sessions.end(tx, principal, principal.session))
    res.appendHeader('Set-Cookie', formatCookie(sessionCookie.name, '', sessionCookie.secure, { maxAge: 0 }))
    redirect(res, target)
  }

  const start = async (req: Request, res: Response, engine: CurrentProvider, signedIn: UserPrincipal | undefined) => {
    const params = await readParams(req)
    if (params === undefined) return redirectToErrorPage(res, 'a parameter is given more than once')
    if (req.method === 'POST' && signedIn === undefined)
      return repeatByGet(res, endpoints.end_session, new URLSearchParams([...params]))
    const idToken = params.get('id_token_hint')
    const hint =
      idToken === undefined ? undefined : await readIdTokenHint(idToken, { issuer: url, keys: engine.publicKeys, clients })
    const clientId = params.get('client_id')
    if (hint !== undefined && clientId !== undefined && clientId !== hint.client.clientId)
      return redirectToErrorPage(res, 'client_id and id_token_hint name different clients')
    const client = hint?.client ?? (clientId === undefined ? undefined : await clients.find(clientId))
    const wanted = params.get('post_logout_redirect_uri')
    // The browser never returns to a disabled application, because the application may have been disabled after another person took
    // control of its URL.
    const isHintInvalid = idToken !== undefined && hint === undefined
    const isRegistered = wanted !== undefined && client?.disabled === false && client.postLogoutRedirectUrls.includes(wanted)
    const isNamed = hint !== undefined || clientId !== undefined
    const addressProblem = wanted === undefined || isRegistered ? undefined : isNamed ? 'unregistered' : 'unidentified'
    const returnProblem: ReturnProblem | undefined = isHintInvalid ? 'invalidHint' : addressProblem
    if (signedIn === undefined && returnProblem !== undefined) return redirectToErrorPage(res, errorDescriptions[returnProblem])
    const language = params.get('ui_locales')?.slice(0, 100)
    const state = params.get('state')
    const target =
      wanted === undefined || returnProblem !== undefined
        ? withQuery('/sign-out', { done: '1', ui_locales: language })
        : addState(wanted, state)
    if (signedIn === undefined) return redirect(res, target)
    const isOwn = hint !== undefined && hint.subject === (await subjects.of(hint.client, signedIn.user.id))
    if (isOwn && returnProblem === undefined) return end(res, signedIn, target)
    // The request does not prove that the user wants to sign out, because any site can link to this URL. The person therefore has to
    // confirm.
    const until = clock.now().getTime() + confirmSeconds * 1000
    const shown = { client: client?.name ?? null, returnProblem: returnProblem ?? null }
    const question = seal({ sessionId: signedIn.session.id, target, until, shown })
    return redirect(res, withQuery('/sign-out', { question, ui_locales: language }))
  }

  /** Opens the token of a page. `user` is undefined for a person who has signed out already. */
  const open = (
    principal: Principal,
    token: string,
  ): { readonly question: Question; readonly user: UserPrincipal | undefined } => {
    const question = unseal(token)
    const user = principal.kind === 'user' ? principal : undefined
    if (question === undefined || (user !== undefined && user.session.id !== question.sessionId))
      throw oidcErrors.error('INTERACTION_NOT_FOUND')
    return { question, user }
  }

  const questions: SignOutQuestions = {
    read: (principal, token) => open(principal, token).question.shown,
    confirm: async (principal, token) => {
      const { question, user } = open(principal, token)
      if (user !== undefined) await transact((tx) => sessions.end(tx, user, user.session))
      return new URL(question.target, url).href
    },
  }

  return { start, questions }
}
