import { createHash } from 'node:crypto'
import { systemPrincipal } from '../../../src/access/principal.ts'
import type { TestApp } from '../../support/app.ts'
import type { Answer, Client as Browser } from '../../support/client.ts'

/** A registered application. */
export interface Application {
  readonly clientId: string
  readonly secret: string | undefined
}

type NewClient = Parameters<TestApp['app']['oidc']['clients']['register']>[1]

export const redirectUri = 'https://rp.example/callback'
export const verifier = 'a-verifier-that-is-long-enough-for-the-specification'
const challenge = createHash('sha256').update(verifier).digest('base64url')

export const register = async (t: TestApp, more: Partial<NewClient> = {}): Promise<Application> => {
  const { client, secret } = await t.app.oidc.clients.register(systemPrincipal('test'), {
    name: 'Shop',
    type: 'web',
    redirectUris: [redirectUri],
    ...more,
  })
  return { clientId: client.clientId, secret }
}

export type Params = Readonly<Record<string, string | undefined>>

const search = (params: Params) =>
  new URLSearchParams(Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined)).toString()

/** Path of an authorization request. A parameter given as undefined is left out. */
export const authorizePath = (application: Application, params: Params = {}): string =>
  `/oauth2/authorize?${search({
    client_id: application.clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid',
    state: 'the state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...params,
  })}`

export const queryOf = (location: string | null): Params =>
  Object.fromEntries(new URL(location ?? '', 'http://none').searchParams)
export const uidOf = (answer: Answer): string => queryOf(answer.location)['interaction'] ?? ''

/** Continues a sign-in under way as the hosted pages do, and consents when asked. Returns the answer that leaves the server. */
export const goOn = async (browser: Browser, from: Answer, accept = true): Promise<Answer> => {
  let answer = from
  for (let steps = 0; steps < 6; steps++) {
    const path = new URL(answer.location ?? '', 'http://none').pathname
    if (path === '/consent') {
      const { redirectURI } = await browser.api.oidc.consent({ body: { accept, interaction: uidOf(answer) } })
      answer = await browser.request(redirectURI)
    } else if (/^\/(oauth2\/(authorize|device\/continue)|interaction\/)/.test(path))
      answer = await browser.request(answer.location ?? '')
    else return answer
  }
  throw new Error(`the sign-in goes round in circles at ${answer.location}`)
}

/** Returns a code for the user of this browser. */
export const codeFor = async (browser: Browser, application: Application, params: Params = {}): Promise<string> => {
  const answer = await goOn(browser, await browser.request(authorizePath(application, params)))
  const { code } = queryOf(answer.location)
  if (code === undefined) throw new Error(`no code but ${answer.location} ${answer.text}`)
  return code
}

/** Posts a form as a back end does: without Origin and cookies, with the client's secret in the Authorization header. */
export const postForm = async (t: TestApp, application: Application, path: string, form: Params): Promise<Answer> => {
  const { clientId, secret } = application
  const answer = await fetch(new URL(path, t.url), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(secret === undefined ? {} : { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` }),
    },
    body: search(secret === undefined ? { client_id: clientId, ...form } : form),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: text === '' ? {} : JSON.parse(text), location: null }
}

export const redeem = (t: TestApp, application: Application, code: string, more: Params = {}): Promise<Answer> =>
  postForm(t, application, '/oauth2/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...more,
  })

export const refresh = (t: TestApp, application: Application, refreshToken: unknown, more: Params = {}): Promise<Answer> =>
  postForm(t, application, '/oauth2/token', { grant_type: 'refresh_token', refresh_token: String(refreshToken), ...more })

export const userinfo = (t: TestApp, accessToken: unknown): Promise<Answer> =>
  t.client().request('/oauth2/userinfo', { headers: { authorization: `Bearer ${String(accessToken)}` } })

/** Scopes and prompt for which a refresh token is issued. */
export const offline = { scope: 'openid offline_access', prompt: 'consent' } as const

/** Returns an access token that a machine got for itself. */
export const machineToken = async (t: TestApp, application: Application): Promise<string> => {
  const { json } = await postForm(t, application, '/oauth2/token', { grant_type: 'client_credentials' })
  return String(json['access_token'])
}
