import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { overlap } from '../../support/overlap.ts'
import { codeFor, offline, redeem, refresh, register } from '../oidc/flow.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? ''

const mailedToken = async (email: string) => {
  const client = await t.signedIn(email)
  await client.api.accounts.sendVerificationEmail({ body: { email } })
  return { client, token: tokenOf((await t.mailTo(email)).link) }
}

test('a verification token verifies the email address, and without a callback the response is JSON', async () => {
  const { client, token } = await mailedToken('a@example.com')
  const answer = await client.request(`/verify-email?token=${token}`)
  expect([answer.status, answer.json]).toEqual([200, { status: true, user: null }])
  expect(await client.api.sessions.getSession()).toMatchObject({ user: { emailVerified: true } })
})

test('a verification token that is expired, forged or for another purpose verifies nothing', async () => {
  const { client, token } = await mailedToken('b@example.com')
  const forged = `${token.slice(0, -4)}AAAA`
  expect((await client.request(`/verify-email?token=${forged}`)).json).toEqual({
    code: 'INVALID_TOKEN',
    message: 'invalid_token',
  })
  const redirected = await client.request(`/verify-email?token=${forged}&callbackURL=/account?a=1`)
  expect([redirected.status, redirected.location]).toEqual([302, '/account?a=1&error=invalid_token'])
  t.clock.advance({ seconds: 3601 })
  const late = await client.request(`/verify-email?token=${token}`)
  expect([late.status, late.json]).toEqual([401, { code: 'TOKEN_EXPIRED', message: 'token_expired' }])
  expect(await client.api.sessions.getSession()).toMatchObject({ user: { emailVerified: false } })
})

test('a verification token for an earlier email address of the user verifies nothing', async () => {
  const { client, token } = await mailedToken('c@example.com')
  await t.app.core.db.knex('user').where({ email: 'c@example.com' }).update({ email: 'c2@example.com' })
  expect((await client.request(`/verify-email?token=${token}`)).json['code']).toBe('INVALID_TOKEN')
  await t.app.core.db.knex('user').where({ email: 'c2@example.com' }).delete()
  const gone = await client.request(`/verify-email?token=${token}`)
  expect([gone.status, gone.json]).toEqual([401, { code: 'USER_NOT_FOUND', message: 'user_not_found' }])
})

test("a verification mail is sent only to one's own unverified email address, and the response never reveals whether an address has an account", async () => {
  const { client, token } = await mailedToken('d@example.com')
  const other = await client.post('/send-verification-email', { email: 'x@example.com' })
  expect([other.status, other.json['message']]).toEqual([400, 'You can only send a verification email to your own email'])
  await client.request(`/verify-email?token=${token}`)
  const again = await client.post('/send-verification-email', { email: 'd@example.com' })
  expect([again.status, again.json['message']]).toEqual([400, 'You can only send a verification email to an unverified email'])
  for (const email of ['nobody@example.com', 'd@example.com'])
    expect((await t.client().post('/send-verification-email', { email })).json).toEqual({ status: true })
  expect((await t.client().post('/send-verification-email', { email: 'nonsense' })).json['code']).toBe('INVALID_EMAIL')
})

test('a verification link with an untrusted callback address fails', async () => {
  const answer = await t.client().request('/verify-email?token=x&callbackURL=https://evil.example')
  expect([answer.status, answer.json['code']]).toEqual([403, 'INVALID_CALLBACKURL'])
})

const html = { headers: { accept: 'text/html' } }
const signIn = (email: string, secret: string) => t.client().post('/sign-in/email', { email, password: secret })

test('a verification link opened in a browser without a session of the account leads to a page and verifies nothing', async () => {
  const { client, token } = await mailedToken('scanned@example.com')
  const other = await t.signedIn('other@example.com')
  for (const browser of [t.client(), other]) {
    for (const more of ['', '&confirmed=true']) {
      const opened = await browser.request(`/verify-email?token=${token}&callbackURL=/account${more}`, html)
      expect([opened.status, opened.location]).toEqual([302, `/confirm-email?token=${token}&callbackURL=%2Faccount`])
    }
    const program = await browser.request(`/verify-email?token=${token}`)
    expect([program.status, program.json]).toEqual([401, { code: 'UNAUTHORIZED', message: 'unauthorized' }])
  }
  expect(await client.api.sessions.getSession()).toMatchObject({ user: { emailVerified: false } })
})

