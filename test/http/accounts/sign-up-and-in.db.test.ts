import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const body = (email: string, more: Record<string, unknown> = {}) => ({ name: 'Ann Example', email, password, ...more })

test('sign-up creates an unverified user, starts a session and sets the cookie', async () => {
  const client = t.client()
  const answer = await client.post('/sign-up/email', body('Ann@Example.com'))
  expect(answer.status).toBe(200)
  expect(answer.json).toMatchObject({
    token: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
    user: { email: 'ann@example.com', name: 'Ann Example', emailVerified: false, image: null, role: 'user' },
  })
  const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('gatehouse.session='))
  expect(cookie).toMatch(/^gatehouse\.session=[A-Za-z0-9]{32}\.[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(await client.api.sessions.getSession()).toMatchObject({
    user: { email: 'ann@example.com' },
    session: { token: answer.json['token'] },
  })
})

test('an email address belongs to one user, in upper or lower case', async () => {
  await t.signedIn('taken@example.com')
  const answer = await t.client().post('/sign-up/email', body('TAKEN@example.com'))
  expect([answer.status, answer.json]).toEqual([422, { code: 'USER_ALREADY_EXISTS', message: 'User already exists' }])
})

testOnBoth('of twenty simultaneous sign-ups with one email address one creates a user', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => t.client().post('/sign-up/email', body('race@example.com'))))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(19).fill(422)])
})

test('sign-up ignores user fields that a user may not set', async () => {
  const answer = await t
    .client()
    .post('/sign-up/email', body('eve@example.com', { role: 'admin', emailVerified: true, id: 'mine' }))
  expect(answer.json['user']).toMatchObject({ role: 'user', emailVerified: false })
  expect(answer.json['user']).not.toMatchObject({ id: 'mine' })
})

test.each([
  ['an invalid address', { email: 'nonsense' }, 'INVALID_EMAIL'],
  ['an empty address', { email: '' }, 'INVALID_EMAIL'],
  ['an address of 50,000 characters', { email: `${'a'.repeat(50_000)}@example.com` }, 'INVALID_EMAIL'],
  ['an address with U+0000', { email: 'ann\u0000@example.com' }, 'INVALID_EMAIL'],
  ['a short password', { password: '1234567' }, 'PASSWORD_TOO_SHORT'],
  ['a long password', { password: 'x'.repeat(129) }, 'PASSWORD_TOO_LONG'],
  ['a password of 50,000 characters', { password: 'x'.repeat(50_000) }, 'PASSWORD_TOO_LONG'],
  ['a missing password', { password: undefined }, 'VALIDATION_ERROR'],
  ['a missing name', { name: undefined }, 'VALIDATION_ERROR'],
  ['a password that is a number', { password: 12345678 }, 'VALIDATION_ERROR'],
  ['a name with U+0000', { name: 'a\u0000b' }, 'VALIDATION_ERROR'],
])('sign-up refuses %s', async (_, change, code) => {
  const answer = await t.client().post('/sign-up/email', body('new@example.com', change))
  expect([answer.status, answer.json['code']]).toEqual([400, code])
})

test('a validation error of sign-up names the field', async () => {
  const answer = await t.client().post('/sign-in/email', { email: 'a@b.cd' })
  expect(answer.json).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'Invalid body parameters',
    issues: [{ path: 'password' }],
  })
})

test('sign-in responds with token, user and the checked callback address', async () => {
  await t.signedIn('bob@example.com')
  const client = t.client()
  const plain = await client.post('/sign-in/email', { email: 'BOB@example.com', password })
  expect(plain.json).toMatchObject({ redirect: false, token: expect.any(String), user: { email: 'bob@example.com' } })
  expect(plain.json).not.toHaveProperty('url')
  const withCallback = await client.post('/sign-in/email', { email: 'bob@example.com', password, callbackURL: '/account' })
  expect(withCallback.json).toMatchObject({ redirect: true, url: '/account' })
})

testOnBoth(
  'sign-in gives the same response to an unknown address, a wrong password and an account without a password',
  async () => {
    await t.signedIn('carl@example.com')
    const answers = await Promise.all([
      t.client().post('/sign-in/email', { email: 'carl@example.com', password: 'wrong password' }),
      t.client().post('/sign-in/email', { email: 'nobody@example.com', password }),
    ])
    for (const answer of answers)
      expect([answer.status, answer.json]).toEqual([
        401,
        { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' },
      ])
  },
)

test('sign-in rejects an invalid email address and an untrusted callback address', async () => {
  const wrong = await t.client().post('/sign-in/email', { email: 'nonsense', password })
  expect([wrong.status, wrong.json['code']]).toEqual([400, 'INVALID_EMAIL'])
  const foreign = await t
    .client()
    .post('/sign-in/email', { email: 'bob@example.com', password, callbackURL: 'https://evil.example/' })
  expect([foreign.status, foreign.json]).toEqual([403, { code: 'INVALID_CALLBACKURL', message: 'Invalid callbackURL' }])
})

test("a sign-in invalidates the browser's earlier session token", async () => {
  const client = await t.signedIn('dora@example.com')
  const before = client.cookies.get('gatehouse.session') ?? ''
  await client.post('/sign-in/email', { email: 'dora@example.com', password })
  const old = t.client()
  old.cookies.set('gatehouse.session', before)
  expect(await old.api.sessions.getSession()).toBeNull()
  expect(await client.api.sessions.getSession()).not.toBeNull()
})

test('a password hashed with other parameters still works, and its hash is replaced by a current hash', async () => {
  const client = await t.signedIn('old@example.com')
  const user = (await client.api.sessions.getSession())?.user
  const argon2 = await import('argon2')
  const weak = await argon2.default.hash(password, { memoryCost: 16, timeCost: 2, parallelism: 1 })
  const { knex } = t.app.core.db
  await knex('account').where({ user_id: user?.id }).update({ password: weak })
  expect((await t.client().post('/sign-in/email', { email: 'old@example.com', password })).status).toBe(200)
  const [account] = await knex('account').where({ user_id: user?.id })
  expect(account.password).not.toBe(weak)
  expect((await t.client().post('/sign-in/email', { email: 'old@example.com', password })).status).toBe(200)
})

test('passwords and session tokens are stored as hashes', async () => {
  const client = t.client()
  const { token } = await client.api.accounts.signUpEmail({ body: { email: 'hash@example.com', name: 'H', password } })
  const { knex } = t.app.core.db
  const dump = JSON.stringify([await knex('session').select(), await knex('account').select()])
  expect(dump).not.toContain(token)
  expect(dump).not.toContain(password)
  expect(dump).toContain('$argon2id$')
})

test('sign-up and sign-in are also served under /api/auth', async () => {
  const client = t.client()
  expect((await client.post('/api/auth/sign-up/email', body('prefix@example.com'))).status).toBe(200)
  expect((await client.request('/api/auth/get-session')).json).toMatchObject({ user: { email: 'prefix@example.com' } })
})
