import { createLocalJWKSet, jwtVerify } from 'jose'
import { basic, createBrowser, requestText } from '../load/browser.ts'
import { rsaBits, type Target } from '../targets/targets.ts'
import { codeFlow, openBrowser } from './code-flow.ts'
import { type Contest, check, type Prepare } from './contest.ts'
import { emailOf } from './sessions.ts'

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** Tokens of a new flow. The signature of the ID token has been checked. */
const tokensOf = async (target: Target, index: number, more: Readonly<Record<string, string>> = {}) => {
  const browser = await openBrowser(target, index)
  const tokens = await codeFlow(browser, target, index, more)
  const { body } = await browser.get('/jwks')
  await jwtVerify(tokens.id_token, createLocalJWKSet(JSON.parse(body)), { audience: target.web.id })
  return { browser, tokens }
}

const clientCredentials: Prepare = async (target) => {
  const browser = createBrowser(target.origin)
  const headers = { ...form, Authorization: basic(target.machine.id, target.machine.secret) }
  const request = requestText('POST', target.origin, '/oauth2/token', headers, 'grant_type=client_credentials')
  return {
    act: async () => {
      const answer = await browser.send(request)
      check(answer.status === 200 && answer.body.includes('"access_token":"'), answer)
    },
    close: browser.close,
  }
}

const wholeFlow: Prepare = async (target, index) => {
  const { browser } = await tokensOf(target, index)
  return { act: async () => void (await codeFlow(browser, target, index)), close: browser.close }
}

/** Each virtual user has its own chain of refresh tokens, because each answer contains the next refresh token. */
const refreshing: Prepare = async (target, index) => {
  const { browser, tokens } = await tokensOf(target, index, { scope: 'openid profile email offline_access', prompt: 'consent' })
  const authorization = basic(target.web.id, target.web.secret)
  let held = tokens.refresh_token ?? ''
  return {
    act: async () => {
      const answer = await browser.postForm('/oauth2/token', { grant_type: 'refresh_token', refresh_token: held }, authorization)
      check(answer.status === 200, answer)
      const { refresh_token: next, id_token: idToken } = JSON.parse(answer.body)
      check(typeof next === 'string' && next !== held && typeof idToken === 'string', answer)
      held = next
    },
    close: browser.close,
  }
}

const userinfo: Prepare = async (target, index) => {
  const { browser, tokens } = await tokensOf(target, index)
  const request = requestText('GET', target.origin, '/oauth2/userinfo', { Authorization: `Bearer ${tokens.access_token}` })
  const email = `"email":"${emailOf(index)}"`
  return {
    act: async () => {
      const answer = await browser.send(request)
      check(answer.status === 200 && answer.body.includes(email), answer)
    },
    close: browser.close,
  }
}

const introspection: Prepare = async (target, index) => {
  const { browser, tokens } = await tokensOf(target, index)
  const headers = { ...form, Authorization: basic(target.web.id, target.web.secret) }
  const request = requestText('POST', target.origin, '/oauth2/introspect', headers, `token=${tokens.access_token}`)
  return {
    act: async () => {
      const answer = await browser.send(request)
      check(answer.status === 200 && answer.body.includes('"active":true'), answer)
    },
    close: browser.close,
  }
}

const document =
  (path: string, expected: string): Prepare =>
  async (target) => {
    const browser = createBrowser(target.origin)
    const request = requestText('GET', target.origin, path)
    return {
      act: async () => {
        const answer = await browser.send(request)
        check(answer.status === 200 && answer.body.includes(expected), answer)
      },
      close: browser.close,
    }
  }

const againstEngine = (name: string, prepare: Prepare, sqlite: number, postgres = sqlite): Contest => ({
  name,
  prepare,
  rivals: [{ label: `engine, RSA ${rsaBits}`, target: 'engine', goal: { sqlite, postgres } }],
})

export const providerContests: readonly Contest[] = [
  againstEngine('discovery', document('/.well-known/openid-configuration', '"token_endpoint"'), 2.5),
  againstEngine('JWKS', document('/jwks', '"kty":"RSA"'), 0.6),
  againstEngine('token, client_credentials', clientCredentials, 0.55, 0.4),
  againstEngine('authorization code, whole flow', wholeFlow, 0.75, 0.55),
  againstEngine('refresh', refreshing, 0.7, 0.55),
  againstEngine('userinfo', userinfo, 0.8, 0.65),
  againstEngine('introspection', introspection, 0.6, 0.55),
]
