import { createAuthClient } from 'better-auth/client'
import { inferAdditionalFields } from 'better-auth/client/plugins'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { done, officialClient, refused } from '../support/better-auth.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const signedUp = async (email: string, name = 'Ann Example') => {
  const application = officialClient(t)
  done(await application.auth.signUp.email({ email, name, password }))
  return application
}
const signedIn = async (email: string, secret = password) => {
  const application = officialClient(t)
  done(await application.auth.signIn.email({ email, password: secret }))
  return application
}
const emailOf = async ({ auth }: ReturnType<typeof officialClient>) => done(await auth.getSession())?.user.email
const tokenIn = (link: string) => new URL(link).searchParams.get('token') ?? ''

test('sign-up, session, sign-out and sign-in work through the Better Auth client, with dates as Date', async () => {
  const { auth } = officialClient(t)
  expect(await auth.getSession()).toEqual({ data: null, error: null })
  const { token, user } = done(await auth.signUp.email({ email: 'Ann@example.com', name: 'Ann Example', password }))
  expect(user).toMatchObject({ email: 'ann@example.com', name: 'Ann Example', emailVerified: false, image: null })
  const current = done(await auth.getSession())
  expect(current.session.token).toBe(token)
  expect(current.session.expiresAt).toBeInstanceOf(Date)
  expect(current.user).toMatchObject({ id: user.id, email: 'ann@example.com' })
  expect(current.user.createdAt).toBeInstanceOf(Date)
  expect(done(await auth.signOut())).toEqual({ success: true })
  expect((await auth.getSession()).data).toBeNull()
  const back = done(await auth.signIn.email({ email: 'ann@example.com', password, callbackURL: '/home', rememberMe: false }))
  expect(back).toMatchObject({ redirect: true, url: '/home', user: { id: user.id } })
  expect(done(await auth.getSession({ query: { disableCookieCache: true, disableRefresh: true } })).session.token).toBe(
    back.token,
  )
})

test('the session store of the Better Auth client follows sign-in, update and sign-out', async () => {
  await signedUp('store@example.com', 'Before')
  const { auth } = officialClient(t)
  const names: (string | undefined)[] = []
  const stop = auth.useSession.subscribe(({ data }) => void names.push(data?.user.name))
  const shows = (name: string | undefined) => vi.waitFor(() => expect(names.at(-1)).toBe(name), 60_000)
  done(await auth.signIn.email({ email: 'store@example.com', password }))
  await shows('Before')
  done(await auth.updateUser({ name: 'After' }))
  await shows('After')
  done(await auth.signOut())
  await shows(undefined)
  stop()
})

test('the Better Auth client changes name and picture, but cannot change the email address by an update', async () => {
  const { auth } = await signedUp('profile@example.com')
  expect(done(await auth.updateUser({ name: 'Ann Other', image: 'https://example.com/ann.png' }))).toEqual({ status: true })
  expect(done(await auth.getSession()).user).toMatchObject({ name: 'Ann Other', image: 'https://example.com/ann.png' })
  const refusal = await auth.$fetch('/update-user', { method: 'POST', body: { email: 'other@example.com' } })
  expect(refused(refusal)).toEqual([400, 'EMAIL_CAN_NOT_BE_UPDATED', 'Email can not be updated'])
})

test('the Better Auth client lists sessions, and ends one, all other or all sessions', async () => {
  const first = await signedUp('sessions@example.com')
  const second = await signedIn('sessions@example.com')
  const third = await signedIn('sessions@example.com')
  const listed = done(await first.auth.listSessions())
  expect(listed).toHaveLength(3)
  expect(listed.every(({ createdAt, expiresAt }) => createdAt instanceof Date && expiresAt instanceof Date)).toBe(true)
  const ofThird = done(await third.auth.getSession()).session
  const shown = listed.find(({ id }) => id === ofThird.id)
  // The list contains no tokens. The ids in their place are accepted where the client sends a token.
  expect(shown?.token).not.toBe(ofThird.token)
  expect(done(await first.auth.revokeSession({ token: shown?.token ?? '' }))).toEqual({ status: true })
  expect(await third.auth.getSession()).toEqual({ data: null, error: null })
  expect(done(await first.auth.revokeOtherSessions())).toEqual({ status: true })
  expect((await second.auth.getSession()).data).toBeNull()
  expect(await emailOf(first)).toBe('sessions@example.com')
  expect(done(await first.auth.revokeSessions())).toEqual({ status: true })
  expect((await first.auth.getSession()).data).toBeNull()
  expect(refused(await first.auth.listSessions())).toEqual([401, 'UNAUTHORIZED', 'Unauthorized'])
})

