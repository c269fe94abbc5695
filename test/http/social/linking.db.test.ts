import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { atProvider, depart, errorOf, signInAt } from '../../support/social/journey.ts'
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

const begin = { provider: 'github', callbackURL: '/account' }
const userIdOf = async (client: ReturnType<TestApp['client']>) => (await client.api.sessions.getSession())?.user.id
const verify = (app: TestApp, email: string) => app.app.core.db.knex('user').where({ email }).update({ email_verified: true })
let next = 1000
const person = (email: string, verified = true) => {
  next += 1
  github.state.person = githubPerson(next, email, verified)
}

test('a proven address leads to the user who has proven it too, whose password stays', async () => {
  const ann = await t.signedIn('ann@example.com')
  await verify(t, 'ann@example.com')
  person('Ann@Example.com')
  const client = t.client()
  expect((await signInAt(client, begin)).location).toBe('/account')
  expect(await userIdOf(client)).toBe(await userIdOf(ann))
  expect((await t.client().post('/sign-in/email', { email: 'ann@example.com', password })).status).toBe(200)
})

test('landing on an account whose address nobody had proven removes its password and ends its sessions', async () => {
  const squatter = await t.signedIn('owner@example.com')
  person('owner@example.com')
  const owner = t.client()
  expect((await signInAt(owner, begin)).location).toBe('/account')
  expect((await owner.api.sessions.getSession())?.user).toMatchObject({ email: 'owner@example.com', emailVerified: true })
  expect(await squatter.api.sessions.getSession()).toBeNull()
  const answer = await t.client().post('/sign-in/email', { email: 'owner@example.com', password })
  expect([answer.status, answer.json['code']]).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
})

test('an account at a provider that a squatter had linked goes with the password', async () => {
  const open = await start({ allowDifferentEmails: true })
  const squatter = await open.signedIn('mine@example.com')
  person('squatter@example.com')
  const squatters = github.state.person
  expect((await signInAt(squatter, begin, '/link-social')).location).toBe('/account')
  person('mine@example.com')
  const owner = open.client()
  await signInAt(owner, begin)
  github.state.person = squatters
  const back = open.client()
  await signInAt(back, begin)
  expect(await userIdOf(back)).not.toBe(await userIdOf(owner))
})

test('what applications hold in the squatter’s name ends, offline access too, and consent is asked anew', async () => {
  const squatter = await t.signedIn('apps@example.com')
  const shop = await register(t)
  const tokens = await redeem(t, shop, await codeFor(squatter, shop, offline))
  expect((await refresh(t, shop, tokens.json['refresh_token'])).status).toBe(200)
  person('apps@example.com')
  const owner = t.client()
  await signInAt(owner, begin)
  expect((await userinfo(t, tokens.json['access_token'])).status).toBe(401)
  expect(await t.app.core.db.knex('oidc_model').where({ account_id: await userIdOf(owner) })).toEqual([])
  expect((await owner.request(authorizePath(shop))).location).toMatch(/^\/consent\?/)
})

test('an address that the provider has not proven leads to nobody', async () => {
  await t.signedIn('bob@example.com')
  await verify(t, 'bob@example.com')
  person('bob@example.com', false)
  const client = t.client()
  expect(errorOf(await signInAt(client, begin))).toBe('account_not_linked')
  expect(await client.api.sessions.getSession()).toBeNull()
})

test('a trusted provider is believed without proof, but proves nothing', async () => {
  const trusting = await start({ trustedProviders: ['github'] })
  await trusting.signedIn('carl@example.com')
  person('carl@example.com', false)
  const client = trusting.client()
  expect((await signInAt(client, begin)).location).toBe('/account')
  expect((await client.api.sessions.getSession())?.user.emailVerified).toBe(false)
})

test('a provider whose word about addresses is not trusted leads to nobody by one, vouches for none, and is linked from inside', async () => {
  const wary = await start({ github: { ...github.section, trustsEmail: false } })
  const owner = await wary.signedIn('dave@example.com')
  await verify(wary, 'dave@example.com')
  person('dave@example.com')
  expect(errorOf(await signInAt(wary.client(), begin))).toBe('account_not_linked')
  expect((await signInAt(owner, begin, '/link-social')).location).toBe('/account')
  person('newcomer@example.com')
  const newcomer = wary.client()
  await signInAt(newcomer, begin)
  expect((await newcomer.api.sessions.getSession())?.user).toMatchObject({ email: 'newcomer@example.com', emailVerified: false })
})

test('no provider leads into an administrator’s account by its address; the administrator links it, signed in', async () => {
  const trusting = await start({ trustedProviders: ['github'] })
  const admin = await trusting.signedIn('root@example.com')
  await trusting.app.core.db.knex('user').where({ email: 'root@example.com' }).update({ role: 'admin' })
  for (const isVerified of [false, true]) {
    if (isVerified) await verify(trusting, 'root@example.com')
    person('root@example.com')
    const thief = trusting.client()
    expect(errorOf(await signInAt(thief, begin))).toBe('account_not_linked')
    expect(await thief.api.sessions.getSession()).toBeNull()
  }
  expect((await signInAt(admin, begin, '/link-social')).location).toBe('/account')
  const back = trusting.client()
  await signInAt(back, begin)
  expect(await userIdOf(back)).toBe(await userIdOf(admin))
})

