import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'

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

test('a link opened by a browser that is not signed in verifies nothing before a button is pressed', async () => {
  const { client, token } = await mailedToken('scanned@example.com')
  const html = { headers: { accept: 'text/html' } }
  const opened = await t.client().request(`/verify-email?token=${token}&callbackURL=/account`, html)
  expect([opened.status, opened.location]).toEqual([302, `/confirm-email?token=${token}&callbackURL=%2Faccount`])
  expect(await client.api.sessions.getSession()).toMatchObject({ user: { emailVerified: false } })
  const pressed = await t.client().request(`/verify-email?token=${token}&callbackURL=/account&confirmed=true`, html)
  expect([pressed.status, pressed.location]).toEqual([302, '/account'])
  expect(await client.api.sessions.getSession()).toMatchObject({ user: { emailVerified: true } })
})

test('the owner, signed in, needs no button', async () => {
  const { client, token } = await mailedToken('own@example.com')
  const opened = await client.request(`/verify-email?token=${token}&callbackURL=/account`, { headers: { accept: 'text/html' } })
  expect(opened.location).toBe('/account')
  expect(await client.api.sessions.getSession()).toMatchObject({ user: { emailVerified: true } })
})