test('a password change by the Better Auth client ends the other sessions and keeps this session with a new token', async () => {
  const application = await signedUp('change@example.com')
  const other = await signedIn('change@example.com')
  const call = { currentPassword: password, newPassword: 'another good password', revokeOtherSessions: true }
  expect(refused(await application.auth.changePassword({ ...call, currentPassword: 'wrong password' }))).toEqual([
    400,
    'INVALID_PASSWORD',
    'Invalid password',
  ])
  const { token, user } = done(await application.auth.changePassword(call))
  expect(user.email).toBe('change@example.com')
  expect(done(await application.auth.getSession()).session.token).toBe(token)
  expect((await other.auth.getSession()).data).toBeNull()
  await signedIn('change@example.com', call.newPassword)
})

test('the Better Auth client resets a password with the token of the mailed link, by both names of the call', async () => {
  await signedUp('forgot@example.com')
  const { auth, browser } = officialClient(t)
  const body = { email: 'forgot@example.com', redirectTo: '/reset' }
  const calls = [
    () => auth.requestPasswordReset(body),
    // The name of the call until version 1.4.
    () => auth.$fetch<{ status: boolean }>('/forget-password', { method: 'POST', body }),
  ]
  for (const [i, call] of calls.entries()) {
    expect(done(await call())).toMatchObject({ status: true })
    await vi.waitFor(async () => expect(await t.mailKinds(body.email)).toHaveLength(1 + 2 * i), 60_000)
    await t.mails()
    const followed = await browser.request((await t.mailTo(body.email, 'reset-password')).link)
    expect([followed.status, new URL(followed.location ?? '').pathname]).toEqual([302, '/reset'])
    const reset = { newPassword: `new password number ${i}`, token: tokenIn(followed.location ?? '') }
    expect(done(await auth.resetPassword(reset))).toEqual({ status: true })
    expect(refused(await auth.resetPassword(reset))).toEqual([400, 'INVALID_TOKEN', 'invalid token'])
    await signedIn(body.email, reset.newPassword)
  }
})

test('the Better Auth client verifies an email address with the token of the mailed link', async () => {
  const { auth } = await signedUp('verify@example.com')
  expect(done(await auth.sendVerificationEmail({ email: 'verify@example.com', callbackURL: '/welcome' }))).toEqual({
    status: true,
  })
  const token = tokenIn((await t.mailTo('verify@example.com', 'verification')).link)
  expect(done(await auth.verifyEmail({ query: { token } }))).toEqual({ status: true, user: null })
  expect(done(await auth.getSession()).user.emailVerified).toBe(true)
  expect(refused(await auth.verifyEmail({ query: { token: 'nonsense' } }))).toEqual([401, 'INVALID_TOKEN', 'invalid_token'])
})

test('the Better Auth client changes an unverified email address at once, and a verified one after an approval', async () => {
  const application = await signedUp('first@example.com')
  const { auth } = application
  expect(done(await auth.changeEmail({ newEmail: 'second@example.com' }))).toEqual({ status: true })
  expect(await emailOf(application)).toBe('second@example.com')
  const mailed = async (address: string, kind: string) => tokenIn((await t.mailTo(address, kind)).link)
  done(await auth.verifyEmail({ query: { token: await mailed('second@example.com', 'verification') } }))
  expect(done(await auth.changeEmail({ newEmail: 'third@example.com', callbackURL: '/done' }))).toEqual({ status: true })
  expect(await emailOf(application)).toBe('second@example.com')
  const approved = await auth.verifyEmail({ query: { token: await mailed('second@example.com', 'change-email') } })
  expect(done(approved)).toMatchObject({ status: true, user: { email: 'third@example.com', emailVerified: false } })
  done(await auth.verifyEmail({ query: { token: await mailed('third@example.com', 'verification') } }))
  expect(done(await auth.getSession()).user).toMatchObject({ email: 'third@example.com', emailVerified: true })
})