test('with linking off a proven address leads to nobody either', async () => {
  const closed = await start({ linkingEnabled: false })
  const dora = await closed.signedIn('dora@example.com')
  person('dora@example.com')
  expect(errorOf(await signInAt(closed.client(), begin))).toBe('account_not_linked')
  expect(errorOf(await signInAt(dora, begin, '/link-social'))).toBe('unable_to_link_account')
})

test.each([
  ['sign-up is off', {}, { accounts: { signUpEnabled: false } }],
  ['sign-up through providers is off', { signUpEnabled: false }, {}],
])('a stranger is refused when %s, even one who asks', async (_, social, config) => {
  const closed = await start(social, config)
  person(`stranger${next}@example.com`)
  expect(errorOf(await signInAt(closed.client(), { ...begin, requestSignUp: true }))).toBe('signup_disabled')
})

test('without implicit sign-up a stranger has to ask for an account', async () => {
  const asking = await start({ implicitSignUp: false })
  person('asks@example.com')
  expect(errorOf(await signInAt(asking.client(), begin))).toBe('signup_disabled')
  expect((await signInAt(asking.client(), { ...begin, requestSignUp: true })).location).toBe('/account')
  expect((await signInAt(asking.client(), begin)).location).toBe('/account')
})

test('one provider may be closed to strangers alone', async () => {
  const closed = await start({ github: { ...github.section, signUpEnabled: false } })
  person('closed@example.com')
  expect(errorOf(await signInAt(closed.client(), begin))).toBe('signup_disabled')
})

test('a signed-in user links an account, and signs in with it from then on', async () => {
  const eve = await t.signedIn('eve@example.com')
  person('eve@example.com')
  const answer = await eve.post('/link-social', { ...begin, scopes: ['gist'] })
  expect(answer.json).toEqual({
    url: expect.stringContaining('scope=read%3Auser%20user%3Aemail%20gist'),
    redirect: true,
    status: true,
  })
  expect((await eve.request(await atProvider(String(answer.json['url'])))).location).toBe('/account')
  const other = t.client()
  await signInAt(other, begin)
  expect(await userIdOf(other)).toBe(await userIdOf(eve))
  // Linking is not landing: the user was there, and keeps the password.
  expect((await t.client().post('/sign-in/email', { email: 'eve@example.com', password })).status).toBe(200)
  expect((await signInAt(eve, begin, '/link-social')).location).toBe('/account')
})

test('linking needs a session', async () => {
  expect((await t.client().post('/link-social', begin)).status).toBe(401)
})

test('linking needs the session that asked for it to the end', async () => {
  const fred = await t.signedIn('fred@example.com')
  person('fred@example.com')
  const { url } = await depart(fred, begin, '/link-social')
  const back = await atProvider(url)
  await fred.post('/sign-out')
  expect(errorOf(await fred.request(back))).toBe('unable_to_link_account')
})

test('an account with another address is linked only when the setting allows it', async () => {
  const gina = await t.signedIn('gina@example.com')
  person('gina@elsewhere.example')
  expect(errorOf(await signInAt(gina, begin, '/link-social'))).toBe("email_doesn't_match")
  const open = await start({ allowDifferentEmails: true })
  const hans = await open.signedIn('hans@example.com')
  person('hans@elsewhere.example')
  expect((await signInAt(hans, begin, '/link-social')).location).toBe('/account')
})

test('an account that has not proven its address is not linked', async () => {
  const ida = await t.signedIn('ida@example.com')
  person('ida@example.com', false)
  expect(errorOf(await signInAt(ida, begin, '/link-social'))).toBe('unable_to_link_account')
})

test('an account linked to one user is not linked to another', async () => {
  const open = await start({ allowDifferentEmails: true })
  const [jon, kim] = [await open.signedIn('jon@example.com'), await open.signedIn('kim@example.com')]
  person('shared@example.com')
  expect((await signInAt(jon, begin, '/link-social')).location).toBe('/account')
  const answer = await signInAt(kim, { ...begin, errorCallbackURL: '/account/linked' }, '/link-social')
  expect(answer.location).toBe('/account/linked?error=account_already_linked_to_different_user')
})

test('ten users who link one account at once: one has it', async () => {
  const open = await start({ allowDifferentEmails: true })
  const users = await Promise.all(Array.from({ length: 10 }, (_, i) => open.signedIn(`racer${i}@example.com`)))
  person('raced@example.com')
  const answers = await Promise.all(users.map((user) => signInAt(user, begin, '/link-social')))
  expect(answers.filter(({ location }) => location === '/account')).toHaveLength(1)
  expect(answers.filter((answer) => errorOf(answer) === 'account_already_linked_to_different_user')).toHaveLength(9)
})

test('linking tells a user whose address was unproven that it is proven now', async () => {
  const lea = await t.signedIn('lea@example.com')
  person('lea@example.com')
  await signInAt(lea, begin, '/link-social')
  expect((await lea.api.sessions.getSession())?.user.emailVerified).toBe(true)
})