test('a verification link in another browser leads to a page that asks for the password, and the password stays the same', async () => {
  const { client, token } = await mailedToken('phone@example.com')
  const phone = t.client()
  const asked = await phone.post('/verify-email/check', { token })
  expect(asked.json).toEqual({ email: 'phone@example.com', asks: 'password', isClaimable: true })
  expect((await phone.post('/verify-email', { token })).status).toBe(401)
  const wrong = await phone.post('/verify-email', { token, password: 'not the password' })
  expect([wrong.status, wrong.json['code']]).toEqual([400, 'INVALID_PASSWORD'])
  const right = await phone.post('/verify-email', { token, password, callbackURL: '/account' })
  expect([right.status, right.json]).toMatchObject([200, { status: true, url: '/account', user: { emailVerified: true } }])
  expect(await client.api.sessions.getSession()).toMatchObject({ user: { emailVerified: true } })
  expect((await signIn('phone@example.com', password)).status).toBe(200)
})

test('the owner of an email address claims an account that somebody else created with the address, and ends all earlier access', async () => {
  const newPassword = 'another battery staple'
  const { client: squatter, token } = await mailedToken('victim@example.com')
  const app = await register(t)
  const held = (await redeem(t, app, await codeFor(squatter, app, offline))).json
  const owner = t.client()
  const taken = await owner.post('/verify-email', { token, newPassword })
  expect([taken.status, taken.json]).toMatchObject([200, { token: null, user: { emailVerified: true } }])
  expect(await squatter.api.sessions.getSession()).toBeNull()
  expect((await refresh(t, app, held['refresh_token'])).status).toBe(400)
  expect((await signIn('victim@example.com', password)).status).toBe(401)
  expect((await signIn('victim@example.com', newPassword)).status).toBe(200)
  // The link cannot reset the password of an account whose address is already verified.
  const again = await t.client().post('/verify-email', { token, newPassword: 'yet another password' })
  expect([again.status, again.json['code']]).toEqual([401, 'INVALID_TOKEN'])
})

test('a verification link for a new email address cannot claim an account that has verified another address', async () => {
  const { client, token } = await mailedToken('slip@example.com')
  await client.request(`/verify-email?token=${token}`)
  await client.post('/change-email', { newEmail: 'sljp@example.com' })
  await client.request(`/verify-email?token=${tokenOf((await t.mailTo('slip@example.com', 'change-email')).link)}`)
  const later = tokenOf((await t.mailTo('sljp@example.com', 'verification')).link)
  const stranger = t.client()
  expect((await stranger.post('/verify-email/check', { token: later })).json).toMatchObject({
    asks: 'password',
    isClaimable: false,
  })
  const refused = await stranger.post('/verify-email', { token: later, newPassword: 'another battery staple' })
  expect([refused.status, refused.json['code']]).toEqual([401, 'INVALID_TOKEN'])
})

testOnBoth('a claim and a simultaneous confirmation with the password leave one sign-in method', async () => {
  const newPassword = 'another battery staple'
  const { token } = await mailedToken('race@example.com')
  const answers = await Promise.all([
    t.client().post('/verify-email', { token, newPassword }),
    t.client().post('/verify-email', { token, password }),
  ])
  const isTaken = answers[0]?.status === 200
  expect([(await signIn('race@example.com', password)).status, (await signIn('race@example.com', newPassword)).status]).toEqual(
    isTaken ? [401, 200] : [200, 401],
  )
})

testOnBoth('an address change changes nothing if a simultaneous claim of the account ends its session', async () => {
  const squatter = await t.signedIn('overlap@example.com')
  const user = await t.app.users.require(t.app.core.db, 'overlap@example.com')
  const change = () => squatter.post('/change-email', { newEmail: 'mallory@evil.example' })
  await overlap([t, t], (tx) => t.app.passwordService.claim(tx, systemPrincipal('test'), user, 'a hash'), change)
  expect(await t.app.users.find(t.app.core.db, user.id)).toMatchObject({ email: 'overlap@example.com', emailVerified: true })
})

test('a verification link opened in a session of its user verifies the email address without a page', async () => {
  const { client, token } = await mailedToken('own@example.com')
  const opened = await client.request(`/verify-email?token=${token}&callbackURL=/account`, html)
  expect(opened.location).toBe('/account')
  expect(await client.api.sessions.getSession()).toMatchObject({ user: { emailVerified: true } })
})
