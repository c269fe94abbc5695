import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { errorOf, signInAt } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { authorizePath, codeFor, offline, redeem, refresh, register } from '../oidc/flow.ts'

let github: FakeGitHub
let t: TestApp
beforeAll(async () => {
  github = await startGitHub()
  t = await testApp({ config: { outbound, social: { github: github.section } } })
})
afterAll(async () => {
  await t.stop()
  await github.stop()
})

type Browser = ReturnType<TestApp['client']>
const start = { provider: 'github', callbackURL: '/account' }
const newPassword = 'another battery staple'
const userOf = async (client: Browser) => (await client.api.sessions.getSession())?.user
const tokenIn = (link: string) => /reset-password\/([A-Za-z0-9]{24})\?/.exec(link)?.[1] ?? ''

const reset = async (email: string) => {
  await t.client().post('/request-password-reset', { email })
  const token = tokenIn((await t.mailTo(email, 'reset-password')).link)
  return t.client().post('/reset-password', { newPassword, token })
}
const verificationLink = async (client: Browser, email: string) => {
  await client.post('/send-verification-email', { email })
  return (await t.mailTo(email, 'verification')).link
}

let next = 5000
/** A user who signed up through GitHub with a verified address, and then changed to another person's unverified address. */
const squat = async (own: string, victims: string) => {
  next += 1
  const person = githubPerson(next, own)
  github.state.person = person
  const squatter = t.client()
  await signInAt(squatter, start)
  await squatter.post('/change-email', { newEmail: victims })
  await squatter.request((await t.mailTo(own, 'change-email')).link)
  expect(await userOf(squatter)).toMatchObject({ email: victims, emailVerified: false })
  return { squatter, person }
}

test('a reset gives the owner of an email address their own account, and no access to a person who signed up through a provider and took the address', async () => {
  const { squatter, person } = await squat('mallory@evil.example', 'victim@corp.example')
  const shop = await register(t)
  const tokens = await redeem(t, shop, await codeFor(squatter, shop, offline))
  expect((await reset('victim@corp.example')).status).toBe(200)
  const victim = t.client()
  await victim.post('/sign-in/email', { email: 'victim@corp.example', password: newPassword })
  const user = await userOf(victim)
  expect(user).toMatchObject({ email: 'victim@corp.example', emailVerified: true })
  expect(await userOf(squatter)).toMatchObject({ emailVerified: false, email: expect.stringMatching(/@released\.invalid$/) })
  expect((await refresh(t, shop, tokens.json['refresh_token'])).status).toBe(200)
  expect((await victim.request(authorizePath(shop))).location).toMatch(/^\/consent\?/)
  github.state.person = person
  const again = t.client()
  await signInAt(again, start)
  expect((await userOf(again))?.id).not.toBe(user?.id)
})

test('a reset of a verified account revokes application tokens, including offline access, and keeps linked identities and consents to name and address', async () => {
  const ann = await t.signedIn('ann@example.com')
  github.state.person = githubPerson(6001, 'ann@example.com')
  await signInAt(ann, start, '/link-social')
  const shop = await register(t)
  const plain = await register(t)
  await codeFor(ann, plain)
  const tokens = await redeem(t, shop, await codeFor(ann, shop, offline))
  expect((await reset('ann@example.com')).status).toBe(200)
  expect((await refresh(t, shop, tokens.json['refresh_token'])).status).toBe(400)
  const back = t.client()
  await signInAt(back, start)
  expect((await userOf(back))?.email).toBe('ann@example.com')
  expect((await back.request(authorizePath(plain))).location).not.toMatch(/^\/consent\?/)
  expect((await back.request(authorizePath(shop))).location).toMatch(/^\/consent\?/)
})

test("the email address of an account with a linked identity is verified only in a session of the account's user", async () => {
  const { squatter } = await squat('moss@evil.example', 'owner@corp.example')
  const link = await verificationLink(squatter, 'owner@corp.example')
  const otherBrowser = t.client()
  expect(errorOf(await otherBrowser.request(link))).toBe('unauthorized')
  const other = await t.signedIn('other@example.com')
  expect(errorOf(await other.request(link))).toBe('unauthorized')
  expect((await userOf(squatter))?.emailVerified).toBe(false)
  expect(errorOf(await squatter.request(link))).toBeNull()
  expect((await userOf(squatter))?.emailVerified).toBe(true)
})

test('an account that was verified once stays with its user when the owner of its mistyped address makes a reset and gets a new account', async () => {
  const alice = await t.signedIn('alice@a.example')
  await alice.request(await verificationLink(alice, 'alice@a.example'))
  await alice.post('/change-email', { newEmail: 'bob@b.example' })
  await alice.request((await t.mailTo('alice@a.example', 'change-email')).link)
  expect(await userOf(alice)).toMatchObject({ email: 'bob@b.example', emailVerified: false })
  github.state.person = githubPerson(6002, 'bob@b.example')
  const bob = t.client()
  const before = await userOf(alice)
  expect(errorOf(await signInAt(bob, start))).toBeNull()
  expect(await userOf(bob)).toMatchObject({ email: 'bob@b.example', emailVerified: true })
  expect((await userOf(bob))?.id).not.toBe(before?.id)
  expect(await userOf(alice)).toMatchObject({ id: before?.id })
  expect((await t.client().post('/sign-in/email', { email: 'bob@b.example', password })).status).toBe(401)
})

test('an account that was never verified is claimed by the owner of its current email address', async () => {
  const squatter = await t.signedIn('first@example.com')
  await squatter.post('/change-email', { newEmail: 'second@example.com' })
  github.state.person = githubPerson(6003, 'second@example.com')
  const owner = t.client()
  await signInAt(owner, start)
  expect(await userOf(owner)).toMatchObject({ email: 'second@example.com', emailVerified: true })
  expect(await userOf(squatter)).toBeUndefined()
})
