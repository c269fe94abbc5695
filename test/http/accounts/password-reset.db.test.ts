import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const newPassword = 'another battery staple'
const known = { status: true, message: 'If this email exists in our system, check your email for the reset link' }

/** Returns the token of a reset link for an address. */
const resetToken = async (email: string, redirectTo?: string) => {
  const before = (await t.mailKinds(email)).length
  await t.client().post('/request-password-reset', { email, redirectTo })
  expect(await t.mailKinds(email)).toHaveLength(before + 1)
  const { link } = await t.mailTo(email, 'reset-password')
  return { link, token: /reset-password\/([A-Za-z0-9]{24})\?/.exec(link)?.[1] ?? '' }
}

const signIn = (email: string, pass: string) => t.client().post('/sign-in/email', { email, password: pass })

test.each(['/request-password-reset', '/forget-password'])('%s answers known and unknown email addresses alike', async (path) => {
  await t.signedIn(`known${path.length}@example.com`)
  for (const email of [`KNOWN${path.length}@example.com`, 'unknown@example.com']) {
    const answer = await t.client().post(path, { email })
    expect([answer.status, answer.json]).toEqual([200, known])
  }
  expect(await t.mailKinds(`known${path.length}@example.com`)).toEqual(['reset-password'])
  expect(await t.mailKinds('unknown@example.com')).toEqual([])
  const wrong = await t.client().post(path, { email: 'nonsense' })
  expect([wrong.status, wrong.json['message']]).toEqual([400, 'Invalid email'])
  const elsewhere = await t.client().post(path, { email: 'a@example.com', redirectTo: 'https://evil.example' })
  expect([elsewhere.status, elsewhere.json['message']]).toEqual([403, 'Invalid redirectURL'])
})

test('opening a reset link only redirects with its token, and the token sets the password once', async () => {
  const owner = await t.signedIn('ann@example.com')
  const { link, token } = await resetToken('ann@example.com', '/reset?x=1')
  for (const _ of [1, 2]) {
    const followed = await t.client().request(link)
    expect([followed.status, followed.location]).toEqual([302, `${t.url}/reset?x=1&token=${token}`])
  }
  const answer = await t.client().post('/reset-password', { newPassword, token })
  expect([answer.status, answer.json]).toEqual([200, { status: true }])
  const again = await t.client().post('/reset-password', { newPassword: 'a third password', token })
  expect([again.status, again.json]).toEqual([400, { code: 'INVALID_TOKEN', message: 'invalid token' }])
  expect((await t.client().request(link)).location).toBe(`${t.url}/reset?x=1&error=INVALID_TOKEN`)
  expect((await signIn('ann@example.com', password)).status).toBe(401)
  expect((await signIn('ann@example.com', newPassword)).status).toBe(200)
  expect(await owner.api.sessions.getSession()).toBeNull()
  expect(await t.mailKinds('ann@example.com')).toContain('password-changed')
})

test('a reset link without redirectTo leads to the hosted page, and without a callback to an error', async () => {
  await t.signedIn('page@example.com')
  const { link, token } = await resetToken('page@example.com')
  expect((await t.client().request(link)).location).toBe(`${t.url}/reset-password?token=${token}`)
  const empty = await t.client().request(`/reset-password/${token}?callbackURL=`)
  expect([empty.status, empty.location]).toEqual([302, `${t.url}/error?error=INVALID_TOKEN`])
  const missing = await t.client().request(`/reset-password/${token}`)
  expect([missing.status, missing.json]).toMatchObject([400, { code: 'VALIDATION_ERROR', message: 'Invalid query parameters' }])
  const elsewhere = await t.client().request(`/reset-password/${token}?callbackURL=https://evil.example`)
  expect([elsewhere.status, elsewhere.json['code']]).toEqual([403, 'INVALID_CALLBACKURL'])
})

