import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { done, officialClient, refused } from '../support/better-auth.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../support/social/fake-github.ts'
import { type FakeProvider, startProvider } from '../support/social/fake-provider.ts'
import { atProvider } from '../support/social/flow.ts'
import { outbound } from '../support/social/listen.ts'

let github: FakeGitHub
let fake: FakeProvider
let t: TestApp
beforeAll(async () => {
  github = await startGitHub()
  fake = await startProvider()
  const endpoints = { jwksUrl: fake.jwksUrl, issuer: fake.state.issuer }
  const google = { clientId: 'client-1', clientSecret: 'secret-1', trustsEmail: true, ...endpoints }
  t = await testApp({ config: { outbound, social: { github: github.section, google } } })
  Object.assign(github.state, { expiring: true })
})
afterAll(async () => {
  await t.stop()
  await github.stop()
  await fake.stop()
})

/** Does what a browser does with the address that the client opens. */
const travel = async ({ browser }: ReturnType<typeof officialClient>, url: string | undefined) =>
  browser.request(await atProvider(url ?? ''))

test('a social sign-in of the Better Auth client starts with an address to open and ends in a session', async () => {
  github.state.person = githubPerson(71, 'octo@example.com')
  const application = officialClient(t)
  const { url, redirect } = done(await application.auth.signIn.social({ provider: 'github', callbackURL: '/home' }))
  expect([redirect, new URL(url ?? '').origin]).toEqual([true, new URL(github.url).origin])
  expect((await travel(application, url)).location).toBe('/home')
  expect(done(await application.auth.getSession()).user).toMatchObject({ email: 'octo@example.com', emailVerified: true })
  const quiet = await application.auth.signIn.social({ provider: 'github', disableRedirect: true })
  expect(done(quiet).redirect).toBe(false)
})

test('the Better Auth client signs in by an ID token without leaving the page', async () => {
  const { auth } = officialClient(t)
  const token = await fake.sign({ sub: 'g-9', email: 'ida@example.com', email_verified: true, name: 'Ida Token' })
  const answer = done(await auth.signIn.social({ provider: 'google', idToken: { token } }))
  expect(answer).toMatchObject({ redirect: false, user: { email: 'ida@example.com' } })
  expect(done(await auth.getSession()).user.name).toBe('Ida Token')
})

test('the Better Auth client links, lists, uses and unlinks an account by its row id, as its newest version does', async () => {
  github.state.person = githubPerson(72, 'linked@example.com')
  const application = officialClient(t)
  const { auth } = application
  done(await auth.signUp.email({ email: 'linked@example.com', name: 'Lin Ked', password }))
  const { url, redirect } = done(await auth.linkSocial({ provider: 'github', callbackURL: '/account', disableRedirect: true }))
  expect(redirect).toBe(false)
  expect((await travel(application, url)).location).toBe('/account')

  const listed = done(await auth.listAccounts())
  const userId = done(await auth.getSession()).user.id
  expect(listed).toMatchObject([
    { providerId: 'credential', accountId: userId, userId, scopes: [] },
    { providerId: 'github', accountId: '72', userId, scopes: ['read:user', 'user:email'] },
  ])
  const accountId = listed[1]?.id ?? ''
  const given = done(await auth.getAccessToken({ accountId }))
  expect(given.accessToken).toMatch(/^ghu_/)
  expect(given.accessTokenExpiresAt).toBeInstanceOf(Date)
  const fresh = done(await auth.refreshToken({ accountId }))
  expect(fresh).toMatchObject({ providerId: 'github', accountId, refreshToken: expect.stringMatching(/^ghr_/) })
  expect(fresh.accessToken).not.toBe(given.accessToken)
  expect(done(await auth.accountInfo({ query: { accountId } }))).toMatchObject({
    user: { id: '72', email: 'linked@example.com', emailVerified: true },
    account: { id: accountId, providerId: 'github', accountId: '72' },
    data: { login: 'person-72' },
  })
  expect(done(await auth.unlinkAccount({ accountId }))).toEqual({ status: true })
  expect(done(await auth.listAccounts())).toHaveLength(1)
  expect(refused(await auth.unlinkAccount({ accountId: listed[0]?.id ?? '' }))).toEqual([
    400,
    'YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT',
    "You can't unlink your last account",
  ])
})

test('account calls in the form of older Better Auth clients also work', async () => {
  github.state.person = githubPerson(73, 'older@example.com')
  const application = officialClient(t)
  const { auth } = application
  done(await auth.signUp.email({ email: 'older@example.com', name: 'Old Er', password }))
  const { url } = done(await auth.linkSocial({ provider: 'github' }))
  await travel(application, url)
  const post = async (path: string, body: object) => done(await auth.$fetch(path, { method: 'POST', body }))
  const choice = { providerId: 'github', accountId: '73' }
  expect(await post('/get-access-token', choice)).toMatchObject({ accessToken: expect.stringMatching(/^ghu_/) })
  expect(await post('/refresh-token', choice)).toMatchObject({ refreshToken: expect.stringMatching(/^ghr_/) })
  expect(await post('/account-info', { accountId: '73' })).toMatchObject({ user: { id: '73' } })
  expect(await post('/unlink-account', choice)).toEqual({ status: true })
})

test('an operation that a provider does not support is an error for the application', async () => {
  const { auth } = officialClient(t)
  const unknown = await auth.$fetch('/sign-in/social', { method: 'POST', body: { provider: 'zoom' } })
  expect(refused(unknown)).toEqual([404, 'PROVIDER_NOT_FOUND', 'Provider not found'])
  expect(refused(await auth.signIn.social({ provider: 'github', idToken: { token: 'x' } }))).toEqual([
    404,
    'ID_TOKEN_NOT_SUPPORTED',
    'id_token not supported',
  ])
  expect(refused(await auth.getAccessToken({ accountId: 'x' }))).toEqual([401, 'UNAUTHORIZED', 'Unauthorized'])
})
