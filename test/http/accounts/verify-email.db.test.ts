import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemCaller } from '../../../src/core/caller.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
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

test('the token verifies the address; without callback the answer is JSON', async () => {
  const { client, token } = await mailedToken('a@example.com')
  const answer = await client.request(`/verify-email?token=${token}`)
  expect([answer.status, answer.json]).toEqual([200, { status: true, user: null }])
  expect(await client.api.sessions.getSession()).toMatchObject({ user: { emailVerified: true } })
})

test('an expired, forged or foreign token verifies nothing', async () => {
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

test('a token for an address the user no longer has is worthless', async () => {
  const { client, token } = await mailedToken('c@example.com')
  await t.app.core.db.knex('user').where({ email: 'c@example.com' }).update({ email: 'c2@example.com' })
  expect((await client.request(`/verify-email?token=${token}`)).json['code']).toBe('INVALID_TOKEN')
  await t.app.core.db.knex('user').where({ email: 'c2@example.com' }).delete()
  const gone = await client.request(`/verify-email?token=${token}`)
  expect([gone.status, gone.json]).toEqual([401, { code: 'USER_NOT_FOUND', message: 'user_not_found' }])
})

test('sending: only to oneself, only while unverified, and strangers learn nothing', async () => {
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

test('a callback elsewhere is refused', async () => {
  const answer = await t.client().request('/verify-email?token=x&callbackURL=https://evil.example')
  expect([answer.status, answer.json['code']]).toEqual([403, 'INVALID_CALLBACKURL'])
})

const html = { headers: { accept: 'text/html' } }
const signIn = (email: string, secret: string) => t.client().post('/sign-in/email', { email, password: secret })

test('a link opened in a browser that is not signed in to the account leads to a page and verifies nothing', async () => {
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

test('elsewhere the page asks for the password of the account, which stays', async () => {
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

test('the owner of an address takes over an account that somebody else made on it: all that the other had ends', async () => {
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
  // The link is no way to reset the password of an account that is somebody's by proof.
  const again = await t.client().post('/verify-email', { token, newPassword: 'yet another password' })
  expect([again.status, again.json['code']]).toEqual([401, 'INVALID_TOKEN'])
})

test('an account that has proven another address is not given away by a link to one it was changed to', async () => {
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

test('of an owner who takes the account over and a password given at once, whoever wins leaves one way in', async () => {
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

test('a change of address that overlaps the end of its session by a claim of the account changes nothing', async () => {
  const squatter = await t.signedIn('overlap@example.com')
  const user = await t.app.users.require(t.app.core.db, 'overlap@example.com')
  const change = () => squatter.post('/change-email', { newEmail: 'mallory@evil.example' })
  await overlap([t, t], (tx) => t.app.passwordCare.claim(tx, systemCaller('test'), user, 'a hash'), change)
  expect(await t.app.users.find(t.app.core.db, user.id)).toMatchObject({ email: 'overlap@example.com', emailVerified: true })
})

test('the owner, signed in, needs no page', async () => {
  const { client, token } = await mailedToken('own@example.com')
  const opened = await client.request(`/verify-email?token=${token}&callbackURL=/account`, html)
  expect(opened.location).toBe('/account')
  expect(await client.api.sessions.getSession()).toMatchObject({ user: { emailVerified: true } })
})
