/** The official admin client of Better Auth, unchanged, against the server. */
import { createAuthClient } from 'better-auth/client'
import { adminClient } from 'better-auth/client/plugins'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { done, refused } from '../support/better-auth.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const client = () => {
  const browser = t.client()
  const options = { plugins: [adminClient()], fetchOptions: { customFetchImpl: browser.fetch } }
  return { auth: createAuthClient({ baseURL: t.url, ...options }), browser }
}

/** A signed-up person with a role of the instance. */
const signedUp = async (email: string, role = 'user') => {
  const application = client()
  const { user } = done(await application.auth.signUp.email({ email, name: 'Ann Example', password }))
  if (role !== 'user') await t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role }))
  return { ...application, id: user.id }
}
/** Status and code of a refused call. */
const codeOf = (outcome: Parameters<typeof refused>[0]) => refused(outcome).slice(0, 2)
const signIn = (email: string, secret = password) => client().auth.signIn.email({ email, password: secret })

test('the Better Auth client creates users with and without a password, and gives users a role', async () => {
  const { auth } = await signedUp('root@example.com', 'admin')
  const { user } = done(
    await auth.admin.createUser({ email: 'New@example.com', name: 'New User', password, data: { emailVerified: true } }),
  )
  expect(user).toMatchObject({ email: 'new@example.com', name: 'New User', role: 'user', banned: false, emailVerified: true })
  done(await signIn('new@example.com'))
  done(await auth.admin.createUser({ email: 'none@example.com', name: 'No Password' }))
  expect(codeOf(await signIn('none@example.com'))).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
  const twice = await auth.admin.createUser({ email: 'new@example.com', name: 'Again', password })
  expect(codeOf(twice)).toEqual([422, 'USER_ALREADY_EXISTS'])
  const promoted = done(await auth.admin.setRole({ userId: user.id, role: 'admin' }))
  expect(promoted.user).toMatchObject({ id: user.id, role: 'admin' })
  expect(codeOf(await auth.admin.setRole({ userId: 'nobody', role: 'user' }))).toEqual([404, 'USER_NOT_FOUND'])
  const unknown = await auth.admin.setRole({ userId: user.id, role: 'boss' as 'admin' })
  expect(codeOf(unknown)).toEqual([400, 'ROLE_IS_NOT_KNOWN'])
})

test('the Better Auth client bans a user with reason and expiry so that sign-in is refused, and lifts the ban', async () => {
  const { auth, id: ownId } = await signedUp('banning@example.com', 'admin')
  const ann = await signedUp('banned@example.com')
  const { user } = done(await auth.admin.banUser({ userId: ann.id, banReason: 'Spam', banExpiresIn: 3600 }))
  expect(user).toMatchObject({ id: ann.id, banned: true, banReason: 'Spam' })
  expect(user.banExpires).toBeInstanceOf(Date)
  expect((await ann.auth.getSession()).data).toBeNull()
  expect(refused(await signIn('banned@example.com'))).toEqual([
    403,
    'BANNED_USER',
    'You have been banned from this application. Please contact support if you believe this is an error.',
  ])
  expect(done(await auth.admin.banUser({ userId: ann.id })).user).toMatchObject({ banReason: 'No reason', banExpires: null })
  expect(done(await auth.admin.unbanUser({ userId: ann.id })).user).toMatchObject({ banned: false, banReason: null })
  done(await signIn('banned@example.com'))
  expect(refused(await auth.admin.banUser({ userId: ownId }))).toEqual([
    400,
    'YOU_CANNOT_BAN_YOURSELF',
    'You cannot ban yourself',
  ])
})

test('the Better Auth client lists the sessions of a user without tokens, and ends them one by one or all together', async () => {
  const { auth } = await signedUp('sessions-admin@example.com', 'admin')
  const ann = await signedUp('sessions@example.com')
  done(await signIn('sessions@example.com'))
  const { sessions } = done(await auth.admin.listUserSessions({ userId: ann.id }))
  expect(sessions).toHaveLength(2)
  const own = done(await ann.auth.getSession()).session
  const shown = sessions.find(({ id }) => id === own.id)
  expect(shown).toMatchObject({ token: own.id, userId: ann.id, impersonatedBy: null })
  expect(done(await auth.admin.revokeUserSession({ sessionToken: shown?.token ?? '' }))).toEqual({ success: true })
  expect((await ann.auth.getSession()).data).toBeNull()
  expect(codeOf(await auth.admin.revokeUserSession({ sessionToken: own.id }))).toEqual([400, 'SESSION_NOT_FOUND'])
  expect(done(await auth.admin.revokeUserSessions({ userId: ann.id }))).toEqual({ success: true })
  expect(done(await auth.admin.listUserSessions({ userId: ann.id })).sessions).toEqual([])
})

