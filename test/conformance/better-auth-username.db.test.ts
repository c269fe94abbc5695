/** The plugin `usernameClient` of the official client, unchanged. */
import { createAuthClient } from 'better-auth/client'
import { usernameClient } from 'better-auth/client/plugins'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { done, refused } from '../support/better-auth.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { accounts: { userNames: { mode: 'optional' } } } })
})
afterAll(() => t.stop())

const application = () => {
  const browser = t.client()
  return createAuthClient({
    baseURL: t.url,
    plugins: [usernameClient()],
    fetchOptions: { customFetchImpl: browser.fetch },
  })
}
type Auth = ReturnType<typeof application>

const signUp = (auth: Auth, email: string, more: { username?: string; displayUsername?: string }) =>
  auth.signUp.email({ email, name: 'Ann Example', password, ...more })

test('the Better Auth client signs a user up with a user name, shows the name, and signs in with the name in any case', async () => {
  const auth = application()
  const { user } = done(await signUp(auth, 'ann@example.com', { username: 'Ann_Example' }))
  expect(user).toMatchObject({ username: 'ann_example', displayUsername: 'Ann_Example' })
  done(await auth.signOut())
  const other = application()
  const signedIn = done(await other.signIn.username({ username: 'ANN_EXAMPLE', password }))
  expect(signedIn).toMatchObject({ token: expect.any(String), user: { username: 'ann_example', email: 'ann@example.com' } })
  const session = done(await other.getSession())
  expect(session.session.token).toBe(signedIn.token)
  expect(session.user).toMatchObject({ username: 'ann_example', displayUsername: 'Ann_Example' })
})

test('a display name alone becomes the user name if the display name is a valid user name', async () => {
  const { user } = done(await signUp(application(), 'shown@example.com', { displayUsername: 'Shown_Name' }))
  expect(user).toMatchObject({ username: 'shown_name', displayUsername: 'Shown_Name' })
  const odd = done(await signUp(application(), 'odd@example.com', { displayUsername: 'Odd Name!' }))
  expect(odd.user).toMatchObject({ username: null, displayUsername: 'Odd Name!' })
})

test('the Better Auth client changes a user name, and may change only upper and lower case', async () => {
  const auth = application()
  done(await signUp(auth, 'changes@example.com', { username: 'changes' }))
  done(await auth.updateUser({ username: 'Changed' }))
  expect(done(await auth.getSession()).user).toMatchObject({ username: 'changed', displayUsername: 'Changed' })
  done(await auth.updateUser({ username: 'CHANGED', displayUsername: 'I changed' }))
  expect(done(await auth.getSession()).user).toMatchObject({ username: 'changed', displayUsername: 'I changed' })
})

test('the Better Auth client checks whether a user name is free', async () => {
  const auth = application()
  done(await signUp(auth, 'owner@example.com', { username: 'owned' }))
  expect(done(await auth.isUsernameAvailable({ username: 'OWNED' }))).toEqual({ available: false })
  expect(done(await auth.isUsernameAvailable({ username: 'free_name' }))).toEqual({ available: true })
})

test('errors about user names have the codes and messages that the Better Auth client knows', async () => {
  const auth = application()
  const codes = usernameClient().$ERROR_CODES
  done(await signUp(auth, 'codes@example.com', { username: 'codes' }))
  const other = application()
  const cases: readonly (readonly [Parameters<typeof refused>[0], number, keyof typeof codes])[] = [
    [await signUp(other, 'codes2@example.com', { username: 'Codes' }), 400, 'USERNAME_IS_ALREADY_TAKEN'],
    [await signUp(other, 'codes2@example.com', { username: 'co' }), 400, 'USERNAME_TOO_SHORT'],
    [await signUp(other, 'codes2@example.com', { username: 'c'.repeat(31) }), 400, 'USERNAME_TOO_LONG'],
    [await signUp(other, 'codes2@example.com', { username: 'new user' }), 400, 'INVALID_USERNAME'],
    [await other.signIn.username({ username: 'codes', password: 'wrong password' }), 401, 'INVALID_USERNAME_OR_PASSWORD'],
    [await other.signIn.username({ username: 'nobody', password }), 401, 'INVALID_USERNAME_OR_PASSWORD'],
    [await other.signIn.username({ username: '', password }), 401, 'INVALID_USERNAME_OR_PASSWORD'],
    [await other.signIn.username({ username: 'codes', password: '' }), 401, 'INVALID_USERNAME_OR_PASSWORD'],
    [await other.signIn.username({ username: 'co', password }), 422, 'USERNAME_TOO_SHORT'],
    [await other.signIn.username({ username: 'co des', password }), 422, 'INVALID_USERNAME'],
    [await other.isUsernameAvailable({ username: 'co' }), 422, 'USERNAME_TOO_SHORT'],
    [await other.isUsernameAvailable({ username: '' }), 422, 'INVALID_USERNAME'],
    [await auth.updateUser({ username: 'c d' }), 400, 'INVALID_USERNAME'],
  ]
  for (const [answer, status, code] of cases) expect(refused(answer)).toEqual([status, code, codes[code].message])
  // Requests that the client makes by itself are answered before the server stops.
  done(await auth.getSession())
})
