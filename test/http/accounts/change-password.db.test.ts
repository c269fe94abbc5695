import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { accounts: { guessing: { freeAttempts: 3, resetAfter: 10 } } } })
  t.clock.hold()
})
afterAll(() => t.stop())

const newPassword = 'another battery staple'
const signIn = (email: string, pass: string) => t.client().post('/sign-in/email', { email, password: pass })

test('a change of password keeps other sessions and sends the owner a mail', async () => {
  const client = await t.signedIn('ann@example.com')
  const other = t.client()
  await other.post('/sign-in/email', { email: 'ann@example.com', password })
  const answer = await client.post('/change-password', { currentPassword: password, newPassword })
  expect([answer.status, answer.json]).toMatchObject([200, { token: null, user: { email: 'ann@example.com' } }])
  expect(await other.api.sessions.getSession()).not.toBeNull()
  expect((await signIn('ann@example.com', password)).status).toBe(401)
  expect((await signIn('ann@example.com', newPassword)).status).toBe(200)
  expect(await t.mailKinds('ann@example.com')).toContain('password-changed')
})

test('a change of password with revokeOtherSessions ends all sessions and starts a new one', async () => {
  const client = await t.signedIn('bob@example.com')
  const old = t.client()
  old.cookies.set('gatehouse.session', client.cookies.get('gatehouse.session') ?? '')
  const other = t.client()
  await other.post('/sign-in/email', { email: 'bob@example.com', password })
  const answer = await client.post('/change-password', { currentPassword: password, newPassword, revokeOtherSessions: true })
  const session = await client.api.sessions.getSession()
  expect(session?.session.token).toBe(answer.json['token'])
  expect(await old.api.sessions.getSession()).toBeNull()
  expect(await other.api.sessions.getSession()).toBeNull()
  expect(await client.api.sessions.listSessions()).toHaveLength(1)
})

test('a change of password requires the new and the current password, and checks the length of the new password first', async () => {
  const client = await t.signedIn('cas@example.com')
  const codes = async (body: object) => {
    const { status, json } = await client.post('/change-password', body)
    return [status, json['code']]
  }
  expect(await codes({ currentPassword: 'wrong', newPassword: 'short' })).toEqual([400, 'PASSWORD_TOO_SHORT'])
  expect(await codes({ currentPassword: 'wrong', newPassword: 'x'.repeat(129) })).toEqual([400, 'PASSWORD_TOO_LONG'])
  expect(await codes({ currentPassword: 'wrong', newPassword })).toEqual([400, 'INVALID_PASSWORD'])
  expect(await codes({ newPassword })).toEqual([400, 'VALIDATION_ERROR'])
  const stranger = await t.client().post('/change-password', { currentPassword: password, newPassword })
  expect([stranger.status, stranger.json['code']]).toEqual([401, 'UNAUTHORIZED'])
})

test('a user without a password cannot use the change of password', async () => {
  const client = await t.signedIn('dan@example.com')
  const user = (await client.api.sessions.getSession())?.user
  await t.app.core.db.knex('account').where({ user_id: user?.id }).delete()
  const answer = await client.post('/change-password', { currentPassword: password, newPassword })
  expect([answer.status, answer.json['message']]).toEqual([400, 'Credential account not found'])
})

test('wrong current passwords are throttled, and a stolen session cannot find out the password', async () => {
  const client = await t.signedIn('eve@example.com')
  const guess = () => client.post('/change-password', { currentPassword: 'wrong password', newPassword })
  for (let i = 0; i < 3; i += 1) expect((await guess()).status).toBe(400)
  const slowed = await client.post('/change-password', { currentPassword: password, newPassword })
  expect([slowed.status, slowed.headers.get('retry-after')]).toEqual([429, '15'])
  expect((await signIn('eve@example.com', password)).status).toBe(200)
})

