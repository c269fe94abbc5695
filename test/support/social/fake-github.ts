import { createHash, randomBytes } from 'node:crypto'
import express, { type Request, type Response } from 'express'
import { listen } from './listen.ts'

/** A person with an account at GitHub, as `GET /user` and `GET /user/emails` show them. */
export interface GitHubPerson {
  readonly id: number
  readonly login: string
  readonly name: string | null
  readonly emails: readonly { readonly email: string; readonly primary: boolean; readonly verified: boolean }[]
}

interface Grant {
  readonly person: GitHubPerson
  readonly scopes: readonly string[]
}
interface Code extends Grant {
  readonly redirectUri: string
  readonly challenge: string | undefined
}

const clientId = 'Iv1.8a61f9b3a7aba766'
const clientSecret = 'b3c8f2a1d4e5f6071829304a5b6c7d8e9f001122'
const docs = 'https://docs.github.com'

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const hash = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

/**
 * GitHub as its documentation describes it. The token endpoint refuses with status 200, and `Accept` decides the form of an answer.
 * Addresses need a scope, and the API needs a User-Agent. Codes and refresh tokens work once.
 */
export const startGitHub = async () => {
  const app = express()
  const codes = new Map<string, Code>()
  const access = new Map<string, Grant & { readonly until: number }>()
  const refresh = new Map<string, Grant>()
  const counts = { tokens: 0, refreshes: 0, users: 0 }
  const state = {
    /** The person who is signed in at GitHub in the browser. */
    person: undefined as GitHubPerson | undefined,
    /** True if the person grants access. */
    consents: true,
    /** True for a GitHub App, whose tokens expire. Tokens of an OAuth App do not expire. */
    expiring: false,
    rateLimited: false,
    emailsBroken: false,
    /** True if the person grants the scope for addresses. */
    grantsEmails: true,
    slowTokenMs: 0,
  }
  const last: { authorize: URLSearchParams; token: URLSearchParams } = {
    authorize: new URLSearchParams(),
    token: new URLSearchParams(),
  }

  app.get('/login/oauth/authorize', (req, res) => {
    const query = new URL(req.url, 'http://x').searchParams
    last.authorize = query
    const back = new URL(query.get('redirect_uri') ?? '')
    back.searchParams.set('state', query.get('state') ?? '')
    if (query.get('client_id') !== clientId) return void res.status(404).send('Not Found')
    if (!state.consents || state.person === undefined) {
      back.searchParams.set('error', 'access_denied')
      back.searchParams.set('error_description', 'The user has denied your application access.')
      back.searchParams.set('error_uri', `${docs}/apps/troubleshooting-authorization-request-errors/#access-denied`)
    } else {
      const code = randomBytes(10).toString('hex')
      codes.set(code, {
        person: state.person,
        scopes: (query.get('scope') ?? '').split(/[\s,]+/),
        redirectUri: query.get('redirect_uri') ?? '',
        challenge: query.get('code_challenge') ?? undefined,
      })
      back.searchParams.set('code', code)
    }
    res.redirect(back.href)
  })

  /** Answers in JSON if the request accepts it, and otherwise as a form, which is GitHub's default. */
  const answer = (req: Request, res: Response, values: Record<string, string | number>) => {
    if (req.headers.accept?.includes('application/json')) return void res.json(values)
    res
      .type('application/x-www-form-urlencoded')
      .send(new URLSearchParams(Object.entries(values).map(([k, v]): [string, string] => [k, String(v)])).toString())
  }

  const issue = (grant: Grant): Record<string, string | number> => {
    const token = `${state.expiring ? 'ghu' : 'gho'}_${randomBytes(18).toString('hex')}`
    access.set(token, { ...grant, until: state.expiring ? Date.now() + 28_800_000 : Number.POSITIVE_INFINITY })
    const scope = grant.scopes.join(',')
    if (!state.expiring) return { access_token: token, scope, token_type: 'bearer' }
    const again = `ghr_${randomBytes(38).toString('hex')}`
    refresh.set(again, grant)
    return {
      access_token: token,
      expires_in: 28_800,
      refresh_token: again,
      refresh_token_expires_in: 15_897_600,
      scope,
      token_type: 'bearer',
    }
  }

  app.post('/login/oauth/access_token', express.urlencoded({ extended: false }), async (req, res) => {
    const body: Record<string, unknown> = req.body
    last.token = new URLSearchParams(body as Record<string, string>)
    if (state.slowTokenMs > 0) await new Promise((resolve) => setTimeout(resolve, state.slowTokenMs))
    const refused = (error: string, description: string) =>
      answer(req, res, { error, error_description: description, error_uri: `${docs}/#${error}` })
    if (body['client_id'] !== clientId || body['client_secret'] !== clientSecret)
      return refused('incorrect_client_credentials', 'The client_id and/or client_secret passed are incorrect.')
    if (body['grant_type'] === 'refresh_token') {
      counts.refreshes += 1
      const given = text(body['refresh_token']) ?? ''
      const grant = refresh.get(given)
      if (grant === undefined) return refused('bad_refresh_token', 'The refresh token passed is incorrect or expired.')
      refresh.delete(given)
      return answer(req, res, issue(grant))
    }
    counts.tokens += 1
    const given = text(body['code']) ?? ''
    const code = codes.get(given)
    codes.delete(given)
    if (code === undefined) return refused('bad_verification_code', 'The code passed is incorrect or expired.')
    if (body['redirect_uri'] !== code.redirectUri)
      return refused('redirect_uri_mismatch', 'The redirect_uri MUST match the registered callback URL for this application.')
    if (code.challenge !== undefined && hash(text(body['code_verifier']) ?? '') !== code.challenge)
      return refused('bad_verification_code', 'The code passed is incorrect or expired.')
    answer(req, res, issue(code))
  })

  const authenticate = (req: Request, res: Response): Grant | undefined => {
    counts.users += 1
    if (!req.headers['user-agent'])
      return void res
        .status(403)
        .send('Request forbidden by administrative rules. Please make sure your request has a User-Agent header')
    if (state.rateLimited)
      return void res
        .status(403)
        .set('x-ratelimit-remaining', '0')
        .json({ message: 'API rate limit exceeded for user ID 1.', documentation_url: `${docs}/rest/overview/rate-limits` })
    const token = /^(?:bearer|token) (.+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? ''
    const grant = access.get(token)
    if (grant === undefined || grant.until <= Date.now())
      return void res.status(401).json({ message: 'Bad credentials', documentation_url: `${docs}/rest` })
    return grant
  }

  app.get('/user', (req, res) => {
    const grant = authenticate(req, res)
    if (grant === undefined) return
    const { id, login, name, emails } = grant.person
    res.json({
      login,
      id,
      node_id: 'MDQ6VXNlcjE=',
      avatar_url: `https://avatars.githubusercontent.com/u/${id}?v=4`,
      html_url: `https://github.com/${login}`,
      type: 'User',
      name,
      email: emails[0]?.email ?? null,
    })
  })
  app.get('/user/emails', (req, res) => {
    const grant = authenticate(req, res)
    if (grant === undefined) return
    if (state.emailsBroken) return void res.type('application/json').send('<html>')
    if (!state.grantsEmails || !grant.scopes.some((scope) => scope === 'user' || scope === 'user:email'))
      return void res.status(404).json({ message: 'Not Found', documentation_url: `${docs}/rest/users/emails` })
    res.json(grant.person.emails.map((entry) => ({ ...entry, visibility: entry.primary ? 'public' : null })))
  })

  const listening = await listen(app)
  const at = (path: string) => `${listening.url}${path}`
  return {
    ...listening,
    state,
    counts,
    last,
    /** Withdraws all grants, as the person can do in the settings of GitHub. */
    revokeAll: () => {
      access.clear()
      refresh.clear()
    },
    /** The section of the configuration for this server. */
    section: {
      clientId,
      clientSecret,
      authorizationUrl: at('/login/oauth/authorize'),
      tokenUrl: at('/login/oauth/access_token'),
      userinfoUrl: at('/user'),
      emailsUrl: at('/user/emails'),
      // github.com has this value by default. For another address it has to be set.
      trustsEmail: true,
    },
  }
}

export type FakeGitHub = Awaited<ReturnType<typeof startGitHub>>

/** A person at GitHub with one address, which is verified by default. */
export const githubPerson = (id: number, email: string, verified = true): GitHubPerson => ({
  id,
  login: `person-${id}`,
  name: `Person ${id}`,
  emails: [{ email, primary: true, verified }],
})
