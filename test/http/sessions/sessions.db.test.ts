import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const day = { days: 1 }

test('get-session is null without a session and with a forged or unsigned cookie', async () => {
  const client = await t.signedIn('forge@example.com')
  const token = (await client.api.sessions.getSession())?.session.token ?? ''
  for (const value of [undefined, token, `${token}.AAAA`, 'x']) {
    const stranger = t.client()
    if (value !== undefined) stranger.cookies.set('gatehouse.session', value)
    const answer = await stranger.request('/get-session')
    expect([answer.status, answer.text]).toEqual([200, 'null'])
  }
})

test('a session token is accepted as a bearer token and in no other place of a request', async () => {
  const client = await t.signedIn('bearer@example.com')
  const token = (await client.api.sessions.getSession())?.session.token ?? ''
  const stranger = t.client()
  const asBearer = await stranger.request('/get-session', { headers: { authorization: `Bearer ${token}` } })
  expect(asBearer.json).toMatchObject({ user: { email: 'bearer@example.com' } })
  expect((await stranger.request(`/get-session?token=${token}`)).text).toBe('null')
})

test('get-session responds with exactly the documented fields', async () => {
  const client = await t.signedIn('fields@example.com')
  const { session, user } = (await client.request('/get-session')).json as { session: object; user: object }
  expect(Object.keys(session).sort()).toEqual([
    'activeOrganizationId',
    'activeTeamId',
    'createdAt',
    'expiresAt',
    'id',
    'impersonatedBy',
    'ipAddress',
    'token',
    'updatedAt',
    'userAgent',
    'userId',
  ])
  expect(Object.keys(user).sort()).toEqual([
    'createdAt',
    'email',
    'emailVerified',
    'id',
    'image',
    'language',
    'name',
    'role',
    'twoFactorEnabled',
    'updatedAt',
  ])
})

test('sign-out ends the session on the server and clears the cookie', async () => {
  const client = await t.signedIn('out@example.com')
  const stolen = t.client()
  stolen.cookies.set('gatehouse.session', client.cookies.get('gatehouse.session') ?? '')
  const answer = await client.post('/sign-out')
  expect(answer.json).toEqual({ success: true })
  expect(answer.headers.getSetCookie()[0]).toMatch(/^gatehouse\.session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/)
  expect(await stolen.api.sessions.getSession()).toBeNull()
})

test('sign-out works without body and content type, and fails without a session', async () => {
  const client = await t.signedIn('bare@example.com')
  expect((await client.request('/sign-out', { method: 'POST' })).json).toEqual({ success: true })
  const again = await client.request('/sign-out', { method: 'POST' })
  expect([again.status, again.json]).toEqual([400, { code: 'FAILED_TO_GET_SESSION', message: 'Failed to get session' }])
})

test('a session older than a day is extended on use, and its cookie too', async () => {
  const client = await t.signedIn('extend@example.com')
  const first = await client.api.sessions.getSession()
  t.clock.advance({ hours: 23 })
  expect((await client.request('/get-session')).headers.getSetCookie()).toEqual([])
  t.clock.advance({ hours: 2 })
  const untouched = await client.api.sessions.getSession({ query: { disableRefresh: 'true' } })
  expect(untouched?.session.expiresAt).toEqual(first?.session.expiresAt)
  const answer = await client.request('/get-session')
  expect(answer.headers.getSetCookie()[0]).toContain('Max-Age=604800')
  const second = await client.api.sessions.getSession()
  expect(second?.session.expiresAt.getTime()).toBeGreaterThan(first?.session.expiresAt.getTime() ?? 0)
})

test('a session ends 30 days after the sign-in, however often it is extended', async () => {
  const client = await t.signedIn('absolute@example.com')
  for (let days = 0; days < 28; days += 4) {
    t.clock.advance({ days: 4 })
    expect(await client.api.sessions.getSession()).not.toBeNull()
  }
  t.clock.advance({ days: 2, seconds: 1 })
  expect(await client.api.sessions.getSession()).toBeNull()
})

test('an unused session ends after seven days and its cookie is cleared', async () => {
  const client = await t.signedIn('idle@example.com')
  t.clock.advance({ days: 7, seconds: 1 })
  const answer = await client.request('/get-session')
  expect(answer.text).toBe('null')
  expect(answer.headers.getSetCookie()[0]).toContain('gatehouse.session=; Max-Age=0')
})

test('a session with rememberMe false lasts a day, has a browser-session cookie and is never extended', async () => {
  await t.signedIn('short@example.com')
  const client = t.client()
  const answer = await client.post('/sign-in/email', { email: 'short@example.com', password, rememberMe: false })
  expect(answer.headers.getSetCookie()[0]).not.toContain('Max-Age')
  t.clock.advance({ hours: 23 })
  expect(await client.api.sessions.getSession()).not.toBeNull()
  t.clock.advance({ hours: 2 })
  expect(await client.api.sessions.getSession()).toBeNull()
})

test('expired sessions are deleted by the sweep', async () => {
  const client = await t.signedIn('sweep@example.com')
  const id = (await client.api.sessions.getSession())?.session.id
  t.clock.advance(day)
  t.clock.advance({ days: 7 })
  await t.app.sessions.sweep()
  expect(await t.app.core.db.knex('session').where({ id })).toHaveLength(0)
})

test('a session stores network address and browser', async () => {
  const client = t.client()
  await client.post('/sign-up/email', { email: 'ua@example.com', name: 'U', password }, { 'user-agent': 'Firefox/1.0' })
  expect(await client.api.sessions.getSession()).toMatchObject({
    session: { userAgent: 'Firefox/1.0', ipAddress: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) },
  })
})

testOnBoth('a session opened on one node is known, and ended, on another node at once', async () => {
  const other = await t.node()
  const client = await t.signedIn('nodes@example.com')
  const elsewhere = other.client()
  elsewhere.cookies.set('gatehouse.session', client.cookies.get('gatehouse.session') ?? '')
  expect(await elsewhere.api.sessions.getSession()).not.toBeNull()
  await elsewhere.post('/sign-out', {}, { origin: t.url })
  expect(await client.api.sessions.getSession()).toBeNull()
  await other.stop()
})