test('the Better Auth client sets a password, and removes a user', async () => {
  const { auth, id: ownId } = await signedUp('passwords@example.com', 'admin')
  const ann = await signedUp('forgetful@example.com')
  const newPassword = 'another battery staple'
  expect(done(await auth.admin.setUserPassword({ userId: ann.id, newPassword }))).toEqual({ status: true })
  expect((await ann.auth.getSession()).data).toBeNull()
  done(await signIn('forgetful@example.com', newPassword))
  const short = await auth.admin.setUserPassword({ userId: ann.id, newPassword: 'x' })
  expect(codeOf(short)).toEqual([400, 'PASSWORD_TOO_SHORT'])
  expect(done(await auth.admin.removeUser({ userId: ann.id }))).toEqual({ success: true })
  expect(codeOf(await signIn('forgetful@example.com', newPassword))).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
  expect(codeOf(await auth.admin.removeUser({ userId: ann.id }))).toEqual([404, 'USER_NOT_FOUND'])
  expect(codeOf(await auth.admin.removeUser({ userId: ownId }))).toEqual([400, 'YOU_CANNOT_REMOVE_YOURSELF'])
})

test('an administrator impersonates a user through the Better Auth client and returns to their own session', async () => {
  const { auth, id: ownId } = await signedUp('actor@example.com', 'admin')
  const before = done(await auth.getSession()).session
  const ann = await signedUp('acted@example.com')
  const started = done(await auth.admin.impersonateUser({ userId: ann.id }))
  expect(started).toMatchObject({ session: { userId: ann.id, impersonatedBy: ownId }, user: { id: ann.id } })
  const during = done(await auth.getSession())
  expect(during).toMatchObject({
    session: { id: started.session.id, impersonatedBy: ownId },
    user: { email: 'acted@example.com' },
  })
  expect(during.session.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(3_600_000)
  expect(done(await ann.auth.listSessions()).map(({ id }) => id)).not.toContain(started.session.id)
  const stopped = done(await auth.admin.stopImpersonating()) as unknown as { session: { id: string }; user: { id: string } }
  expect([stopped.session.id, stopped.user.id]).toEqual([before.id, ownId])
  expect(done(await auth.getSession())).toMatchObject({ session: { id: before.id, impersonatedBy: null }, user: { id: ownId } })
  expect(refused(await auth.admin.stopImpersonating())).toEqual([
    400,
    'YOU_ARE_NOT_IMPERSONATING_ANYONE',
    'You are not impersonating anyone',
  ])
  const other = await signedUp('other-admin@example.com', 'admin')
  const forbidden = await auth.admin.impersonateUser({ userId: other.id })
  expect(refused(forbidden)).toEqual([403, 'YOU_CANNOT_IMPERSONATE_ADMINS', 'You cannot impersonate admins'])
})

test('has-permission answers for the signed-in user with the permission names of the Better Auth client', async () => {
  const { auth } = await signedUp('may@example.com', 'admin')
  const may = async (caller: typeof auth, permissions: Record<string, string[]>) =>
    done(await caller.admin.hasPermission({ permissions } as never))
  expect(await may(auth, { user: ['ban', 'create'], session: ['revoke'] })).toEqual({ error: null, success: true })
  expect((await may(auth, { user: ['impersonate-admins'] })).success).toBe(false)
  expect((await may(auth, { clients: ['read'] })).success).toBe(true)
  expect((await may(auth, { account: ['read'] })).success).toBe(false)
  const support = await signedUp('may-support@example.com', 'support')
  expect((await may(support.auth, { user: ['ban'] })).success).toBe(true)
  expect((await may(support.auth, { user: ['ban', 'delete'] })).success).toBe(false)
  const plain = await signedUp('may-not@example.com')
  // A user named in the body is ignored.
  const asAdmin = await plain.auth.admin.hasPermission({ permissions: { user: ['ban'] }, role: 'admin' } as never)
  expect(done(asAdmin).success).toBe(false)
})

test('a caller without the permission gets the messages of the Better Auth client, and an anonymous caller 401', async () => {
  const plain = await signedUp('plain@example.com')
  const { admin } = plain.auth
  const userId = plain.id
  const calls: readonly [Promise<{ data: unknown; error: unknown }>, string][] = [
    [admin.setRole({ userId, role: 'admin' }), 'You are not allowed to change users role'],
    [admin.createUser({ email: 'x@example.com', name: 'X', password }), 'You are not allowed to create users'],
    [admin.listUserSessions({ userId }), 'You are not allowed to list users sessions'],
    [admin.banUser({ userId }), 'You are not allowed to ban users'],
    [admin.unbanUser({ userId }), 'You are not allowed to ban users'],
    [admin.impersonateUser({ userId }), 'You are not allowed to impersonate users'],
    [admin.revokeUserSession({ sessionToken: 'x' }), 'You are not allowed to revoke users sessions'],
    [admin.revokeUserSessions({ userId }), 'You are not allowed to revoke users sessions'],
    [admin.removeUser({ userId }), 'You are not allowed to delete users'],
    [admin.setUserPassword({ userId, newPassword: password }), 'You are not allowed to set users password'],
  ]
  for (const [call, message] of calls) {
    const outcome = refused(await call)
    expect(outcome).toEqual([403, message.toUpperCase().replaceAll(' ', '_'), message])
  }
  expect(codeOf(await client().auth.admin.banUser({ userId }))).toEqual([401, 'UNAUTHORIZED'])
})
