/** A person verifies their own address and then changes it to another person's. The owner of that address must not get the account. */
import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { signInAt } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { codeOf, withAuthenticator, withPassword } from '../../support/totp.ts'
import { resetTokenOf, signedInByGitHub, signedInByMail } from './address-owner.ts'

let github: FakeGitHub
let t: TestApp
beforeAll(async () => {
  github = await startGitHub()
  t = await testApp({
    config: {
      outbound,
      mailSignIn: { enabled: true, signUp: true },
      social: { allowDifferentEmails: true, github: github.section },
    },
  })
})
afterAll(async () => {
  await t.stop()
  await github.stop()
})

const newPassword = 'another battery staple'
const userOf = async (client: Client) => (await client.api.sessions.getSession())?.user
const { register, signIn: signInWithPasskey, personWithPasskey } = passkeySteps(() => t)

/** The signed-in person verifies their own address, changes it to another person's, and waits until no recovery link is left. */
const squat = async (client: Client, own: string, victims: string) => {
  await t.verify(own)
  expect((await client.post('/change-email', { newEmail: victims })).status).toBe(200)
  await client.request((await t.mailTo(own, 'change-email')).link)
  expect(await userOf(client)).toMatchObject({ email: victims, emailVerified: false })
  t.clock.advance({ days: 8 })
}

/** The ways in which the owner of an address proves it. Each returns a browser that is signed in. */
const ways: Readonly<Record<string, (email: string) => Promise<Client>>> = {
  'a reset': async (email) => {
    const body = { token: await resetTokenOf(t, email), newPassword }
    expect((await t.client().post('/reset-password', body)).json).toMatchObject({ status: true })
    const owner = t.client()
    await owner.post('/sign-in/email', { email, password: newPassword })
    return owner
  },
  'a mailed code': (email) => signedInByMail(t, email),
  'a provider': (email) => signedInByGitHub(t, github, 7000 + email.length * 100 + email.charCodeAt(0), email),
}

let next = 0
const addresses = (name: string) => {
  next += 1
  return [`${name}${next}@evil.example`, `${'x'.repeat(next)}${name}@corp.example`] as const
}

test.each(Object.keys(ways))(
  'an account with an authenticator app stays with its person when the owner of its unverified email address arrives by %s',
  async (way) => {
    const [own, victims] = addresses('app')
    const { browser, totpURI } = await withAuthenticator(t, own)
    const before = await userOf(browser)
    await squat(browser, own, victims)

    const owner = await ways[way]?.(victims)
    const theirs = owner && (await userOf(owner))
    expect(theirs).toMatchObject({ email: victims, emailVerified: true, twoFactorEnabled: false })
    expect(theirs?.id).not.toBe(before?.id)

    // The old account keeps everything but the address. An operator who gives it another address finds the password and the app in it.
    const { id = '' } = before ?? {}
    expect((await t.app.users.require(t.app.core.db, id)).email).toMatch(/@released\.invalid$/)
    await t.app.core.transact((tx) => tx.knex('user').where({ id }).update({ email: own }))
    const again = await withPassword(t, own)
    await again.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
    expect(await userOf(again)).toMatchObject({ id, twoFactorEnabled: true })
  },
)

test.each(Object.keys(ways))(
  'a passkey still opens its account after the owner of the unverified email address has taken the address by %s',
  async (way) => {
    const [own, victims] = addresses('key')
    const { client, authenticator } = await personWithPasskey(own)
    const before = await userOf(client)
    await squat(client, own, victims)
    const owner = await ways[way]?.(victims)
    const earlier = t.client()
    expect((await signInWithPasskey(earlier, authenticator)).status).toBe(200)
    expect((await userOf(earlier))?.id).toBe(before?.id)
    expect(owner && (await userOf(owner))?.id).not.toBe(before?.id)
  },
)

test("a sign-in method added to an account after the account lost an unverified address does not open the account of the address's owner", async () => {
  const [own, victims] = addresses('later')
  const squatter = await t.signedIn(own)
  await squat(squatter, own, victims)
  await squatter.post('/sign-in/email', { email: victims, password })
  const owner = await ways['a reset']?.(victims)
  const authenticator = (await personWithPasskey(addresses('other')[0])).authenticator
  await squatter.post('/verify-password', { password })
  await register(squatter, authenticator)
  expect((await userOf(squatter))?.id).not.toBe(owner && (await userOf(owner))?.id)
  const byPassword = await t.client().post('/sign-in/email', { email: victims, password })
  expect(byPassword.status).toBe(401)
})

test('an account that once verified another email address is not handed over even if sign-up is closed', async () => {
  const [own, victims] = addresses('closed')
  const squatter = await t.signedIn(own)
  const { id } = (await userOf(squatter)) ?? {}
  await squat(squatter, own, victims)
  const closed = await t.node({ accounts: { signUpEnabled: false } })
  const token = await resetTokenOf(closed, victims)
  const answer = await closed.client().post('/reset-password', { token, newPassword })
  expect([answer.status, answer.json['code']]).toEqual([400, 'INVALID_TOKEN'])
  expect((await t.app.users.require(t.app.core.db, victims)).id).toBe(id)
  await closed.stop()
})

testOnBoth(
  'a reset, a provider sign-in and another reset at the same moment create one account for the owner of an email address',
  async () => {
    const [own, victims] = addresses('race')
    const squatter = await t.signedIn(own)
    const before = await userOf(squatter)
    await squat(squatter, own, victims)
    const token = await resetTokenOf(t, victims)
    const reset = () => t.client().post('/reset-password', { token, newPassword })
    github.state.person = githubPerson(9001, victims)
    await Promise.all([reset(), signInAt(t.client(), { provider: 'github', callbackURL: '/account' }), reset()])
    const rows = await t.app.core.db.knex('user').where({ email: victims })
    expect(rows).toHaveLength(1)
    expect(rows[0]?.id).not.toBe(before?.id)
    expect((await t.app.users.require(t.app.core.db, before?.id ?? '')).email).toMatch(/@released\.invalid$/)
  },
)
