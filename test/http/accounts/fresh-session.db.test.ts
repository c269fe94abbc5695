import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const calls = [
  ['/change-email', { newEmail: 'elsewhere@example.com' }],
  ['/link-social', { provider: 'nowhere' }],
] as const

test.each(calls)('%s adds a sign-in method, so it requires a session that began within the last day', async (path, body) => {
  const client = await t.signedIn(`ann${path.length}@example.com`)
  t.clock.advance({ hours: 25 })
  const stale = await client.post(path, body)
  expect([stale.status, stale.json['code']]).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  const again = await t.signedIn(`bob${path.length}@example.com`)
  expect((await again.post(path, body)).json['code']).not.toBe('SESSION_IS_NOT_FRESH')
})

test('a correct password makes a session fresh again and replaces its token, and a wrong password changes nothing', async () => {
  const client = await t.signedIn('eve@example.com')
  const before = client.cookies.get('gatehouse.session')
  const fresh = () => client.post('/change-email', { newEmail: 'eve2@example.com' })
  t.clock.advance({ hours: 25 })
  const wrong = await client.post('/verify-password', { password: 'not the password' })
  expect([wrong.status, wrong.json['code']]).toEqual([400, 'INVALID_PASSWORD'])
  expect((await fresh()).json['code']).toBe('SESSION_IS_NOT_FRESH')
  const right = await client.post('/verify-password', { password })
  expect([right.status, right.json]).toEqual([200, { status: true }])
  expect(client.cookies.get('gatehouse.session')).not.toBe(before)
  expect((await fresh()).status).toBe(200)
  const stolen = t.client()
  stolen.cookies.set('gatehouse.session', before ?? '')
  expect(await stolen.api.sessions.getSession()).toBeNull()
})

test('a change of password needs a fresh session only if changePasswordNeedsFreshSession is set', async () => {
  const body = { currentPassword: password, newPassword: 'another battery staple' }
  const strict = await t.node({ accounts: { changePasswordNeedsFreshSession: true } })
  const unasked = await strict.node({ accounts: { changePasswordNeedsFreshSession: true }, sessions: { freshAgeSeconds: 0 } })
  const client = await t.signedIn('cas@example.com')
  const at = (node: TestApp) => {
    const there = node.client()
    for (const [name, value] of client.cookies) there.cookies.set(name, value)
    return there.post('/change-password', body, { origin: t.url })
  }
  t.clock.advance({ hours: 25 })
  const stale = await at(strict)
  expect([stale.status, stale.json]).toEqual([403, { code: 'SESSION_IS_NOT_FRESH', message: 'Session is not fresh' }])
  expect((await at(unasked)).status).toBe(200)
  const again = await t.signedIn('dan@example.com')
  expect((await again.post('/change-password', { ...body })).status).toBe(200)
  await unasked.stop()
  await strict.stop()
})
