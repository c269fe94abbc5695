import { createAuthClient } from 'better-auth/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { done, officialClient, refused } from '../support/better-auth.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

test('every error reaches the Better Auth client as status, code and message', async () => {
  const { auth } = officialClient(t)
  const person = { email: 'ann@example.com', name: 'Ann Example', password }
  done(await auth.signUp.email(person))
  done(await auth.signOut())
  expect(await auth.signIn.email({ email: person.email, password: 'wrong password' })).toEqual({
    data: null,
    error: {
      code: 'INVALID_EMAIL_OR_PASSWORD',
      message: 'Invalid email or password',
      status: 401,
      statusText: expect.any(String),
    },
  })
  for (const [call, expected] of [
    [() => auth.signUp.email(person), [422, 'USER_ALREADY_EXISTS', 'User already exists']],
    [() => auth.signUp.email({ ...person, email: 'nonsense' }), [400, 'INVALID_EMAIL', 'Invalid email']],
    [
      () => auth.signUp.email({ ...person, email: 'b@example.com', password: 'short' }),
      [400, 'PASSWORD_TOO_SHORT', 'Password too short'],
    ],
    [
      () => auth.signIn.email({ ...person, callbackURL: 'https://evil.example' }),
      [403, 'INVALID_CALLBACKURL', 'Invalid callbackURL'],
    ],
    [() => auth.updateUser({ name: 'x' }), [401, 'UNAUTHORIZED', 'Unauthorized']],
    [() => auth.listAccounts(), [401, 'UNAUTHORIZED', 'Unauthorized']],
    [() => auth.signOut(), [400, 'FAILED_TO_GET_SESSION', 'Failed to get session']],
    [() => auth.$fetch('/no-such-call'), [404, 'NOT_FOUND', 'Not found']],
    [
      () => auth.$fetch('/sign-in/email', { method: 'POST', body: { email: 7 } }),
      [400, 'VALIDATION_ERROR', 'Invalid body parameters'],
    ],
  ] as const)
    expect(refused(await call())).toEqual(expected)
})

test('the error of an invalid call names the wrong fields', async () => {
  const { auth } = officialClient(t)
  const { error } = await auth.$fetch('/sign-in/email', { method: 'POST', body: { email: 'ann@example.com' } })
  expect(error).toMatchObject({ issues: [{ path: 'password', message: expect.any(String) }] })
})

test('the error of a rate-limited call says how long to wait in the header that the Better Auth client reads', async () => {
  const limited = await testApp({ config: { limits: { enabled: 'on' } } })
  limited.clock.hold()
  try {
    const { auth } = officialClient(limited)
    const waits: (string | null)[] = []
    const attempt = () =>
      auth.signIn.email(
        { email: 'ann@example.com', password: 'wrong password' },
        { onError: ({ response }) => void waits.push(response.headers.get('X-Retry-After')) },
      )
    for (let i = 0; i < 3; i += 1) expect((await attempt()).error?.status).toBe(401)
    expect(refused(await attempt())).toEqual([
      429,
      'TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER',
      'Too many requests. Please try again later.',
    ])
    expect(waits.slice(0, 3)).toEqual([null, null, null])
    expect(Number(waits[3])).toBeGreaterThan(0)
  } finally {
    await limited.stop()
  }
})

test('an application without cookies sends the session token of its sign-in instead', async () => {
  const { auth } = officialClient(t)
  const { token } = done(await auth.signUp.email({ email: 'mobile@example.com', name: 'Mo Bile', password }))
  const mobile = createAuthClient({
    baseURL: t.url,
    fetchOptions: { auth: { type: 'Bearer', token: token ?? '' } },
  })
  expect(done(await mobile.getSession()).user.email).toBe('mobile@example.com')
  expect(done(await mobile.updateUser({ name: 'Mo Other' }))).toEqual({ status: true })
  expect(done(await mobile.signOut())).toEqual({ success: true })
  expect((await mobile.getSession()).data).toBeNull()
})

test("the calls of the Better Auth client exist at the root as well as below the client's prefix", async () => {
  const { browser } = officialClient(t)
  for (const options of [{ basePath: '/' }, { basePath: '/api/auth' }]) {
    const auth = createAuthClient({ baseURL: t.url, ...options, fetchOptions: { customFetchImpl: browser.fetch } })
    expect(done(await auth.$fetch('/ok'))).toEqual({ ok: true })
  }
})
