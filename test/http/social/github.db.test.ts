import { createRequire } from 'node:module'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { atProvider, errorOf, signInAt, startAtProvider } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'

let github: FakeGitHub
let t: TestApp
beforeAll(async () => {
  github = await startGitHub()
  t = await testApp({ config: { outbound, social: { github: github.section } } })
})
beforeEach(() => {
  Object.assign(github.state, {
    consents: true,
    expiring: false,
    rateLimited: false,
    emailsBroken: false,
    grantsEmails: true,
    slowTokenMs: 0,
  })
})
afterAll(async () => {
  await t.stop()
  await github.stop()
})

const start = { provider: 'github', callbackURL: '/account' }

test('a new user who signs in through GitHub gets a verified email address, a session and the requested page', async () => {
  github.state.person = githubPerson(1, 'Octo@Example.com')
  const client = t.client()
  const answer = await signInAt(client, { ...start, newUserCallbackURL: '/account?welcome=1' })
  expect([answer.status, answer.location]).toEqual([302, '/account?welcome=1'])
  expect(await client.api.sessions.getSession()).toMatchObject({
    user: {
      email: 'octo@example.com',
      emailVerified: true,
      name: 'Person 1',
      image: 'https://avatars.githubusercontent.com/u/1?v=4',
    },
  })
  const again = t.client()
  expect((await signInAt(again, { ...start, newUserCallbackURL: '/account?welcome=1' })).location).toBe('/account')
  expect((await again.api.sessions.getSession())?.user.id).toBe((await client.api.sessions.getSession())?.user.id)
})

test('the authorization request to GitHub has client id, callback, scopes, a state of 32 characters and the challenge of a verifier of 128', async () => {
  github.state.person = githubPerson(2, 'two@example.com')
  const client = t.client()
  const answer = await client.post('/sign-in/social', { ...start, scopes: ['repo', 'read:user'], loginHint: 'octocat' })
  expect(answer.json).toEqual({ url: expect.any(String), redirect: true })
  const url = new URL(String(answer.json['url']))
  expect(`${url.origin}${url.pathname}`).toBe(github.section.authorizationUrl)
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: github.section.clientId,
    response_type: 'code',
    redirect_uri: `${t.url}/callback/github`,
    scope: 'read:user user:email repo',
    state: expect.stringMatching(/^[A-Za-z0-9_-]{32}$/),
    login_hint: 'octocat',
    code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    code_challenge_method: 'S256',
  })
  await client.request(await atProvider(url.href))
  expect(github.last.token.get('code_verifier')).toMatch(/^[A-Za-z0-9._~-]{128}$/)
  expect(github.last.token.get('redirect_uri')).toBe(`${t.url}/callback/github`)
})

test('a sign-in through GitHub uses no deprecated function of Node', async () => {
  const url = createRequire(import.meta.url)('node:url') as typeof import('node:url')
  const parse = vi.spyOn(url, 'parse')
  const own = await startGitHub()
  const fresh = await testApp({ config: { outbound, social: { github: own.section } } })
  own.state.person = githubPerson(77, 'seventy@example.com')
  expect((await signInAt(fresh.client(), start)).location).toBe('/account')
  expect(parse.mock.calls).toEqual([])
  parse.mockRestore()
  await fresh.stop()
  await own.stop()
})

test('disableRedirect sets redirect to false in the response', async () => {
  expect((await t.client().post('/sign-in/social', { ...start, disableRedirect: true })).json['redirect']).toBe(false)
})

test('without a callbackURL the browser is sent to the public address', async () => {
  github.state.person = githubPerson(3, 'three@example.com')
  expect((await signInAt(t.client(), { provider: 'github' })).location).toBe(`${t.url}/`)
})

test('the callback from GitHub works below the path prefix of Better Auth clients', async () => {
  github.state.person = githubPerson(4, 'four@example.com')
  const client = t.client()
  const { url } = await startAtProvider(client, start, '/api/auth/sign-in/social')
  const back = (await atProvider(url)).replace('/callback/', '/api/auth/callback/')
  expect((await client.request(back)).location).toBe('/account')
})

