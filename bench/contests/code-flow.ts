import { createHash, randomBytes } from 'node:crypto'
import { type Browser, basic, createBrowser, follow } from '../load/browser.ts'
import { headerOf } from '../load/connection.ts'
import { redirectUri, type Target } from '../targets/targets.ts'
import { check } from './contest.ts'
import { emailOf, signIn } from './sessions.ts'

export interface Tokens {
  readonly access_token: string
  readonly id_token: string
  readonly refresh_token?: string
}

const random = () => randomBytes(32).toString('base64url')

/** Consents as the hosted consent page does. */
const agree =
  (browser: Browser) =>
  async (page: string): Promise<string> => {
    const interaction = new URL(page, browser.origin).searchParams.get('interaction')
    const answer = await browser.postJson('/oauth2/consent', { accept: true, interaction })
    check(answer.status === 200, answer)
    return JSON.parse(answer.body).redirectURI
  }

/**
 * The nonce of an ID token. The signature needs no check here, because the token arrived over this benchmark's own connection. The set-up
 * checks it with `jose`.
 */
const nonceOf = (token: string): unknown => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).nonce

/** A browser with a session at the target. The engine has no session yet, and signs the person in by `login_hint`. */
export const openBrowser = (target: Target, index: number): Promise<Browser> =>
  target.name !== 'engine' ? signIn(target, index) : Promise.resolve(createBrowser(target.origin))

/**
 * Performs a whole flow: an authorization request with PKCE, state and nonce, the pages if there are any, and the exchange of the code
 * for tokens.
 */
export const codeFlow = async (
  browser: Browser,
  target: Target,
  index: number,
  more: Readonly<Record<string, string>> = {},
): Promise<Tokens> => {
  const [verifier, state, nonce] = [random(), random(), random()]
  const query = new URLSearchParams({
    client_id: target.web.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    login_hint: emailOf(index),
    ...more,
  })
  const end = await follow(browser, `/oauth2/authorize?${query}`, agree(browser))
  const code = end.searchParams.get('code')
  if (code === null || end.searchParams.get('state') !== state) throw new Error(`no code: ${end.search}`)
  const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
  const answer = await browser.postForm('/oauth2/token', fields, basic(target.web.id, target.web.secret))
  check(answer.status === 200 && headerOf(answer, 'cache-control')?.includes('no-store') === true, answer)
  const tokens: Tokens = JSON.parse(answer.body)
  check(nonceOf(tokens.id_token) === nonce && tokens.access_token !== '', answer)
  return tokens
}
