import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { signInAt } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'

let github: FakeGitHub
let t: TestApp
beforeAll(async () => {
  github = await startGitHub()
  t = await testApp({ config: { outbound, sessions: { cookieCacheSeconds: 60 }, social: { github: github.section } } })
})
afterAll(async () => {
  await t.stop()
  await github.stop()
})

const start = { provider: 'github', callbackURL: '/account' }

test('a linked identity is listed with its scopes and can be unlinked unless it is the only sign-in method', async () => {
  const client = await t.signedIn('both@example.com')
  github.state.person = githubPerson(9001, 'both@example.com')
  await signInAt(client, start, '/link-social')
  const listed = await client.api.linkedAccounts.listAccounts()
  expect(listed.map(({ provider, accountId, scopes }) => [provider, accountId, scopes])).toContainEqual([
    'github',
    '9001',
    ['read:user', 'user:email'],
  ])
  expect((await client.post('/unlink-account', { providerId: 'github', accountId: '9001' })).status).toBe(200)
  expect((await client.post('/get-access-token', { providerId: 'github' })).json['code']).toBe('ACCOUNT_NOT_FOUND')

  github.state.person = githubPerson(9002, 'only@example.com')
  const only = t.client()
  await signInAt(only, start)
  const refused = await only.post('/unlink-account', { providerId: 'github' })
  expect(refused.json['message']).toBe("You can't unlink your last account")
})

test('a browser with a cached session of one user shows the user of a new sign-in through a provider at once', async () => {
  const client = await t.signedIn('before@example.com')
  await client.request('/get-session')
  github.state.person = githubPerson(9003, 'after@example.com')
  await signInAt(client, start)
  expect((await client.api.sessions.getSession())?.user.email).toBe('after@example.com')
})

test('a password reset link requested before the owner signs in through a provider is invalid afterwards', async () => {
  await t.signedIn('late@example.com')
  await t.client().post('/request-password-reset', { email: 'late@example.com', redirectTo: '/reset-password' })
  const { link } = await t.mailTo('late@example.com', 'reset-password')
  github.state.person = githubPerson(9004, 'late@example.com')
  await signInAt(t.client(), start)
  const followed = await t.client().request(link)
  const token = new URL(followed.location ?? '', t.url).searchParams.get('token')
  const answer = await t.client().post('/reset-password', { newPassword: `${password} 2`, token })
  expect(answer.status).toBe(400)
})
