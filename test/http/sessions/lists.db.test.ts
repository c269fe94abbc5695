import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { codeFor, offline, redeem, refresh, register, userinfo } from '../oidc/flow.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

const alsoIn = async (email: string, userAgent = 'curl/8.0') => {
  const client = t.client()
  await client.post('/sign-in/email', { email, password }, { 'user-agent': userAgent })
  return client
}
const sessionOf = async (client: Client) => (await client.api.sessions.getSession())?.session
const isAlive = async (client: Client) => (await sessionOf(client)) !== undefined

test('the list of sessions shows device, network address, last use, the current session, and ids instead of tokens', async () => {
  const client = await t.signedIn('ann@example.com')
  await alsoIn('ann@example.com', firefox)
  const own = await sessionOf(client)
  const { text, json } = await client.request('/list-sessions')
  const list = json as unknown as { id: string; token: string; device: string; current: boolean }[]
  expect(list).toHaveLength(2)
  expect(text).not.toContain(own?.token ?? 'nothing')
  for (const { id, token } of list) expect(token).toBe(id)
  expect(list.find(({ current }) => current)?.id).toBe(own?.id)
  expect(list.find(({ current }) => !current)).toMatchObject({
    device: 'Firefox on Linux',
    ipAddress: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
    updatedAt: expect.any(String),
    userAgent: firefox,
  })
})

test('expired sessions are not listed and cannot be revoked', async () => {
  await t.signedIn('old@example.com')
  const old = await alsoIn('old@example.com')
  const id = (await sessionOf(old))?.id
  t.clock.advance({ days: 8 })
  const client = await alsoIn('old@example.com')
  expect(await client.api.sessions.listSessions()).toHaveLength(1)
  expect((await client.post('/revoke-session', { token: id })).json['message']).toBe('Session not found')
})

testOnBoth('a session is revoked by id or by token, and other sessions stay', async () => {
  const client = await t.signedIn('bob@example.com')
  const [a, b, c] = [await alsoIn('bob@example.com'), await alsoIn('bob@example.com'), await alsoIn('bob@example.com')]
  expect((await client.post('/revoke-session', { token: (await sessionOf(a))?.id })).json).toEqual({ status: true })
  expect((await client.post('/revoke-session', { token: (await sessionOf(b))?.token })).json).toEqual({ status: true })
  expect(await Promise.all([client, a, b, c].map(isAlive))).toEqual([true, false, false, true])
})

test("revoking an unknown session is answered as not found, and revoking another user's session as unauthorized", async () => {
  const client = await t.signedIn('cas@example.com')
  const other = await t.signedIn('dan@example.com')
  const unknown = await client.post('/revoke-session', { token: 'x'.repeat(32) })
  expect([unknown.status, unknown.json]).toEqual([400, { code: 'SESSION_NOT_FOUND', message: 'Session not found' }])
  const { id, token } = (await sessionOf(other)) ?? { id: '', token: '' }
  for (const named of [id, token]) expect((await client.post('/revoke-session', { token: named })).status).toBe(401)
  expect(await isAlive(other)).toBe(true)
})

test('a session can revoke itself, and its cookie is cleared', async () => {
  const client = await t.signedIn('eve@example.com')
  expect((await client.post('/revoke-session', { token: (await sessionOf(client))?.token })).json).toEqual({ status: true })
  expect(client.cookies.has('gatehouse.session')).toBe(false)
})

testOnBoth('all sessions or all other sessions can be ended at once, also without a body', async () => {
  const client = await t.signedIn('fay@example.com')
  const other = await alsoIn('fay@example.com')
  const stranger = await t.signedIn('gus@example.com')
  expect((await client.request('/revoke-other-sessions', { method: 'POST' })).json).toEqual({ status: true })
  expect(await Promise.all([client, other, stranger].map(isAlive))).toEqual([true, false, true])
  const again = await alsoIn('fay@example.com')
  expect((await client.post('/revoke-sessions')).json).toEqual({ status: true })
  expect(await Promise.all([client, again, stranger].map(isAlive))).toEqual([false, false, true])
  expect((await client.post('/revoke-sessions')).status).toBe(401)
})

test('revoke-sessions ends the sessions of all browsers', async () => {
  const client = await t.signedIn('hal@example.com')
  const other = await alsoIn('hal@example.com')
  const { knex } = t.app.core.db
  const ids = (await client.api.sessions.listSessions()).map(({ id }) => id)
  await client.post('/revoke-sessions')
  expect(await knex('session').whereIn('id', ids)).toEqual([])
  expect(await isAlive(other)).toBe(false)
})

/** Tokens of an application after a sign-in in this browser, which outlive its session. */
const heldFrom = async (client: Client, app: Awaited<ReturnType<typeof register>>) =>
  (await redeem(t, app, await codeFor(client, app, offline))).json

testOnBoth('ending all sessions ends the tokens of applications, including offline access, on every node', async () => {
  const app = await register(t)
  const node = await t.node()
  for (const [path, body] of [
    ['/revoke-sessions', {}],
    ['/change-password', { currentPassword: password, newPassword: 'another battery staple', revokeOtherSessions: true }],
  ] as const) {
    const client = await t.signedIn(`app${path.slice(1)}@example.com`)
    const held = await heldFrom(client, app)
    expect((await userinfo(node, held['access_token'])).status).toBe(200)
    expect((await client.post(path, body)).status).toBe(200)
    expect((await userinfo(node, held['access_token'])).status).toBe(401)
    expect((await refresh(node, app, held['refresh_token'])).json['error']).toBe('invalid_grant')
  }
  await node.stop()
})

test('ending all other sessions ends the tokens of applications except tokens authorized in the current session', async () => {
  const app = await register(t)
  const client = await t.signedIn('jan@example.com')
  const other = await alsoIn('jan@example.com')
  const [own, others] = [await heldFrom(client, app), await heldFrom(other, app)]
  await client.post('/revoke-other-sessions')
  expect((await userinfo(t, others['access_token'])).status).toBe(401)
  expect((await refresh(t, app, others['refresh_token'])).json['error']).toBe('invalid_grant')
  expect((await userinfo(t, own['access_token'])).status).toBe(200)
  expect((await refresh(t, app, own['refresh_token'])).status).toBe(200)
})

testOnBoth('a refresh at the moment when all sessions end leaves no valid token', async () => {
  const app = await register(t)
  const client = await t.signedIn('kim@example.com')
  const held = await heldFrom(client, app)
  const [refreshed] = await Promise.all([refresh(t, app, held['refresh_token']), client.post('/revoke-sessions')])
  const latest = refreshed.json['refresh_token'] ?? held['refresh_token']
  expect((await refresh(t, app, latest)).json['error']).toBe('invalid_grant')
})

test('the last use of a session is written at most once an hour', async () => {
  const client = await t.signedIn('ida@example.com')
  const first = (await sessionOf(client))?.updatedAt
  t.clock.advance({ minutes: 59 })
  expect((await sessionOf(client))?.updatedAt).toEqual(first)
  t.clock.advance({ minutes: 2 })
  const second = (await sessionOf(client))?.updatedAt.getTime() ?? 0
  expect(second - (first?.getTime() ?? 0)).toBeGreaterThan(3_600_000)
  t.clock.advance({ minutes: 59 })
  expect((await sessionOf(client))?.updatedAt.getTime()).toBe(second)
})