test('a reset accepts the token in body or query, and reports a missing token, a wrong length and an invalid token in this order', async () => {
  await t.signedIn('order@example.com')
  const { token } = await resetToken('order@example.com')
  const codes = async (path: string, body: object) => (await t.client().post(path, body)).json['code']
  expect(await codes('/reset-password', { newPassword: 'short' })).toBe('INVALID_TOKEN')
  expect(await codes('/reset-password', { newPassword: 'short', token: 'x' })).toBe('PASSWORD_TOO_SHORT')
  expect(await codes('/reset-password', { newPassword: 'x'.repeat(129), token: 'x' })).toBe('PASSWORD_TOO_LONG')
  expect(await codes('/reset-password', { newPassword, token: 'x' })).toBe('INVALID_TOKEN')
  expect((await t.client().post(`/reset-password?token=${token}`, { newPassword })).json).toEqual({ status: true })
})

test('a reset token expires after an hour', async () => {
  await t.signedIn('late@example.com')
  const { token } = await resetToken('late@example.com')
  t.clock.advance({ seconds: 3601 })
  expect((await t.client().post('/reset-password', { newPassword, token })).json['code']).toBe('INVALID_TOKEN')
})

test("a password reset invalidates the user's other reset links", async () => {
  await t.signedIn('two@example.com')
  const first = await resetToken('two@example.com')
  const second = await resetToken('two@example.com')
  expect((await t.client().post('/reset-password', { newPassword, token: second.token })).status).toBe(200)
  expect((await t.client().post('/reset-password', { newPassword, token: first.token })).json['code']).toBe('INVALID_TOKEN')
})

test('a reset link is invalid after a change of email address or password', async () => {
  const client = await t.signedIn('moved@example.com')
  const one = await resetToken('moved@example.com')
  await client.post('/change-email', { newEmail: 'moved2@example.com' })
  await client.post('/change-email', { newEmail: 'moved@example.com' })
  expect((await t.client().post('/reset-password', { newPassword, token: one.token })).json['code']).toBe('INVALID_TOKEN')
  const two = await resetToken('moved@example.com')
  await client.post('/change-password', { currentPassword: password, newPassword })
  expect((await t.client().post('/reset-password', { newPassword, token: two.token })).json['code']).toBe('INVALID_TOKEN')
})

testOnBoth('of twenty simultaneous uses of a reset token one sets the password', async () => {
  await t.signedIn('race@example.com')
  const { token } = await resetToken('race@example.com')
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => t.client().post('/reset-password', { newPassword: `${newPassword} ${i}`, token })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const winner = answers.findIndex(({ status }) => status === 200)
  expect((await signIn('race@example.com', `${newPassword} ${winner}`)).status).toBe(200)
})

test('a password reset sets a password for a user without a password', async () => {
  await t.signedIn('social@example.com')
  const { knex } = t.app.core.db
  const user = await knex('user').where({ email: 'social@example.com' }).first()
  await knex('account').where({ user_id: user.id }).delete()
  const { token } = await resetToken('social@example.com')
  expect((await t.client().post('/reset-password', { newPassword, token })).status).toBe(200)
  expect((await signIn('social@example.com', newPassword)).status).toBe(200)
})

test('the database contains neither a reset token nor a password in plain text', async () => {
  await t.signedIn('stored@example.com')
  const { token } = await resetToken('stored@example.com')
  const { knex } = t.app.core.db
  const dump = JSON.stringify([await knex('verification').select(), await knex('task').select()])
  expect(dump).toContain('reset-password:')
  expect(dump).not.toContain(token)
})

test('administrators cannot reset their password to a common password', async () => {
  await t.signedIn('boss@example.com')
  await t.app.core.db.knex('user').where({ email: 'boss@example.com' }).update({ role: 'admin' })
  const { token } = await resetToken('boss@example.com')
  const answer = await t.client().post('/reset-password', { newPassword: 'password123', token })
  expect([answer.status, answer.json['code']]).toEqual([400, 'PASSWORD_TOO_COMMON'])
})
