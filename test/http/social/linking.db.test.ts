import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { readMail } from '../../support/mailbox.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { atProvider, errorOf, signInAt, startAtProvider } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { authorizePath, codeFor, offline, redeem, refresh, register, userinfo } from '../oidc/flow.ts'

let github: FakeGitHub
const running: TestApp[] = []
const start = async (social: Record<string, unknown> = {}, config: Record<string, unknown> = {}) => {
  const t = await testApp({ config: { outbound, social: { github: github.section, ...social }, ...config } })
  running.push(t)
  return t
}
let t: TestApp
beforeAll(async () => {
  github = await startGitHub()
  t = await start()
})
afterAll(async () => {
  await Promise.all(running.map((app) => app.stop()))
  await github.stop()
})

const githubSignIn = { provider: 'github', callbackURL: '/account' }
const userIdOf = async (client: ReturnType<TestApp['client']>) => (await client.api.sessions.getSession())?.user.id
const verify = (app: TestApp, email: string) => app.app.core.db.knex('user').where({ email }).update({ email_verified: true })
let next = 1000
const person = (email: string, verified = true) => {
  next += 1
  github.state.person = githubPerson(next, email, verified)
}

test('an email address verified by the provider signs in the user who has verified it, and the password stays', async () => {
  const ann = await t.signedIn('ann@example.com')
  await verify(t, 'ann@example.com')
  person('Ann@Example.com')
  const client = t.client()
  expect((await signInAt(client, githubSignIn)).location).toBe('/account')
  expect(await userIdOf(client)).toBe(await userIdOf(ann))
  expect((await t.client().post('/sign-in/email', { email: 'ann@example.com', password })).status).toBe(200)
})

test('a sign-in through a provider to an account with an unverified address removes its password and ends its sessions', async () => {
  const squatter = await t.signedIn('owner@example.com')
  person('owner@example.com')
  const owner = t.client()
  expect((await signInAt(owner, githubSignIn)).location).toBe('/account')
  expect((await owner.api.sessions.getSession())?.user).toMatchObject({ email: 'owner@example.com', emailVerified: true })
  expect(await squatter.api.sessions.getSession()).toBeNull()
  const answer = await t.client().post('/sign-in/email', { email: 'owner@example.com', password })
  expect([answer.status, answer.json['code']]).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
})

test('a sign-in through a provider to an account with an unverified address removes identities linked earlier', async () => {
  const open = await start({ allowDifferentEmails: true })
  const squatter = await open.signedIn('mine@example.com')
  person('squatter@example.com')
  const squatters = github.state.person
  expect((await signInAt(squatter, githubSignIn, '/link-social')).location).toBe('/account')
  person('mine@example.com')
  const owner = open.client()
  await signInAt(owner, githubSignIn)
  github.state.person = squatters
  const back = open.client()
  await signInAt(back, githubSignIn)
  expect(await userIdOf(back)).not.toBe(await userIdOf(owner))
})

test('a sign-in through a provider to an account with an unverified address revokes tokens and consents of applications, including offline access', async () => {
  const squatter = await t.signedIn('apps@example.com')
  const shop = await register(t)
  const tokens = await redeem(t, shop, await codeFor(squatter, shop, offline))
  expect((await refresh(t, shop, tokens.json['refresh_token'])).status).toBe(200)
  person('apps@example.com')
  const owner = t.client()
  await signInAt(owner, githubSignIn)
  expect((await userinfo(t, tokens.json['access_token'])).status).toBe(401)
  expect(await t.app.core.db.knex('oidc_artifact').where({ account_id: await userIdOf(owner) })).toEqual([])
  expect((await owner.request(authorizePath(shop))).location).toMatch(/^\/consent\?/)
})

test('an email address that the provider has not verified signs in no existing user', async () => {
  await t.signedIn('bob@example.com')
  await verify(t, 'bob@example.com')
  person('bob@example.com', false)
  const client = t.client()
  expect(errorOf(await signInAt(client, githubSignIn))).toBe('account_not_linked')
  expect(await client.api.sessions.getSession()).toBeNull()
})

