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

test('email and password can be turned off', async () => {
  const t = await start({ accounts: { emailPasswordEnabled: false } })
  expect((await t.client().post('/sign-up/email', person)).json['message']).toBe('Email and password sign up is not enabled')
  const answer = await t.client().post('/sign-in/email', person)
  expect([answer.status, answer.json['message']]).toEqual([400, 'Email and password is not enabled'])
})

test('without automatic sign-in the token of sign-up is null', async () => {
  const t = await start({ accounts: { autoSignIn: false } })
  const client = t.client()
  expect((await client.post('/sign-up/email', person)).json['token']).toBeNull()
  expect(await client.api.sessions.getSession()).toBeNull()
})

test('when verification is required, sign-up mails a link, sign-in waits for it and mails again', async () => {
  const t = await start({ accounts: { requireEmailVerification: true } })
  const client = t.client()
  expect((await client.post('/sign-up/email', { ...person, callbackURL: '/account' })).json['token']).toBeNull()
  const { link } = await t.mailTo('ann@example.com')
  const refused = await client.post('/sign-in/email', person)
  expect([refused.status, refused.json]).toEqual([403, { code: 'EMAIL_NOT_VERIFIED', message: 'Email not verified' }])
  const wrong = await client.post('/sign-in/email', { ...person, password: 'wrong password' })
  expect(wrong.json['code']).toBe('INVALID_EMAIL_OR_PASSWORD')
  const followed = await client.request(link)
  expect([followed.status, followed.location]).toEqual([302, '/account'])
  expect((await client.post('/sign-in/email', person)).json).toMatchObject({ user: { emailVerified: true } })
})

test('after verification a session begins when the setting says so, once', async () => {
  const t = await start({ accounts: { requireEmailVerification: true, signInAfterVerification: true } })
  await t.client().post('/sign-up/email', person)
  const { link } = await t.mailTo('ann@example.com')
  const first = t.client()
  await first.request(link)
  expect(await first.api.sessions.getSession()).toMatchObject({ user: { emailVerified: true } })
  const second = t.client()
  await second.request(link)
  expect(await second.api.sessions.getSession()).toBeNull()
})
