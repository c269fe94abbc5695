import { afterEach, beforeEach, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { tokenRetention } from '../../../src/authentication/verification/one-time-tokens.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'

const admin = { name: 'Ada Admin', email: 'ada@example.com', password: 'a long and uncommon one' }

let t: TestApp
beforeEach(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
})
afterEach(() => t.stop())

const newToken = async () => {
  const { url, expiresAt } = await t.app.setup.createSetupLink(systemPrincipal('test'))
  expect(expiresAt.getTime() - Date.now()).toBeGreaterThan(3_500_000)
  return new URL(url).searchParams.get('token') ?? ''
}
const stateOf = async (token: string) => (await t.client().post('/setup/check', { token })).json
const isValid = async (token: string) => (await stateOf(token))['valid']
const notValid = { code: 'SETUP_LINK_IS_NOT_VALID', message: 'Setup link is not valid' }
const complete = (token: string, more: Record<string, unknown> = {}) => t.client().post('/setup', { ...admin, token, ...more })

test('a setup link creates one verified, signed-in administrator, and is refused afterwards', async () => {
  const token = await newToken()
  const other = await newToken()
  const browser = t.client()
  const answer = await browser.post('/setup', { ...admin, token })
  expect(answer).toMatchObject({ status: 200, json: { user: { email: admin.email, role: 'admin', emailVerified: true } } })
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(await browser.api.sessions.getSession()).toMatchObject({ user: { role: 'admin' } })
  await t.client().api.accounts.signInEmail({ body: admin })

  await expect(t.app.setup.createSetupLink(systemPrincipal('test'))).rejects.toMatchObject({
    code: 'ADMINISTRATOR_ALREADY_EXISTS',
    message: expect.stringContaining('gatehouse list-users --role admin names them'),
  })
  for (const spent of [token, other]) {
    expect(await stateOf(spent)).toEqual({ valid: false, administratorExists: true })
    expect((await complete(spent, { email: 'second@example.com' })).json).toMatchObject({ code: 'ADMINISTRATOR_ALREADY_EXISTS' })
  }
})

test('opening a setup link does not use it up, and a wrong token is not valid', async () => {
  const token = await newToken()
  expect([await isValid(token), await isValid(token), await isValid(`${token}x`), await isValid('')]).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(await complete('guess')).toMatchObject({ status: 400, json: notValid })
})

test('the token of a setup link is stored only as a hash', async () => {
  const token = await newToken()
  const rows: Record<string, unknown>[] = await t.app.core.db.knex('verification')
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(token)
  expect(token).toMatch(/^[A-Za-z0-9]{43}$/)
})

test('a setup link expires after an hour and is then deleted', async () => {
  const token = await newToken()
  t.clock.advance({ minutes: 61 })
  expect(await isValid(token)).toBe(false)
  expect((await complete(token)).json).toEqual(notValid)
  await tokenRetention(t.app.core).sweep()
  expect(await t.app.core.db.knex('verification')).toEqual([])
})

testOnBoth('exactly one of ten simultaneous uses of a setup link succeeds', async () => {
  const token = await newToken()
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => complete(token, { email: `admin${i}@example.com` })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
  const admins: { email: string }[] = await t.app.core.db.knex('user').where({ role: 'admin' })
  expect(admins).toHaveLength(1)
  // The losers leave no rows.
  expect(await t.app.core.db.knex('user')).toHaveLength(1)
  expect(await t.app.core.db.knex('session')).toHaveLength(1)
})

testOnBoth('exactly one of two setup links used at the same time on two nodes creates an administrator', async () => {
  const node = await t.node()
  const [one, two] = [await newToken(), await newToken()]
  const answers = await Promise.all([
    t.client().post('/setup', { ...admin, token: one }),
    node.client().post('/setup', { ...admin, email: 'eve@example.com', token: two }, { origin: t.url }),
  ])
  await node.stop()
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(await t.app.core.db.knex('user').where({ role: 'admin' })).toHaveLength(1)
})

test.each([
  ['INVALID_EMAIL', 400, { email: 'nobody' }],
  ['PASSWORD_TOO_SHORT', 400, { password: 'short' }],
  ['PASSWORD_TOO_LONG', 400, { password: 'long'.repeat(40) }],
  ['PASSWORD_TOO_COMMON', 400, { password: 'Superman2020' }],
  ['PASSWORD_TOO_COMMON', 400, { password: 'Ada-Admin-1' }],
  ['USER_ALREADY_EXISTS', 422, { email: 'taken@example.com' }],
])('a set-up refused with %s leaves the setup link usable', async (code, status, wrong) => {
  await t.signedIn('taken@example.com')
  const token = await newToken()
  expect(await complete(token, wrong)).toMatchObject({ status, json: { code } })
  expect((await complete(token)).status).toBe(200)
})

test('set-up is refused from another origin, because it starts a session', async () => {
  const token = await newToken()
  const answer = await t.client().post('/setup', { ...admin, token }, { origin: 'https://evil.example' })
  expect([answer.status, answer.json['code']]).toEqual([403, 'INVALID_ORIGIN'])
})
