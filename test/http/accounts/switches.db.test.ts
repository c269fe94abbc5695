import { afterAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'

const running: TestApp[] = []
const start = async (config: Record<string, unknown>) => {
  const t = await testApp({ config })
  running.push(t)
  return t
}
afterAll(() => Promise.all(running.map((t) => t.stop())))

const person = { name: 'Ann', email: 'ann@example.com', password }

test('sign-up can be turned off', async () => {
  const t = await start({ accounts: { signUpEnabled: false } })
  const answer = await t.client().post('/sign-up/email', person)
  expect([answer.status, answer.json['message']]).toEqual([400, 'Email and password sign up is not enabled'])
})

test('the sign-in with email and password can be turned off', async () => {
  const t = await start({ accounts: { emailPasswordEnabled: false } })
  expect((await t.client().post('/sign-up/email', person)).json['message']).toBe('Email and password sign up is not enabled')
  const answer = await t.client().post('/sign-in/email', person)
  expect([answer.status, answer.json['message']]).toEqual([400, 'Email and password is not enabled'])
})

test('a sign-up without autoSignIn answers with a null token', async () => {
  const t = await start({ accounts: { autoSignIn: false } })
  const client = t.client()
  expect((await client.post('/sign-up/email', person)).json['token']).toBeNull()
  expect(await client.api.sessions.getSession()).toBeNull()
})

test('while verification is required, a sign-up mails a link, and a sign-in fails and mails another link until the email address is verified', async () => {
  const t = await start({ accounts: { requireEmailVerification: true } })
  const client = t.client()
  expect((await client.post('/sign-up/email', { ...person, callbackURL: '/account' })).json['token']).toBeNull()
  const { link } = await t.mailTo('ann@example.com')
  const refused = await client.post('/sign-in/email', person)
  expect([refused.status, refused.json]).toEqual([403, { code: 'EMAIL_NOT_VERIFIED', message: 'Email not verified' }])
  const wrong = await client.post('/sign-in/email', { ...person, password: 'wrong password' })
  expect(wrong.json['code']).toBe('INVALID_EMAIL_OR_PASSWORD')
  expect(await t.mailKinds('ann@example.com')).toEqual(['verification', 'verification'])
  const followed = await client.request(link)
  expect([followed.status, followed.location]).toEqual([302, '/account'])
  expect((await client.post('/sign-in/email', person)).json).toMatchObject({ user: { emailVerified: true } })
})

test('with signInAfterVerification the first use of a verification link starts a session', async () => {
  const t = await start({ accounts: { requireEmailVerification: true, signInAfterVerification: true } })
  const first = t.client()
  await first.post('/sign-up/email', person)
  const { link } = await t.mailTo('ann@example.com')
  await first.request(link)
  expect(await first.api.sessions.getSession()).toMatchObject({ user: { emailVerified: true } })
  const second = t.client()
  await second.request(link)
  expect(await second.api.sessions.getSession()).toBeNull()
})

test("a verification link starts no session in a request of another site, and never replaces another user's session", async () => {
  const t = await start({ accounts: { requireEmailVerification: true, signInAfterVerification: true } })
  const tokenFor = async (email: string) => {
    const browser = t.client()
    await browser.post('/sign-up/email', { ...person, email })
    return { browser, token: new URL((await t.mailTo(email)).link).searchParams.get('token') ?? '' }
  }
  const emailOf = async (browser: ReturnType<TestApp['client']>) => (await browser.api.sessions.getSession())?.user.email

  const { browser: bob, token: bobs } = await tokenFor('bob@example.com')
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { referer: 'https://evil.example/' },
    { 'sec-fetch-site': 'none', accept: 'text/html' },
  ] as Record<string, string>[])
    await bob.request(`/verify-email?token=${bobs}&confirmed=true`, { headers })
  expect(await emailOf(bob)).toBeUndefined()

  const { token } = await tokenFor('mallory@example.com')
  const forged = await t.client().post('/verify-email', { token, password }, { origin: 'https://evil.example' })
  expect([forged.status, forged.json['code']]).toEqual([403, 'INVALID_ORIGIN'])
  await bob.post('/sign-in/email', { ...person, email: 'bob@example.com' })
  const answer = await bob.post('/verify-email', { token, password })
  expect([answer.status, answer.json['token'], await emailOf(bob)]).toEqual([200, null, 'bob@example.com'])

  const { browser: cas, token: own } = await tokenFor('cas@example.com')
  expect((await cas.post('/verify-email', { token: own })).json['token']).not.toBeNull()
  expect(await emailOf(cas)).toBe('cas@example.com')
})

test('verifyOnSignUp mails a verification link at sign-up even though sign-in does not require verification', async () => {
  const t = await start({ accounts: { verifyOnSignUp: true } })
  expect((await t.client().post('/sign-up/email', person)).json['token']).not.toBeNull()
  expect(await t.mailKinds('ann@example.com')).toEqual(['verification'])
})

test('while verification mails are off, requests for a verification mail and changes of a verified address fail, and no mail is sent', async () => {
  const t = await start({ accounts: { verificationMailEnabled: false, verifyOnSignUp: true } })
  const client = await t.signedIn('ann@example.com')
  const asked = await client.post('/send-verification-email', { email: 'ann@example.com' })
  expect([asked.status, asked.json['message']]).toEqual([400, "Verification email isn't enabled"])
  await t.app.core.db.knex('user').update({ email_verified: true })
  const changed = await client.post('/change-email', { newEmail: 'bea@example.com' })
  expect([changed.status, changed.json['message']]).toEqual([400, "Verification email isn't enabled"])
  expect(await t.mailKinds('ann@example.com')).toEqual([])
})

test('changes of email address, password resets and account deletions can each be turned off', async () => {
  const off = { changeEmailEnabled: false, passwordResetEnabled: false, deleteUserEnabled: false }
  const t = await start({ accounts: off })
  const client = await t.signedIn('ann@example.com')
  const refusals = [
    await client.post('/change-email', { newEmail: 'bea@example.com' }),
    await client.post('/request-password-reset', { email: 'ann@example.com' }),
    await client.post('/forget-password', { email: 'ann@example.com' }),
    await client.post('/reset-password', { newPassword: password, token: 'x' }),
    await client.post('/delete-user', { password }),
    await client.request('/delete-user/callback?token=x'),
  ]
  expect(refusals.map(({ status, json }) => [status, json['message']])).toEqual([
    [400, 'Change email is disabled'],
    [400, "Reset password isn't enabled"],
    [400, "Reset password isn't enabled"],
    [400, "Reset password isn't enabled"],
    [404, 'Not found'],
    [404, 'Not found'],
  ])
})

test('common passwords can be rejected for all users', async () => {
  const t = await start({ password: { memoryKib: 8, timeCost: 1, allowWeakHashing: true, refuseCommon: true } })
  const answer = await t.client().post('/sign-up/email', { ...person, password: 'password123' })
  expect([answer.status, answer.json['code']]).toEqual([400, 'PASSWORD_TOO_COMMON'])
})