test('a trusted provider with an unverified email address links the account but does not verify the address', async () => {
  const trusting = await start({ trustedProviders: ['github'] })
  await trusting.signedIn('carl@example.com')
  person('carl@example.com', false)
  const client = trusting.client()
  expect((await signInAt(client, githubSignIn)).location).toBe('/account')
  expect((await client.api.sessions.getSession())?.user.emailVerified).toBe(false)
})

test('a provider with untrusted email addresses neither signs in by address nor verifies an address, but a signed-in user can link it', async () => {
  const wary = await start({ github: { ...github.section, trustsEmail: false } })
  const owner = await wary.signedIn('dave@example.com')
  await verify(wary, 'dave@example.com')
  person('dave@example.com')
  expect(errorOf(await signInAt(wary.client(), githubSignIn))).toBe('account_not_linked')
  expect((await signInAt(owner, githubSignIn, '/link-social')).location).toBe('/account')
  person('newcomer@example.com')
  const newcomer = wary.client()
  await signInAt(newcomer, githubSignIn)
  expect((await newcomer.api.sessions.getSession())?.user).toMatchObject({ email: 'newcomer@example.com', emailVerified: false })
})

test('no provider signs in an administrator by email address, but a signed-in administrator can link a provider', async () => {
  const trusting = await start({ trustedProviders: ['github'] })
  const admin = await trusting.signedIn('root@example.com')
  await trusting.app.core.db.knex('user').where({ email: 'root@example.com' }).update({ role: 'admin' })
  for (const isVerified of [false, true]) {
    if (isVerified) await verify(trusting, 'root@example.com')
    person('root@example.com')
    const thief = trusting.client()
    expect(errorOf(await signInAt(thief, githubSignIn))).toBe('account_not_linked')
    expect(await thief.api.sessions.getSession()).toBeNull()
  }
  expect((await signInAt(admin, githubSignIn, '/link-social')).location).toBe('/account')
  const back = trusting.client()
  await signInAt(back, githubSignIn)
  expect(await userIdOf(back)).toBe(await userIdOf(admin))
})

test('a verified email address at a provider signs in no existing user when linking is disabled', async () => {
  const closed = await start({ linkingEnabled: false })
  const dora = await closed.signedIn('dora@example.com')
  person('dora@example.com')
  expect(errorOf(await signInAt(closed.client(), githubSignIn))).toBe('account_not_linked')
  expect(errorOf(await signInAt(dora, githubSignIn, '/link-social'))).toBe('unable_to_link_account')
})

test.each([
  ['sign-up is off', {}, { accounts: { signUpEnabled: false } }],
  ['sign-up through providers is off', { signUpEnabled: false }, {}],
])('a new user who requests sign-up through a provider is refused when %s', async (_, social, config) => {
  const closed = await start(social, config)
  person(`stranger${next}@example.com`)
  expect(errorOf(await signInAt(closed.client(), { ...githubSignIn, requestSignUp: true }))).toBe('signup_disabled')
})

test('a new user must request sign-up when implicit sign-up is disabled', async () => {
  const asking = await start({ implicitSignUp: false })
  person('asks@example.com')
  expect(errorOf(await signInAt(asking.client(), githubSignIn))).toBe('signup_disabled')
  expect((await signInAt(asking.client(), { ...githubSignIn, requestSignUp: true })).location).toBe('/account')
  expect((await signInAt(asking.client(), githubSignIn)).location).toBe('/account')
})

test('one provider can refuse new users while other providers accept new users', async () => {
  const closed = await start({ github: { ...github.section, signUpEnabled: false } })
  person('closed@example.com')
  expect(errorOf(await signInAt(closed.client(), githubSignIn))).toBe('signup_disabled')
})

test('a signed-in user links a provider and can sign in through it afterwards', async () => {
  const eve = await t.signedIn('eve@example.com')
  person('eve@example.com')
  const answer = await eve.post('/link-social', { ...githubSignIn, scopes: ['gist'] })
  expect(answer.json).toEqual({
    url: expect.stringContaining('scope=read%3Auser%20user%3Aemail%20gist'),
    redirect: true,
    status: true,
  })
  expect((await eve.request(await atProvider(String(answer.json['url'])))).location).toBe('/account')
  const other = t.client()
  await signInAt(other, githubSignIn)
  expect(await userIdOf(other)).toBe(await userIdOf(eve))
  // Linking does not claim the account: the user was signed in and keeps the password.
  expect((await t.client().post('/sign-in/email', { email: 'eve@example.com', password })).status).toBe(200)
  expect((await signInAt(eve, githubSignIn, '/link-social')).location).toBe('/account')
})