test('the Better Auth client deletes an account with its password, or by a mailed link if the configuration says so', async () => {
  const { auth } = await signedUp('gone@example.com')
  expect(refused(await auth.deleteUser({ password: 'wrong password' }))).toEqual([400, 'INVALID_PASSWORD', 'Invalid password'])
  expect(done(await auth.deleteUser({ password }))).toEqual({ success: true, message: 'User deleted' })
  expect((await auth.getSession()).data).toBeNull()

  const careful = await testApp({ config: { accounts: { deleteUserVerification: true } } })
  try {
    const application = officialClient(careful)
    done(await application.auth.signUp.email({ email: 'ann@example.com', name: 'Ann', password }))
    const answer = done(await application.auth.deleteUser({ callbackURL: '/bye' }))
    expect(answer).toEqual({ success: true, message: 'Verification email sent' })
    const token = tokenIn((await careful.mailTo('ann@example.com', 'delete-account')).link)
    const deleted = await application.auth.$fetch('/delete-user/callback', { query: { token } })
    expect(done(deleted)).toEqual({ success: true, message: 'User deleted' })
    expect((await application.auth.getSession()).data).toBeNull()
  } finally {
    await careful.stop()
  }
})

test('a sign-in by the Better Auth client requires a verified email address if the configuration says so', async () => {
  const strict = await testApp({ config: { accounts: { requireEmailVerification: true, signInAfterVerification: true } } })
  try {
    const { auth } = officialClient(strict)
    const person = { email: 'ann@example.com', password }
    expect(done(await auth.signUp.email({ ...person, name: 'Ann' })).token).toBeNull()
    expect(refused(await auth.signIn.email(person))).toEqual([403, 'EMAIL_NOT_VERIFIED', 'Email not verified'])
    const token = tokenIn((await strict.mailTo(person.email, 'verification')).link)
    done(await auth.verifyEmail({ query: { token } }))
    expect(done(await auth.getSession()).user.emailVerified).toBe(true)
  } finally {
    await strict.stop()
  }
})

test('extra fields of the configuration are additional fields of the Better Auth client', async () => {
  const fields = {
    department: { type: 'string', required: true },
    seats: { type: 'number', default: 1 },
    born: { type: 'date' },
    plan: { type: 'string', default: 'free', writableBy: 'operator' },
  } as const
  const own = await testApp({ config: { users: { fields } } })
  const auth = createAuthClient({
    baseURL: own.url,
    plugins: [
      inferAdditionalFields({
        user: {
          department: { type: 'string', required: true },
          seats: { type: 'number', required: false },
          born: { type: 'date', required: false },
          plan: { type: 'string', required: false, input: false },
        },
      }),
    ],
    fetchOptions: { customFetchImpl: own.client().fetch },
  })
  const ann = { email: 'ann@example.com', name: 'Ann Example', password }
  expect(refused(await auth.signUp.email({ ...ann, department: '' }))).toEqual([400, 'VALIDATION_ERROR', expect.any(String)])
  const { user } = done(await auth.signUp.email({ ...ann, department: 'sales', born: new Date('1990-05-17') }))
  expect(user).toMatchObject({ department: 'sales', seats: 1, plan: 'free' })
  done(await auth.updateUser({ seats: 5 }))
  const session = done(await auth.getSession())
  expect(session.user).toMatchObject({ department: 'sales', seats: 5, plan: 'free' })
  expect(session.user.born).toEqual(new Date('1990-05-17'))
  await own.stop()
})
