import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { sessions: { cookieCacheSeconds: 60 } } })
})
afterAll(() => t.stop())

const name = 'gatehouse.session_data'
const nameOf = async (client: Client, query = '') => {
  const { json } = await client.request(`/get-session${query}`)
  return (json as { user?: { name: string } } | null)?.user?.name
}
/** Changes the user without the knowledge of the browser. */
const rename = (email: string, to: string) => t.app.core.db.knex('user').where({ email }).update({ name: to })

test('only get-session is answered from the cookie cache', () => {
  expect(t.app.routes.flatMap(({ name, endpoint }) => (endpoint.cookieCache === true ? [name] : []))).toEqual(['getSession'])
})

test('get-session is answered from the cookie for at most a minute', async () => {
  const client = await t.signedIn('ann@example.com', 'Ann')
  const answer = await client.request('/get-session')
  const line = answer.headers.getSetCookie().find((cookie) => cookie.startsWith(name)) ?? ''
  expect(line).toMatch(/^gatehouse\.session_data=[^;]+; Max-Age=60; Path=\/; HttpOnly; SameSite=Lax$/)
  await rename('ann@example.com', 'Renamed')
  const cached = await client.request('/get-session')
  expect(cached.json).toEqual(answer.json)
  expect(cached.headers.getSetCookie()).toEqual([])
  t.clock.advance({ seconds: 61 })
  expect(await nameOf(client)).toBe('Renamed')
})

test('get-session with disableCookieCache reads the database and renews the cookie', async () => {
  const client = await t.signedIn('bob@example.com', 'Bob')
  await nameOf(client)
  await rename('bob@example.com', 'Renamed')
  expect(await nameOf(client, '?disableCookieCache=true')).toBe('Renamed')
  expect(await nameOf(client)).toBe('Renamed')
})

test('a browser sees its own change at once despite the cookie cache', async () => {
  const client = await t.signedIn('cas@example.com', 'Cas')
  await nameOf(client)
  await client.post('/update-user', { name: 'New' })
  expect(await nameOf(client)).toBe('New')
  await client.post('/send-verification-email', { email: 'cas@example.com' })
  await nameOf(client)
  await client.request((await t.mailTo('cas@example.com')).link)
  expect(await client.api.sessions.getSession()).toMatchObject({ user: { emailVerified: true } })
  await client.post('/sign-out')
  expect(client.cookies.has(name)).toBe(false)
  expect(await nameOf(client)).toBeUndefined()
})

test("an ended session is invalid everywhere except in get-session's cookie cache", async () => {
  const client = await t.signedIn('dan@example.com', 'Dan')
  await nameOf(client)
  await t.app.core.db.knex('session').delete()
  expect(await nameOf(client)).toBe('Dan')
  const kept = client.cookies.get(name) ?? ''
  for (const path of ['/list-sessions', '/list-accounts']) expect((await client.request(path)).status, path).toBe(401)
  client.cookies.set(name, kept)
  expect((await client.post('/update-user', { name: 'x' })).status).toBe(401)
})

test('a cached cookie is ignored with another session, after a change or forgery, and after the cache version was raised', async () => {
  const eve = await t.signedIn('eve@example.com', 'Eve')
  const fay = await t.signedIn('fay@example.com', 'Fay')
  await nameOf(eve)
  const stolen = eve.cookies.get(name) ?? ''
  const [body = '', signature = ''] = stolen.split('.')
  const content = JSON.parse(Buffer.from(body, 'base64url').toString())
  const changed = Buffer.from(JSON.stringify({ ...content, user: { ...content.user, name: 'Forged' } })).toString('base64url')
  for (const value of [stolen, `${changed}.${signature}`, `${body}.${'A'.repeat(44)}`, body, '.', 'x'.repeat(5000)]) {
    fay.cookies.set(name, value)
    expect(await nameOf(fay)).toBe('Fay')
  }
  expect(body).not.toContain(Buffer.from(eve.cookies.get('gatehouse.session')?.split('.')[0] ?? 'x').toString('base64url'))
  const stranger = t.client()
  stranger.cookies.set(name, stolen)
  expect(await nameOf(stranger)).toBeUndefined()
})

test('a session response that does not fit into a cookie is not cached', async () => {
  const client = t.client()
  const image = `https://example.com/${'a'.repeat(2000)}`
  await client.post('/sign-up/email', { email: 'gus@example.com', name: 'ж'.repeat(200), image, password })
  await client.request('/get-session', { headers: { 'user-agent': 'x'.repeat(500) } })
  expect(client.cookies.get(name)?.length ?? 0).toBeLessThanOrEqual(4093 - name.length - 1)
  await client.post('/update-user', { image: `${image}${'b'.repeat(20)}` })
  expect(await client.api.sessions.getSession()).toMatchObject({ user: { email: 'gus@example.com' } })
})

test('a raised cache version invalidates cached cookies, and no cookie is cached without the setting', async () => {
  const client = await t.signedIn('hal@example.com', 'Hal')
  await nameOf(client)
  await rename('hal@example.com', 'Renamed')
  const other = await testApp({ config: { sessions: { cookieCacheSeconds: 0 } } })
  const plain = await other.signedIn('ida@example.com')
  await plain.request('/get-session')
  expect(plain.cookies.has(name)).toBe(false)
  await other.stop()
  expect(await nameOf(client)).toBe('Hal')
})