test('linking a provider requires a session', async () => {
  expect((await t.client().post('/link-social', githubSignIn)).status).toBe(401)
})

test('linking a provider fails when the session that started it has ended', async () => {
  const fred = await t.signedIn('fred@example.com')
  person('fred@example.com')
  const { url } = await startAtProvider(fred, githubSignIn, '/link-social')
  const back = await atProvider(url)
  await fred.post('/sign-out')
  expect(errorOf(await fred.request(back))).toBe('unable_to_link_account')
})

test('a provider account with another email address is linked only when allowDifferentEmails is enabled', async () => {
  const gina = await t.signedIn('gina@example.com')
  person('gina@elsewhere.example')
  expect(errorOf(await signInAt(gina, githubSignIn, '/link-social'))).toBe("email_doesn't_match")
  const open = await start({ allowDifferentEmails: true })
  const hans = await open.signedIn('hans@example.com')
  person('hans@elsewhere.example')
  expect((await signInAt(hans, githubSignIn, '/link-social')).location).toBe('/account')
})

test('a provider account with an unverified email address is not linked', async () => {
  const ida = await t.signedIn('ida@example.com')
  person('ida@example.com', false)
  expect(errorOf(await signInAt(ida, githubSignIn, '/link-social'))).toBe('unable_to_link_account')
})

test('a provider account linked to one user cannot be linked to another user', async () => {
  const open = await start({ allowDifferentEmails: true })
  const [jon, kim] = [await open.signedIn('jon@example.com'), await open.signedIn('kim@example.com')]
  person('shared@example.com')
  expect((await signInAt(jon, githubSignIn, '/link-social')).location).toBe('/account')
  const answer = await signInAt(kim, { ...githubSignIn, errorCallbackURL: '/account/linked' }, '/link-social')
  expect(answer.location).toBe('/account/linked?error=account_already_linked_to_different_user')
})

testOnBoth('of ten users who link the same provider account at the same time one succeeds', async () => {
  const open = await start({ allowDifferentEmails: true })
  const users = await Promise.all(Array.from({ length: 10 }, (_, i) => open.signedIn(`racer${i}@example.com`)))
  person('raced@example.com')
  const answers = await Promise.all(users.map((user) => signInAt(user, githubSignIn, '/link-social')))
  expect(answers.filter(({ location }) => location === '/account')).toHaveLength(1)
  expect(answers.filter((answer) => errorOf(answer) === 'account_already_linked_to_different_user')).toHaveLength(9)
})

test('linking and removing a provider is mailed to the owner, except for the provider of a sign-up', async () => {
  person('mona@example.com')
  await signInAt(t.client(), githubSignIn)
  expect(await t.mailKinds('mona@example.com')).toEqual([])
  const email = 'nils@example.com'
  const nils = await t.signedIn(email)
  await verify(t, email)
  person(email)
  await signInAt(nils, githubSignIn, '/link-social')
  await nils.post('/unlink-account', { providerId: 'github' })
  await nils.post('/unlink-account', { providerId: 'github' })
  // A sign-in links automatically when the provider vouches for the address.
  await signInAt(t.client(), githubSignIn)
  expect(await t.mailKinds(email)).toEqual(['user-identity-linked', 'user-identity-unlinked', 'user-identity-linked'])
  const { text, link } = await readMail((await t.mailTo(email, 'user-identity-linked')).raw)
  expect(text).toContain('You can now also sign in with “github”.')
  expect([text.includes('Network: 127.0.0.1'), new URL(link).pathname]).toEqual([true, '/not-me'])
})

test("linking a provider verifies the user's unverified email address if the provider has verified the address", async () => {
  const lea = await t.signedIn('lea@example.com')
  person('lea@example.com')
  await signInAt(lea, githubSignIn, '/link-social')
  expect((await lea.api.sessions.getSession())?.user.emailVerified).toBe(true)
})
