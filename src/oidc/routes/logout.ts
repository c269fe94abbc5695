import type { Clock } from '../../core/clock.ts'
import type { Secrets } from '../../core/crypto.ts'
import type { Transact } from '../../core/database.ts'
import { readForm } from '../../http/body.ts'
import { formatCookie, type SessionCookie } from '../../http/cookies.ts'
import { checkOrigin } from '../../http/origin.ts'
import type { Mount } from '../../http/server.ts'
import type { TrustedUrls } from '../../http/trusted-url.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { Clients } from '../clients/service.ts'
import { endpoints } from '../engine/documents.ts'
import { allowFormTo } from '../engine/form-target.ts'
import { readIdTokenHint } from '../engine/id-token-hint.ts'
import type { Engine } from '../engine/live.ts'
import type { SignedIn } from '../engine/request.ts'
import { goOnByGet, redirect, refuse, searchOf } from './page.ts'
import { localeOfPage, type NotBack, signOutPage } from './sign-out-page.ts'

interface Deps {
  readonly url: string
  readonly clock: Clock
  readonly secrets: Secrets
  readonly transact: Transact
  readonly clients: Clients
  readonly sessions: Sessions
  readonly sessionCookie: SessionCookie
  readonly trustedUrls: TrustedUrls
}

type Request = Parameters<Mount['handle']>[0]
type Response = Parameters<Mount['handle']>[1]

export const confirmPath = '/oauth2/end-session/confirm'
const confirmSeconds = 600

/** What a person is asked to confirm: which session ends and where the browser goes then. */
interface Question {
  readonly sessionId: string
  readonly target: string
  readonly until: number
}

/** Said where nobody is signed in; who is may sign out all the same, but nothing that nobody vouches for leads anywhere. */
const refusals: Readonly<Record<NotBack, string>> = {
  unnamed: 'post_logout_redirect_uri needs id_token_hint or client_id beside it, to say which application asks',
  unregistered: 'post_logout_redirect_uri is not registered for this client',
}

/** Parameters of the query or of a form; undefined when one is given twice. */
const readParams = async (req: Request): Promise<ReadonlyMap<string, string> | undefined> => {
  const pairs = [...(req.method === 'POST' ? await readForm(req) : new URLSearchParams(searchOf(req.url)))]
  return new Set(pairs.map(([name]) => name)).size === pairs.length ? new Map(pairs) : undefined
}

/** Sign-out at the request of an application (OpenID Connect RP-Initiated Logout 1.0). */
export const createLogout = ({ url, clock, secrets, transact, clients, sessions, sessionCookie, trustedUrls }: Deps) => {
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
  const end = async (res: Response, sessionId: string, target: string) => {
    await transact((tx) => sessions.end(tx, sessionId))
    res.appendHeader('Set-Cookie', formatCookie(sessionCookie.name, '', sessionCookie.secure, { maxAge: 0 }))
    redirect(res, target)
  }

  const begin = async (req: Request, res: Response, engine: Engine, signedIn: SignedIn | undefined) => {
    const params = await readParams(req)
    if (params === undefined) return refuse(res, 'a parameter is given more than once')
    if (req.method === 'POST' && signedIn === undefined)
      return goOnByGet(res, endpoints.end_session, new URLSearchParams([...params]))
    const idToken = params.get('id_token_hint')
    const hint =
      idToken === undefined ? undefined : await readIdTokenHint(idToken, { issuer: url, keys: engine.publicKeys, clients })
    const clientId = params.get('client_id')
    if (hint !== undefined && clientId !== undefined && clientId !== hint.client.clientId)
      return refuse(res, 'client_id and id_token_hint name different clients')
    const client = hint?.client ?? (clientId === undefined ? undefined : await clients.find(clientId))
    const wanted = params.get('post_logout_redirect_uri')
    const isBack = wanted !== undefined && client?.postLogoutRedirectUrls.includes(wanted) === true
    const isNamed = hint !== undefined || clientId !== undefined
    const stays = wanted === undefined || isBack ? undefined : isNamed ? 'unregistered' : 'unnamed'
    if (signedIn === undefined) {
      if (idToken !== undefined && hint === undefined) return refuse(res, 'id_token_hint is not an ID token of this server')
      if (stays !== undefined) return refuse(res, refusals[stays])
    }
    const next = isBack ? new URL(wanted) : new URL('/sign-in', url)
    const state = params.get('state')
    if (isBack && state !== undefined) next.searchParams.set('state', state)
    const target = isBack ? next.href : next.pathname
    if (signedIn === undefined) return redirect(res, target)
    if (hint?.userId === signedIn.user.id && stays === undefined) return end(res, signedIn.session.id, target)
    // Anybody could have put this link somewhere: the person decides.
    const until = clock.now().getTime() + confirmSeconds * 1000
    const body = signOutPage({
      locale: localeOfPage(signedIn.user.language, params.get('ui_locales'), req.headers['accept-language'] ?? ''),
      action: confirmPath,
      question: seal({ sessionId: signedIn.session.id, target, until }),
      client: client?.name,
      stays,
    })
    allowFormTo(res, ["'self'"], next)
    // Without a referrer browsers would send the origin `null` with the form, and it would be refused.
    res.setHeader('Referrer-Policy', 'same-origin')
    res.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Length': Buffer.byteLength(body),
    })
    return res.end(body)
  }

  const confirm = async (req: Request, res: Response, signedIn: SignedIn | undefined) => {
    checkOrigin(req, trustedUrls, false)
    const question = unseal((await readParams(req))?.get('question') ?? '')
    if (question === undefined) return refuse(res, 'the question has expired; sign out again')
    if (signedIn === undefined) return redirect(res, question.target)
    if (signedIn.session.id !== question.sessionId) return refuse(res, 'another session was meant; sign out again')
    return end(res, question.sessionId, question.target)
  }

  return { begin, confirm }
}