test('wrong passwords in a stolen session count only for that session and never lock the owner out', async () => {
  const owner = await t.signedIn('ivy@example.com')
  const thief = t.client()
  expect((await thief.post('/sign-in/email', { email: 'ivy@example.com', password })).status).toBe(200)
  const wrong = { password: 'wrong password', currentPassword: 'wrong password', newPassword }
  for (let i = 0; i < 10; i += 1) {
    expect((await thief.post(i % 2 === 0 ? '/change-password' : '/delete-user', wrong)).status).toBe(400)
    t.clock.advance({ minutes: 16 })
  }
  for (const path of ['/change-password', '/delete-user'])
    expect((await thief.post(path, wrong)).json['code']).toBe('TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD')
  expect((await owner.post('/change-password', { currentPassword: password, newPassword })).status).toBe(200)
  expect((await owner.post('/delete-user', { password: newPassword })).status).toBe(200)
})

test('set-password is not available over HTTP', async () => {
  const client = await t.signedIn('fay@example.com')
  const answer = await client.post('/set-password', { newPassword })
  expect([answer.status, answer.json['code']]).toEqual([404, 'NOT_FOUND'])
})

test('a password set by an operator ends the sessions and sends the owner a mail, and --only-if-none keeps an existing password', async () => {
  const client = await t.signedIn('gus@example.com')
  const principal = systemPrincipal('test')
  const set = (replaces: boolean) => t.app.passwordService.set(principal, 'gus@example.com', newPassword, { replaces })
  await expect(set(false)).rejects.toMatchObject({ status: 400, message: 'user already has a password' })
  await set(true)
  expect(await client.api.sessions.getSession()).toBeNull()
  expect((await signIn('gus@example.com', newPassword)).status).toBe(200)
  expect(await t.mailKinds('gus@example.com')).toContain('password-changed')
  await expect(t.app.passwordService.set(principal, 'nobody@example.com', newPassword, { replaces: true })).rejects.toMatchObject(
    {
      code: 'USER_NOT_FOUND',
    },
  )
  await expect(t.app.passwordService.set(principal, 'gus@example.com', 'short', { replaces: true })).rejects.toMatchObject({
    code: 'PASSWORD_TOO_SHORT',
  })
})

testOnBoth('a sign-in with the old password that overlaps its replacement leaves no session', async () => {
  await t.signedIn('hal@example.com')
  const principal = systemPrincipal('test')
  const attempts = Array.from({ length: 12 }, async () => {
    const client = t.client()
    await client.post('/sign-in/email', { email: 'hal@example.com', password })
    return client
  })
  await t.app.passwordService.set(principal, 'hal@example.com', newPassword, { replaces: true })
  for (const client of await Promise.all(attempts)) expect(await client.api.sessions.getSession()).toBeNull()
})

test('a password change whose session ends in the meantime changes nothing and starts no session', async () => {
  const client = await t.signedIn('ida@example.com')
  const token = (await client.api.sessions.getSession())?.session.token ?? ''
  const call = { address: '', userAgent: '', requestId: 'test' }
  const principal = (await t.app.sessions.authenticate(token, call, { extend: false }))?.principal
  if (principal === undefined) throw new Error('nobody is signed in')
  const { id } = principal.user
  await t.app.core.transact((tx) => t.app.sessions.endAll(tx, systemPrincipal('test'), id))
  const input = { currentPassword: password, newPassword, revokeOtherSessions: true }
  await expect(t.app.passwordService.change(principal, input)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect(await t.app.core.db.knex('session').where({ user_id: id })).toEqual([])
  expect((await signIn('ida@example.com', password)).status).toBe(200)
})

test('/.well-known/change-password redirects to the page of the password, and answers 404 if passwords are off', async () => {
  const answer = await t.client().request('/.well-known/change-password')
  expect([answer.status, answer.location]).toEqual([302, '/account/password'])
  const none = await t.node({ accounts: { emailPasswordEnabled: false } })
  expect((await none.client().request('/.well-known/change-password')).status).toBe(404)
  await none.stop()
})
