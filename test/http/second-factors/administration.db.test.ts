/** Administration of other people's second factors. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { codeOf, withAuthenticator, withPassword } from '../../support/totp.ts'

let t: TestApp
let admin: Client
const { register } = passkeySteps(() => t)
beforeAll(async () => {
  const roles = { desk: { permissions: ['users:read', 'users:set-password'] } }
  t = await testApp({ config: { secondFactor: { requiredFor: ['auditor'], graceDays: 2 }, access: { roles } } })
  admin = await signedInAs(t, 'admin')
})
beforeEach(() => {
  t.clock.hold()
  t.clock.advance({ seconds: 90 })
})
afterAll(() => t.stop())

const userOf = (email: string) => t.app.users.require(t.app.core.db, email)
const params = async (email: string) => ({ id: (await userOf(email)).id })
const factorsOf = async (email: string) => admin.api.factorAdministration.adminListFactors({ params: await params(email) })
const request = async (
  client: Client,
  method: string,
  email: string,
  init: { body?: object; tag?: string; factor?: string } = {},
) => {
  const { body, tag, factor } = init
  const path = `/admin/users/${(await userOf(email)).id}/factors${factor === undefined ? '' : `/${factor}`}`
  const headers = { 'gatehouse-reason': 'seen in person', ...(tag === undefined ? {} : { 'if-match': tag }) }
  return client.request(path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}
const eventsOf = async (email: string, ...types: readonly string[]): Promise<string[]> => {
  const rows = t.app.core.db.knex('event').where({ subject_id: (await userOf(email)).id })
  return rows.whereIn('type', types).orderBy('occurred_at').pluck('type')
}

test("administrators see kind, name, use and state of a user's second factors, and neither secrets nor codes", async () => {
  const email = 'listed@example.com'
  const { browser, totpURI, recoveryCodes } = await withAuthenticator(t, email)
  await register(browser, createAuthenticator({}), 'MacBook')
  const other = await withPassword(t, email)
  t.clock.advance({ seconds: 60 })
  await other.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI), trustDevice: true } })
  const found = await factorsOf(email)
  expect(found).toMatchObject({
    twoFactorEnabled: true,
    rememberedBrowsers: 1,
    required: false,
    requirement: null,
    signInMethods: 2,
  })
  expect(found.factors.map(({ kind, name, counts, removable, left }) => [kind, name, counts, removable, left])).toEqual([
    ['recovery-code', null, true, false, 10],
    ['totp', null, true, true, undefined],
    ['passkey', 'MacBook', true, true, undefined],
  ])
  const totp = found.factors.find(({ kind }) => kind === 'totp')
  expect(totp?.lastUsedAt?.getTime()).toBeGreaterThan(totp?.createdAt.getTime() ?? 0)
  const { status, text } = await request(admin, 'GET', email).then(async (one) => ({ ...one, text: JSON.stringify(one.json) }))
  expect(status).toBe(200)
  for (const secret of [new URL(totpURI).searchParams.get('secret') ?? '', ...recoveryCodes, 'publicKey'])
    expect(text).not.toContain(secret)
})

test('a removed second factor signs nobody in, ends pending sign-ins and remembered browsers but not the session, and its owner gets a mail', async () => {
  const email = 'lost@example.com'
  const { browser, totpURI } = await withAuthenticator(t, email)
  const remembered = await withPassword(t, email)
  t.clock.advance({ seconds: 60 })
  await remembered.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI), trustDevice: true } })
  const waiting = await withPassword(t, email)
  const [totp] = (await factorsOf(email)).factors.filter(({ kind }) => kind === 'totp')
  const { status, json } = await request(admin, 'DELETE', email, { factor: totp?.id ?? '' })
  expect([status, json]).toEqual([
    200,
    expect.objectContaining({ factors: [], twoFactorEnabled: false, rememberedBrowsers: 0, signInMethods: 1 }),
  ])
  t.clock.advance({ seconds: 60 })
  const late = await waiting.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
  expect(late.json['code']).toBe('INVALID_TWO_FACTOR_COOKIE')
  expect(await browser.api.sessions.getSession()).not.toBeNull()
  expect((await t.client().post('/sign-in/email', { email, password })).json['user']).toBeDefined()
  expect(await eventsOf(email, 'totp.disabled', 'second_factor.disabled', 'second_factor.browsers_forgotten')).toHaveLength(3)
  const [reason] = await t.app.core.db
    .knex('event')
    .where({ subject_id: (await userOf(email)).id, type: 'totp.disabled' })
    .pluck('reason')
  expect(reason).toBe('seen in person')
  expect(await t.mailKinds(email)).toContain('totp-disabled')
})

test('removing the last second factor removes the recovery codes, and removing another factor keeps two-step verification on', async () => {
  const email = 'both@example.com'
  const { browser } = await withAuthenticator(t, email)
  await register(browser, createAuthenticator({}))
  const { factors } = await factorsOf(email)
  const idOf = (wanted: string) => factors.find(({ kind }) => kind === wanted)?.id ?? ''
  const codes = await request(admin, 'DELETE', email, { factor: idOf('recovery-code') })
  expect([codes.status, codes.json['code']]).toEqual([409, 'RECOVERY_CODES_GO_WITH_THE_LAST_SECOND_FACTOR'])
  await request(admin, 'DELETE', email, { factor: idOf('totp') })
  const left = await factorsOf(email)
  expect([left.twoFactorEnabled, left.factors.map(({ kind }) => kind)]).toEqual([true, ['recovery-code', 'passkey']])
  expect((await t.client().post('/sign-in/email', { email, password })).json['twoFactorMethods']).toEqual([
    'passkey',
    'recovery-code',
  ])
  await request(admin, 'DELETE', email, { factor: idOf('passkey') })
  expect((await factorsOf(email)).factors).toEqual([])
})

test('all second factors of a user can be removed at once, and the answer says when no sign-in method is left', async () => {
  const email = 'keyless@example.com'
  const client = await t.signedIn(email)
  await register(client, createAuthenticator({}))
  const { id } = await userOf(email)
  await t.app.core.transact((tx) => tx.knex('account').where({ user_id: id }).delete())
  expect(await factorsOf(email)).toMatchObject({ signInMethods: 1 })
  const { json } = await request(admin, 'DELETE', email)
  expect(json).toMatchObject({ factors: [], signInMethods: 0 })
  expect(await eventsOf(email, 'second_factor.removed')).toHaveLength(1)
})

test('a second factor required of one person is due after the grace period, shown with its rule, and can be made optional again', async () => {
  const email = 'asked@example.com'
  await t.signedIn(email)
  const asked = await request(admin, 'PATCH', email, { body: { required: true } })
  const dueAt = new Date(Date.now() + 2 * 86_400_000).toISOString()
  expect(asked.json).toMatchObject({ required: true, requirement: { by: 'person', roles: [], dueAt } })
  const signIn = async () => (await t.client().post('/sign-in/email', { email, password })).json
  expect((await signIn())['user']).toBeDefined()
  t.clock.advance({ hours: 49 })
  expect(await signIn()).toMatchObject({ twoFactorRedirect: true, twoFactorMethods: [] })
  const root = await t.client()
  await root.api.accounts.signInEmail({ body: { email: 'admin@staff.example', password } })
  admin = root
  const lifted = await request(admin, 'PATCH', email, { body: { required: false } })
  expect(lifted.json).toMatchObject({ required: false, requirement: null })
  expect((await signIn())['user']).toBeDefined()
  expect(await eventsOf(email, 'second_factor.required', 'second_factor.requirement_lifted')).toEqual([
    'second_factor.required',
    'second_factor.requirement_lifted',
  ])
})

test("lifting a person's own requirement of a second factor keeps the requirement of their role, with its due date", async () => {
  const email = 'reader@example.com'
  await t.signedIn(email)
  await t.verify(email)
  await admin.api.administration.setRole({ body: { userId: (await userOf(email)).id, role: 'auditor' } })
  const byRole = await factorsOf(email)
  expect(byRole.requirement).toMatchObject({ by: 'roles', roles: ['auditor'] })
  t.clock.advance({ hours: 5 })
  const asked = await request(admin, 'PATCH', email, { body: { required: true } })
  expect(asked.json['requirement']).toMatchObject({ by: 'person', dueAt: byRole.requirement?.dueAt?.toISOString() })
  expect((await request(admin, 'PATCH', email, { body: { required: false } })).json['requirement']).toMatchObject({ by: 'roles' })
})

testOnBoth(
  'a change of a requirement needs the current ETag, and the second of two simultaneous changes is refused',
  async () => {
    const email = 'tagged@example.com'
    await withAuthenticator(t, email)
    const tag = (await request(admin, 'GET', email)).headers.get('etag') ?? ''
    const both = await Promise.all([1, 2].map(() => request(admin, 'DELETE', email, { tag })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
    const twice = await Promise.all([1, 2].map(() => request(admin, 'DELETE', email, { factor: 'none' })))
    expect(twice.map(({ status }) => status)).toEqual([404, 404])
  },
)

test("support and auditors see second factors but cannot remove any, and a removal needs a recent proof and at least the user's permissions", async () => {
  const support = await signedInAs(t, 'support')
  await withAuthenticator(t, 'target@example.com')
  expect((await request(support, 'GET', 'target@example.com')).status).toBe(200)
  for (const [method, init] of [
    ['DELETE', {}],
    ['PATCH', { body: { required: true } }],
  ] as const)
    expect((await request(support, method, 'target@example.com', init)).status).toBe(403)
  const desk = await signedInAs(t, 'desk')
  for (const [method, init] of [
    ['DELETE', {}],
    ['DELETE', { factor: 'any' }],
    ['PATCH', { body: { required: true } }],
  ] as const) {
    const { status, json } = await request(desk, method, 'admin@staff.example', init)
    expect([status, json['code']]).toEqual([403, 'FORBIDDEN'])
  }
  expect((await request(desk, 'PATCH', 'target@example.com', { body: { required: true } })).status).toBe(200)
  const missing = await admin.request('/admin/users/none/factors')
  expect([missing.status, missing.json['code']]).toEqual([404, 'NOT_FOUND'])
  t.clock.advance({ hours: 25 })
  expect((await request(admin, 'DELETE', 'target@example.com')).json['code']).toBe('SESSION_IS_NOT_FRESH')
})

test('an administrator cannot remove their own last second factor while a second factor is required of them', async () => {
  const own = await signedInAs(t, 'admin', 'own@example.com')
  const { totpURI } = await own.api.twoFactor.enable({ body: { password } })
  await own.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
  await request(own, 'PATCH', 'own@example.com', { body: { required: true } })
  const { status, json } = await request(own, 'DELETE', 'own@example.com')
  expect([status, json['code']]).toEqual([403, 'THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED'])
  expect((await request(own, 'GET', 'own@example.com')).json['twoFactorEnabled']).toBe(true)
})

test('the list of users shows the state of their second factors and filters by it', async () => {
  const list = async (secondFactor: 'on' | 'required' | 'overdue') => {
    const { users } = await admin.api.users.adminListUsers({ query: { secondFactor, limit: 100 } })
    expect(new Set(users.map((user) => user.secondFactor))).toEqual(new Set([secondFactor]))
    return users.map(({ email }) => email)
  }
  const browser = t.client()
  await browser.api.accounts.signInEmail({ body: { email: 'admin@staff.example', password } })
  admin = browser
  for (const email of ['soon@example.com', 'late@example.com']) await t.signedIn(email)
  await request(admin, 'PATCH', 'late@example.com', { body: { required: true } })
  t.clock.advance({ hours: 47 })
  await browser.api.accounts.signInEmail({ body: { email: 'admin@staff.example', password } })
  await request(admin, 'PATCH', 'soon@example.com', { body: { required: true } })
  t.clock.advance({ hours: 2 })
  await withAuthenticator(t, 'has@example.com')
  expect(await list('on')).toContain('has@example.com')
  expect(await list('required')).toContain('soon@example.com')
  expect(await list('overdue')).toContain('late@example.com')
  const { users } = await admin.api.users.adminListUsers({
    query: { secondFactor: 'on', sort: 'email', order: 'asc', limit: 100 },
  })
  expect(users.map(({ email }) => email)).toContain('has@example.com')
})
