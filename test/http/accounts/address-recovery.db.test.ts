import { afterAll, beforeAll, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { signInAt } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { codeFor, offline, redeem, refresh, register } from '../oidc/flow.ts'

let github: FakeGitHub
let t: TestApp
beforeAll(async () => {
  github = await startGitHub()
  t = await testApp({ config: { outbound, social: { allowDifferentEmails: true, github: github.section } } })
})
afterAll(async () => {
  await t.stop()
  await github.stop()
})

const { personWithPasskey, signIn: signInWithPasskey } = passkeySteps(() => t)

const newPassword = 'another battery staple'
const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? ''
const userOf = async (client: Client) => (await client.api.sessions.getSession())?.user
const signIn = async (email: string, secret = newPassword) => {
  const client = t.client()
  await client.post('/sign-in/email', { email, password: secret })
  return client
}
const verify = async (client: Client, email: string) => {
  await client.post('/send-verification-email', { email })
  await client.request((await t.mailTo(email, 'verification')).link)
}
/** A person with a verified address. */
const owner = async (email: string) => {
  const client = await t.signedIn(email)
  await verify(client, email)
  return client
}
/** A thief with the session, the password and one look into the mailbox changes the address. */
const steal = async (client: Client, from: string, to: string) => {
  await client.post('/change-email', { newEmail: to })
  await client.request((await t.mailTo(from, 'change-email')).link)
  expect((await userOf(client))?.email).toBe(to)
  return tokenOf((await t.mailTo(from, 'email-changed')).link)
}
/** Sets a new password by a mailed link. */
const reset = async (email: string, secret = newPassword) => {
  await t.client().post('/request-password-reset', { email })
  const { pathname } = new URL((await t.mailTo(email, 'reset-password')).link)
  return t.client().post('/reset-password', { token: pathname.split('/').at(-1), newPassword: secret })
}
const recover = (token: string, secret = newPassword) => t.client().post('/recover-address', { token, newPassword: secret })

test('a recovery link restores and verifies the earlier email address and ends all other access', async () => {
  const thief = await owner('ann@example.com')
  const id = (await userOf(thief))?.id
  const token = await steal(thief, 'ann@example.com', 'thief@evil.example')
  github.state.person = githubPerson(8001, 'thief@evil.example')
  await signInAt(thief, { provider: 'github', callbackURL: '/account' }, '/link-social')
  const app = await register(t)
  const held = (await redeem(t, app, await codeFor(thief, app, offline))).json

  expect((await t.client().post('/recover-address/check', { token })).json).toEqual({ email: 'ann@example.com' })
  expect((await recover(token, 'short')).json['code']).toBe('PASSWORD_TOO_SHORT')
  expect((await recover(token)).json).toEqual({ status: true, waysIn: [] })
  expect(await userOf(thief)).toBeUndefined()
  expect((await refresh(t, app, held['refresh_token'])).status).toBe(400)
  expect(await userOf(await signIn('thief@evil.example', password))).toBeUndefined()
  expect(await userOf(await signIn('ann@example.com'))).toMatchObject({ id, email: 'ann@example.com', emailVerified: true })
  const back = t.client()
  await signInAt(back, { provider: 'github', callbackURL: '/account' })
  expect((await userOf(back))?.id).not.toBe(id)
})

testOnBoth('a recovery link works once and for seven days, and only the hash of the link is stored', async () => {
  const thief = await owner('bob@example.com')
  const token = await steal(thief, 'bob@example.com', 'bobs-thief@evil.example')
  const [row] = await t.app.core.db.knex('address_recovery').where({ email: 'bob@example.com' })
  expect(JSON.stringify(row)).not.toContain(token)
  const answers = await Promise.all([recover(token), recover(token), recover(token)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  expect((await t.client().post('/recover-address/check', { token })).json['code']).toBe('INVALID_TOKEN')

  const late = await owner('cas@example.com')
  const old = await steal(late, 'cas@example.com', 'cass-thief@evil.example')
  t.clock.advance({ days: 7, seconds: 1 })
  expect((await recover(old)).json['code']).toBe('INVALID_TOKEN')
})

test("a thief who changes the email address twice neither invalidates the owner's recovery link nor gets a link that undoes the recovery", async () => {
  const thief = await owner('dan@example.com')
  const owners = await steal(thief, 'dan@example.com', 'first@evil.example')
  await verify(thief, 'first@evil.example')
  const thiefs = await steal(thief, 'first@evil.example', 'second@evil.example')
  expect((await recover(owners)).status).toBe(200)
  expect((await recover(thiefs, 'the password of a thief')).json['code']).toBe('INVALID_TOKEN')
  expect(await userOf(await signIn('dan@example.com'))).toMatchObject({ email: 'dan@example.com' })
  // The notice of the recovery carries no link, even though the thief had verified this address.
  const { link, raw } = await t.mailTo('second@evil.example', 'email-changed')
  expect([link.includes('token='), raw.includes('/recover-address')]).toEqual([false, false])
})

test('a sign-up with the earlier email address does not block its recovery link', async () => {
  const thief = await owner('eve@example.com')
  const token = await steal(thief, 'eve@example.com', 'eves-thief@evil.example')
  const blocker = await t.signedIn('eve@example.com')
  expect((await recover(token)).status).toBe(200)
  expect(await userOf(blocker)).toBeUndefined()
  expect(await userOf(await signIn('eve@example.com', password))).toBeUndefined()
  expect(await userOf(await signIn('eve@example.com'))).toMatchObject({ emailVerified: true })
})

test('an account that loses its email address to the owner gets a placeholder address that no sign-up can have', async () => {
  const thief = await owner('ida@example.com')
  const token = await steal(thief, 'ida@example.com', 'idas-thief@evil.example')
  const blocker = await t.signedIn('ida@example.com')
  const { id } = (await userOf(blocker)) ?? {}
  await t.signedIn(`${id?.toLowerCase()}@released.invalid`)
  expect((await recover(token)).status).toBe(200)
  expect(await userOf(await signIn('ida@example.com'))).toMatchObject({ emailVerified: true })
})

test('a reset by an unverified email address does not hand over an account while its earlier address can still take the account back', async () => {
  const squatter = await owner('squatter@evil.example')
  const theirs = await userOf(squatter)
  const token = await steal(squatter, 'squatter@evil.example', 'jan@example.com')
  await t.client().post('/request-password-reset', { email: 'jan@example.com' })
  const link = new URL((await t.mailTo('jan@example.com', 'reset-password')).link)
  const jans = 'the password of jan here'
  const reset = { token: link.pathname.split('/').at(-1), newPassword: jans }
  expect((await t.client().post('/reset-password', reset)).json).toEqual({ status: true })
  const jan = await signIn('jan@example.com', jans)
  const before = await userOf(jan)
  expect(before).toMatchObject({ email: 'jan@example.com', emailVerified: true })

  expect((await recover(token)).status).toBe(200)
  expect(await userOf(jan)).toEqual(before)
  expect((await userOf(await signIn('squatter@evil.example')))?.id).toBe(theirs?.id)
  expect(before?.id).not.toBe(theirs?.id)
})

test('a reset by an unverified email address never hands over an account whose earlier owner has a passkey, even when no recovery link is left', async () => {
  const { client, authenticator } = await personWithPasskey('passkey@evil.example')
  await verify(client, 'passkey@evil.example')
  const theirs = await userOf(client)
  await steal(client, 'passkey@evil.example', 'kim@example.com')
  t.clock.advance({ days: 8 })
  expect((await reset('kim@example.com')).json).toEqual({ status: true })
  const kim = await userOf(await signIn('kim@example.com'))
  expect(kim).toMatchObject({ email: 'kim@example.com', emailVerified: true })

  const earlier = t.client()
  expect((await signInWithPasskey(earlier, authenticator)).status).toBe(200)
  expect((await userOf(earlier))?.id).toBe(theirs?.id)
  expect(kim?.id).not.toBe(theirs?.id)
})

test('an administrator who sets a new email address as verified ends recovery by earlier addresses, and the new address can reset the password', async () => {
  const admin = await signedInAs(t, 'admin')
  const thief = await owner('lou@example.com')
  const { id = '' } = (await userOf(thief)) ?? {}
  const token = await steal(thief, 'lou@example.com', 'lous-thief@evil.example')
  await admin.api.users.adminPatchUser({ params: { id }, body: { email: 'lou@new.example', emailVerified: true } })
  expect((await recover(token)).json['code']).toBe('INVALID_TOKEN')
  expect((await reset('lou@new.example')).json).toEqual({ status: true })
  expect(await userOf(await signIn('lou@new.example'))).toMatchObject({ id, emailVerified: true })
})

testOnBoth(
  'of several simultaneous resets of a contested address one succeeds, and of a simultaneous recovery and deletion one succeeds',
  async () => {
    const squatter = await owner('oda@evil.example')
    const theirs = await userOf(squatter)
    const token = await steal(squatter, 'oda@evil.example', 'pia@example.com')
    await t.client().post('/request-password-reset', { email: 'pia@example.com' })
    const { pathname } = new URL((await t.mailTo('pia@example.com', 'reset-password')).link)
    const body = { token: pathname.split('/').at(-1), newPassword }
    const answers = await Promise.all([1, 2, 3].map(() => t.client().post('/reset-password', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect((await userOf(await signIn('pia@example.com')))?.id).not.toBe(theirs?.id)

    const [recovered, deleted] = await Promise.all([recover(token), squatter.post('/delete-user', { password })])
    expect([recovered, deleted].filter(({ status }) => status === 200)).toHaveLength(1)
    const left = await userOf(await signIn('oda@evil.example'))
    expect(left?.id).toBe(recovered.status === 200 ? theirs?.id : undefined)
  },
)

test('deleting an account notifies the earlier email addresses that could take the account back', async () => {
  const thief = await owner('nel@example.com')
  const token = await steal(thief, 'nel@example.com', 'nels-thief@evil.example')
  expect((await thief.post('/delete-user', { password })).status).toBe(200)
  for (const email of ['nel@example.com', 'nels-thief@evil.example'])
    expect(await t.mailKinds(email)).toContain('account-deleted')
  expect((await recover(token)).json['code']).toBe('INVALID_TOKEN')
})

test('a link that restores an earlier email address is refused while another account has verified that address, and works after that account is deleted', async () => {
  const thief = await owner('fay@example.com')
  const token = await steal(thief, 'fay@example.com', 'fays-thief@evil.example')
  const second = await t.signedIn('fay@example.com')
  const proven = { email_verified: true, email_ever_verified: true }
  await t.app.core.db.knex('user').where({ email: 'fay@example.com' }).update(proven)
  const refused = await recover(token)
  expect([refused.status, refused.json['code']]).toEqual([400, 'ANOTHER_ACCOUNT_HAS_THIS_ADDRESS'])
  expect(await userOf(thief)).toMatchObject({ email: 'fays-thief@evil.example' })
  expect((await second.post('/delete-user', { password })).status).toBe(200)
  expect((await recover(token)).status).toBe(200)
})

test('an earlier email address that was never verified gets a notice without a recovery link', async () => {
  const slip = await t.signedIn('typo@example.com')
  await slip.post('/change-email', { newEmail: 'right@example.com' })
  expect((await t.mailTo('typo@example.com', 'email-changed')).raw).not.toContain('/recover-address')
  expect(await t.app.core.db.knex('address_recovery').where({ email: 'typo@example.com' })).toEqual([])
})

test('a change of the email address needs a sign-in with the password within the last ten minutes', async () => {
  const client = await t.signedIn('gus@example.com')
  await verify(client, 'gus@example.com')
  github.state.person = githubPerson(8002, 'gus@example.com')
  await signInAt(client, { provider: 'github', callbackURL: '/account' }, '/link-social')
  t.clock.advance({ minutes: 11 })
  const change = () => client.post('/change-email', { newEmail: 'gus.new@example.com' })
  const stale = await change()
  expect([stale.status, stale.json['code']]).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  await signInAt(client, { provider: 'github', callbackURL: '/account' })
  expect((await change()).json['code']).toBe('SESSION_IS_NOT_FRESH')
  await client.post('/sign-in/email', { email: 'gus@example.com', password })
  expect((await change()).status).toBe(200)
})

test('a user without a password can change the email address within ten minutes of any sign-in, and at any time if changeEmailPasswordSeconds is 0', async () => {
  github.state.person = githubPerson(8003, 'hub@example.com')
  const client = t.client()
  await signInAt(client, { provider: 'github', callbackURL: '/account' })
  const change = (app: TestApp) => {
    const browser = app.client()
    for (const [name, value] of client.cookies) browser.cookies.set(name, value)
    return browser.post('/change-email', { newEmail: 'hub.new@example.com' }, { origin: t.url })
  }
  expect((await change(t)).status).toBe(200)
  t.clock.advance({ minutes: 11 })
  expect((await change(t)).status).toBe(403)
  const lax = await t.node({ accounts: { changeEmailPasswordSeconds: 0 } })
  expect((await change(lax)).status).toBe(200)
  await lax.stop()
})

test('without passwords, a recovery keeps the provider that created the account and removes a provider that was linked later', async () => {
  const bare = await t.node({ accounts: { emailPasswordEnabled: false } })
  github.state.person = githubPerson(8004, 'kay@example.com')
  const thief = t.client()
  await signInAt(thief, { provider: 'github', callbackURL: '/account' })
  const { id } = (await userOf(thief)) ?? {}
  t.clock.advance({ minutes: 2 })
  github.state.person = githubPerson(8005, 'kays-thief@evil.example')
  await signInAt(thief, { provider: 'github', callbackURL: '/account' }, '/link-social')
  const token = await steal(thief, 'kay@example.com', 'kays-thief@evil.example')
  const recovered = await bare.client().post('/recover-address', { token }, { origin: t.url })
  await bare.stop()
  expect(recovered.json).toEqual({ status: true, waysIn: [{ kind: 'provider', name: 'github', addedAt: null }] })
  expect(await userOf(thief)).toBeUndefined()

  const signInAs = async (person: number, email: string) => {
    github.state.person = githubPerson(person, email)
    const client = t.client()
    await signInAt(client, { provider: 'github', callbackURL: '/account' })
    return userOf(client)
  }
  expect(await signInAs(8004, 'kays-other@example.com')).toMatchObject({ id, email: 'kay@example.com' })
  expect((await signInAs(8005, 'kays-thief@evil.example'))?.id).not.toBe(id)
})