test('a user who denies access is sent to the error page or the errorCallbackURL with GitHub’s description', async () => {
  github.state.consents = false
  const answer = await signInAt(t.client(), start)
  const url = new URL(answer.location ?? '')
  expect([url.origin + url.pathname, url.searchParams.get('error')]).toEqual([`${t.url}/error`, 'access_denied'])
  expect(url.searchParams.get('error_description')).toBe('The user has denied your application access.')
  const own = await signInAt(t.client(), { ...start, errorCallbackURL: '/sign-in?from=github#top' })
  expect(own.location).toBe(
    '/sign-in?from=github&error=access_denied&error_description=The+user+has+denied+your+application+access.#top',
  )
})

test('a code that GitHub refuses with status 200 is reported as invalid_code', async () => {
  const client = t.client()
  const { state } = await startAtProvider(client, start)
  const answer = await client.request(`/callback/github?code=nonsense&state=${state}`)
  expect(errorOf(answer)).toBe('invalid_code')
  expect(await client.api.sessions.getSession()).toBeNull()
})

test('a wrong client secret is reported as invalid_code', async () => {
  github.state.person = githubPerson(5, 'five@example.com')
  const wrong = await testApp({ config: { outbound, social: { github: { ...github.section, clientSecret: 'wrong' } } } })
  expect(errorOf(await signInAt(wrong.client(), start))).toBe('invalid_code')
  await wrong.stop()
})

test('the code from GitHub is not sent to a token endpoint at a private address', async () => {
  github.state.person = githubPerson(62, 'private@example.com')
  const guarded = await testApp({ config: { outbound: { allowHttp: true }, social: { github: github.section } } })
  const before = github.counts.tokens
  expect(errorOf(await signInAt(guarded.client(), start))).toBe('invalid_code')
  expect(github.counts.tokens).toBe(before)
  await guarded.stop()
})

test.each([
  ['a rate limit of the API', { rateLimited: true }],
  ['a list of addresses that is not JSON', { emailsBroken: true }],
])('%s is reported as unable_to_get_user_info', async (_, change) => {
  github.state.person = githubPerson(6, 'six@example.com')
  Object.assign(github.state, change)
  expect(errorOf(await signInAt(t.client(), start))).toBe('unable_to_get_user_info')
})

test.each([
  ['an empty list of addresses', []],
  ['no access to the list, because the person did not grant the scope', undefined],
])('%s is reported as email_not_found', async (_, emails) => {
  github.state.person = { id: 61, login: 'quiet', name: null, emails: [] }
  github.state.grantsEmails = emails !== undefined
  expect(errorOf(await signInAt(t.client(), start))).toBe('email_not_found')
})

test('the primary email address at GitHub is used, and counts as verified only if GitHub says so', async () => {
  await t.signedIn('victim@example.com')
  github.state.person = {
    id: 7,
    login: 'mallory',
    name: null,
    emails: [
      { email: 'mallory@example.com', primary: false, verified: true },
      { email: 'victim@example.com', primary: true, verified: false },
    ],
  }
  expect(errorOf(await signInAt(t.client(), start))).toBe('account_not_linked')
  github.state.person = {
    ...github.state.person,
    id: 8,
    emails: [{ email: 'fresh@example.com', primary: true, verified: false }],
  }
  const client = t.client()
  await signInAt(client, start)
  expect((await client.api.sessions.getSession())?.user).toMatchObject({ emailVerified: false, name: 'mallory' })
})

test('a GitHub account with a changed email address signs in the same user', async () => {
  github.state.person = githubPerson(9, 'nine@example.com')
  const before = t.client()
  await signInAt(before, start)
  github.state.person = githubPerson(9, 'renamed@example.com')
  const after = t.client()
  await signInAt(after, start)
  const [one, two] = [await before.api.sessions.getSession(), await after.api.sessions.getSession()]
  expect([two?.user.id, two?.user.email]).toEqual([one?.user.id, 'nine@example.com'])
})

test("a sign-in through a provider replaces the browser's earlier session", async () => {
  const client = await t.signedIn('ten@example.com')
  const old = client.cookies.get('gatehouse.session') ?? ''
  github.state.person = githubPerson(10, 'other-ten@example.com')
  await signInAt(client, start)
  const stale = t.client()
  stale.cookies.set('gatehouse.session', old)
  expect(await stale.api.sessions.getSession()).toBeNull()
  expect((await t.client().post('/sign-in/email', { email: 'ten@example.com', password })).status).toBe(200)
})
